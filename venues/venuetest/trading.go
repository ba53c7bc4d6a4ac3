package venuetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// change is one wish about an order.
type change func(*venues.OrderRequest)

// order is a limit buy far below the market under an id of its own, changed as
// wished.
func (s *stage) order(changes ...change) venues.OrderRequest {
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
func (s *stage) place(changes ...change) venues.OrderRequest {
	s.t.Helper()
	r := s.order(changes...)
	report, err := s.account.Place(s.t.Context(), r)
	if err != nil {
		s.t.Fatalf("place: %v", err)
	}
	if report.ClientOrderID != r.ClientOrderID || report.VenueOrderID == "" || report.Symbol != r.Symbol {
		s.t.Fatalf("the answer names %q, %q, %q", report.ClientOrderID, report.VenueOrderID, report.Symbol)
	}
	return r
}

// resting places an order and waits until it rests.
func (s *stage) resting(changes ...change) venues.OrderRequest {
	s.t.Helper()
	r := s.place(changes...)
	s.reaches(r, venues.StatusOpen)
	return r
}

// filled places an order and waits until it is filled.
func (s *stage) filled(changes ...change) venues.OrderRequest {
	s.t.Helper()
	r := s.place(changes...)
	s.reaches(r, venues.StatusFilled)
	return r
}

// find asks the venue for an order, which must exist.
func (s *stage) find(r venues.OrderRequest) venues.ExecutionReport {
	s.t.Helper()
	report, err := s.account.Order(s.t.Context(), refOf(r))
	if err != nil {
		s.t.Fatalf("order %s: %v", r.ClientOrderID, err)
	}
	return report
}

// cancel cancels an order, which must succeed, and waits for its end.
func (s *stage) cancel(r venues.OrderRequest) {
	s.t.Helper()
	if _, err := s.account.Cancel(s.t.Context(), refOf(r)); err != nil {
		s.t.Fatalf("cancel %s: %v", r.ClientOrderID, err)
	}
	s.reaches(r, venues.StatusCancelled)
}

// missing fails the case unless the venue shows no order.
func (s *stage) missing(r venues.OrderRequest) {
	s.t.Helper()
	if report, err := s.account.Order(s.t.Context(), refOf(r)); venues.CodeOf(err) != venues.CodeNotFound {
		s.t.Errorf("%+v, %v, want not_found", report, err)
	}
}

func refOf(r venues.OrderRequest) venues.OrderRef {
	return venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, Type: r.Type}
}

// refused fails the case unless err is an explicit no with a code and, if not
// empty, a reason: the venue's, or the connector's own, which sends nothing.
func (s *stage) refused(err error, code venues.Code, reason string) {
	s.t.Helper()
	_ = s.refusal(err, code, reason)
}

// refusal is refused for cases that look closer.
func (s *stage) refusal(err error, code venues.Code, reason string) *venues.Error {
	s.t.Helper()
	e, ok := errors.AsType[*venues.Error](err)
	switch {
	case !ok:
		s.t.Fatalf("%v, want the refusal %s", err, code)
	case errors.Is(err, venues.ErrOutcomeUnknown):
		s.t.Errorf("%v, want an explicit refusal", err)
	case e.Code != code || reason != "" && e.Details["reason"] != reason:
		s.t.Errorf("%v (%v), want %s %s", err, e.Details, code, reason)
	}
	return e
}

// uncertain fails the case unless the outcome of err is unknown.
func (s *stage) uncertain(err error) {
	s.t.Helper()
	if !errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
		s.t.Fatalf("%v, want an unknown outcome", err)
	}
}

// plain fails the case unless err is a failed read: no outcome to speak of.
func (s *stage) plain(err error, codes ...venues.Code) {
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
