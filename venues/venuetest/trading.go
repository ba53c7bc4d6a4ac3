package venuetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// change changes one property of an order request.
type change func(*venues.OrderRequest)

// order returns a limit buy order far below the market with a new id, and with the
// changes.
func (s *env) order(changes ...change) venues.OrderRequest {
	r := venues.OrderRequest{
		OrderSpec: venues.OrderSpec{
			Symbol: symbol, Side: venues.Buy, Type: venues.TypeLimit, Qty: d("0.01"), Price: some("64500"), TimeInForce: venues.GoodTillCancel,
		},
		ClientOrderID: fmt.Sprintf("vg%06d", s.ids.Add(1)), Deadline: time.Now().Add(orderLifetime),
	}
	for _, c := range changes {
		c(&r)
	}
	return r
}

// place places an order, which must succeed.
func (s *env) place(changes ...change) venues.OrderRequest {
	s.t.Helper()
	r := s.order(changes...)
	report, err := s.account.Place(s.t.Context(), r)
	if err != nil {
		s.t.Fatalf("place: %v", err)
	}
	if report.ClientOrderID != r.ClientOrderID || report.VenueOrderID == "" || report.Symbol != r.Symbol {
		s.t.Fatalf("answer = client id %q, venue id %q, symbol %q, want %q, some, %q", report.ClientOrderID, report.VenueOrderID, report.Symbol, r.ClientOrderID, r.Symbol)
	}
	return r
}

// resting places an order and waits until it is open.
func (s *env) resting(changes ...change) venues.OrderRequest {
	s.t.Helper()
	r := s.place(changes...)
	s.awaitStatus(r, venues.StatusOpen)
	return r
}

// filled places an order and waits until it is filled.
func (s *env) filled(changes ...change) venues.OrderRequest {
	s.t.Helper()
	r := s.place(changes...)
	s.awaitStatus(r, venues.StatusFilled)
	return r
}

// find queries an order, which must exist.
func (s *env) find(r venues.OrderRequest) venues.ExecutionReport {
	s.t.Helper()
	report, err := s.account.Order(s.t.Context(), refOf(r))
	if err != nil {
		s.t.Fatalf("order %s: %v", r.ClientOrderID, err)
	}
	return report
}

// cancel cancels an order, which must succeed, and waits until it is cancelled.
func (s *env) cancel(r venues.OrderRequest) {
	s.t.Helper()
	if _, err := s.account.Cancel(s.t.Context(), refOf(r)); err != nil {
		s.t.Fatalf("cancel %s: %v", r.ClientOrderID, err)
	}
	s.awaitStatus(r, venues.StatusCancelled)
}

// checkNotFound fails the case unless the query of an order returns not_found.
func (s *env) checkNotFound(r venues.OrderRequest) {
	s.t.Helper()
	if report, err := s.account.Order(s.t.Context(), refOf(r)); venues.CodeOf(err) != venues.CodeNotFound {
		s.t.Errorf("%+v, %v, want not_found", report, err)
	}
}

// checkStatus fails the case unless the query of an order returns a status.
func (s *env) checkStatus(r venues.OrderRequest, want venues.OrderStatus) {
	s.t.Helper()
	if found := s.find(r); found.Status != want {
		s.t.Errorf("status = %s, want %s: %+v", found.Status, want, found)
	}
}

// checkEnded fails the case unless the query of an order returns a status without a
// reason of the venue.
func (s *env) checkEnded(r venues.OrderRequest, want venues.OrderStatus) {
	s.t.Helper()
	if found := s.find(r); found.Status != want || found.RejectReason != nil {
		s.t.Errorf("status = %s with reason %+v, want %s without a reason: %+v", found.Status, found.RejectReason, want, found)
	}
}

// checkOpenOrders fails the case unless so many orders are open.
func (s *env) checkOpenOrders(want int) {
	s.t.Helper()
	if open := s.openOrders(); len(open) != want {
		s.t.Errorf("%d open orders, want %d: %+v", len(open), want, open)
	}
}

// checkNoPosition fails the case if a position is open.
func (s *env) checkNoPosition() {
	s.t.Helper()
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%d positions, want none: %+v", len(positions), positions)
	}
}

// checkFills fails the case unless an instrument has so many fills.
func (s *env) checkFills(symbol string, want int) {
	s.t.Helper()
	if fills := s.fills(symbol); len(fills) != want {
		s.t.Errorf("%d fills of %s, want %d: %+v", len(fills), symbol, want, fills)
	}
}

// checkFaults fails the case unless injected faults were applied so many times.
func (s *env) checkFaults(want int) {
	s.t.Helper()
	if n := s.faultsApplied(); n != want {
		s.t.Errorf("faults applied %d times, want %d", n, want)
	}
}

func refOf(r venues.OrderRequest) venues.OrderRef {
	return venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, Type: r.Type}
}

// checkRejected fails the case unless err is an explicit rejection with a code and, if
// not empty, a reason: of the venue, or of the connector before it sends.
func (s *env) checkRejected(err error, code venues.Code, reason string) {
	s.t.Helper()
	_ = s.rejection(err, code, reason)
}

// checkPlaceRejected places an order, which must be rejected with a code and must not
// reach the venue's ledger.
func (s *env) checkPlaceRejected(r venues.OrderRequest, code venues.Code) {
	s.t.Helper()
	_, err := s.account.Place(s.t.Context(), r)
	s.checkRejected(err, code, "")
	s.checkOrders(r.ClientOrderID, 0)
}

// checkPlaceDuplicate places an order that exists: the outcome must be unknown, and the
// venue must have one order.
func (s *env) checkPlaceDuplicate(r venues.OrderRequest) {
	s.t.Helper()
	_, err := s.account.Place(s.t.Context(), r)
	s.checkUnknown(err)
	s.checkOrders(r.ClientOrderID, 1)
}

// checkCancelRejected cancels an order, which must be rejected as not_found.
func (s *env) checkCancelRejected(r venues.OrderRequest) {
	s.t.Helper()
	_, err := s.account.Cancel(s.t.Context(), refOf(r))
	s.checkRejected(err, venues.CodeNotFound, "")
}

// checkAmendRejected amends an order, which must be rejected with a code.
func (s *env) checkAmendRejected(r venues.OrderRequest, code venues.Code, edit func(*venues.AmendRequest)) {
	s.t.Helper()
	_, err := s.amended(r, edit)
	s.checkRejected(err, code, "")
}

// amend amends an order, which must succeed.
func (s *env) amend(r venues.OrderRequest, edit func(*venues.AmendRequest)) {
	s.t.Helper()
	if _, err := s.amended(r, edit); err != nil {
		s.t.Fatal(err)
	}
}

// useLeverage sets the leverage, which must succeed.
func (s *env) useLeverage(leverage decimal.Decimal) {
	s.t.Helper()
	if _, err := s.account.SetLeverage(s.t.Context(), symbol, leverage); err != nil {
		s.t.Fatal(err)
	}
}

// rejection is checkRejected and returns the error.
func (s *env) rejection(err error, code venues.Code, reason string) *venues.Error {
	s.t.Helper()
	e, ok := errors.AsType[*venues.Error](err)
	switch {
	case !ok:
		s.t.Fatalf("%v, want the rejection %s", err, code)
	case errors.Is(err, venues.ErrOutcomeUnknown):
		s.t.Errorf("%v, want an explicit rejection", err)
	case e.Code != code || reason != "" && e.Details["reason"] != reason:
		s.t.Errorf("%v (%v), want %s %s", err, e.Details, code, reason)
	}
	return e
}

// checkUnknown fails the case unless the outcome of err is unknown.
func (s *env) checkUnknown(err error) {
	s.t.Helper()
	if !errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
		s.t.Fatalf("%v, want an unknown outcome", err)
	}
}

// checkReadFailed fails the case unless err is the error of a failed read, with one of
// the codes if there are any.
func (s *env) checkReadFailed(err error, codes ...venues.Code) {
	s.t.Helper()
	if err == nil || errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) && len(codes) == 0 {
		s.t.Fatalf("%v, want a failed read", err)
	}
	for _, code := range codes {
		if venues.CodeOf(err) == code {
			return
		}
	}
	if len(codes) > 0 {
		s.t.Errorf("%v, want one of %v", err, codes)
	}
}

func market(side venues.Side, qty string) change {
	return func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Qty, r.Price = venues.TypeMarket, side, d(qty), venues.Optional{}
	}
}

func limit(side venues.Side, qty, price string) change {
	return func(r *venues.OrderRequest) { r.Side, r.Qty, r.Price = side, d(qty), some(price) }
}

func stop(side venues.Side, trigger string) change {
	return func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice = venues.TypeStopMarket, side, venues.Optional{}, some(trigger)
	}
}

func inForce(tif venues.TimeInForce) change {
	return func(r *venues.OrderRequest) { r.TimeInForce = tif }
}

func postOnly(r *venues.OrderRequest) { r.PostOnly = true }

func reduceOnly(r *venues.OrderRequest) { r.ReduceOnly = true }

func closing(r *venues.OrderRequest) { r.ClosePosition, r.ReduceOnly = true, true }

func d(text string) decimal.Decimal { return venues.MustDecimal(text) }

func some(text string) venues.Optional { return venues.Some(d(text)) }
