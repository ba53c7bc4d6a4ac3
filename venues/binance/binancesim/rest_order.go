package binancesim

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (s *Sim) placeOrder(c *call) (any, *apiError) { return s.place(c, c.params) }

// place places one order of a single call or of a batch.
func (s *Sim) place(c *call, p params) (any, *apiError) {
	request, failed := s.parseOrder(c, p)
	if failed == nil {
		o, err := s.Exchange().Place(request.OrderRequest)
		if err == nil {
			return s.placed(&o, request.resultRequested), nil
		}
		failed = errorOf(err, request.listing.pricePlaces)
	}
	s.recordRejection(c, p, failed)
	return nil, failed
}

func (s *Sim) placed(o *simcore.Order, wantsResult bool) orderBody {
	if wantsResult {
		return s.changed(o)
	}
	return s.acknowledged(o)
}

// recordRejection records a rejected order in the ledger.
func (s *Sim) recordRejection(c *call, p params, failed *apiError) {
	kind := strings.ToLower(p.text("type"))
	clientID := p.text("newClientOrderId")
	row := simcore.LedgerOrder{
		ClientOrderID: clientID, Account: c.account.ID, Symbol: p.text("symbol"),
		Side: strings.ToLower(p.text("side")), Type: kind,
		Qty: p.text("quantity"), BaseQty: p.text("quantity"), FilledQty: "0", Price: p.text("price"),
		Rejection: strconv.Itoa(failed.code) + " " + failed.message,
	}
	if conditionalTypes[p.text("type")] {
		row.ClientOrderID, row.Kind = p.text("clientAlgoId"), "conditional"
	}
	s.Exchange().Ledger().Reject(row, c.now)
}

// testOrder checks an order and places nothing.
func (s *Sim) testOrder(c *call) (any, *apiError) {
	request, failed := s.parseOrder(c, c.params)
	if failed != nil {
		return nil, failed
	}
	request.DryRun = true
	o, err := s.Exchange().Place(request.OrderRequest)
	if err != nil {
		return nil, errorOf(err, request.listing.pricePlaces)
	}
	return s.acknowledged(&o), nil
}

// orderRef parses the id of an order. The venue's own id overrides the client's.
func (p params) orderRef() (simcore.OrderRef, *apiError) {
	id, err := p.integer("orderId", 0)
	if err != nil {
		return simcore.OrderRef{}, err
	}
	ref := simcore.OrderRef{ID: id, ClientID: p.text("origClientOrderId")}
	if ref == (simcore.OrderRef{}) {
		return ref, bad(-1102, "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!")
	}
	return ref, nil
}

func (s *Sim) amendOrder(c *call) (any, *apiError) { return s.amend(c, c.params) }

func (s *Sim) amend(c *call, p params) (any, *apiError) {
	request, l, err := s.parseAmend(c, p)
	if err != nil {
		return nil, err
	}
	if err := s.checkAmendReduceOnly(p, request); err != nil {
		return nil, err
	}
	modifyID, err := p.integer("modifyId", 0)
	if err != nil {
		return nil, err
	}
	o, failed := s.Exchange().Amend(request)
	if failed != nil {
		return nil, amendRejected(failed, l)
	}
	body := s.changed(&o)
	if p.has("modifyId") {
		body.ModifyID = &modifyID
	}
	return body, nil
}

func (s *Sim) parseAmend(c *call, p params) (simcore.AmendRequest, *listing, *apiError) {
	request := simcore.AmendRequest{Account: c.account.ID, Deadline: c.deadline, ClearSelfTrade: true}
	name, err := p.need("symbol")
	if err != nil {
		return request, nil, err
	}
	l, ok := s.listings[name]
	if !ok {
		return request, nil, errInvalidSymbol
	}
	request.Symbol = name
	if request.Order, err = p.orderRef(); err != nil {
		return request, l, err
	}
	if _, err = p.need("side"); err != nil {
		return request, l, err
	}
	if request.Qty, err = p.needNumber("quantity"); err != nil {
		return request, l, err
	}
	if request.Price, err = s.amendPrice(p, request); err != nil {
		return request, l, err
	}
	if err = checkPrecision(p.text("quantity"), l.qtyPlaces); err != nil {
		return request, l, err
	}
	return request, l, checkPrecision(p.text("price"), l.pricePlaces)
}

func (s *Sim) amendPrice(p params, request simcore.AmendRequest) (price decimal.Decimal, err *apiError) {
	match := p.text("priceMatch")
	if match == "" || match == "NONE" {
		return p.needNumber("price")
	}
	o, failed := s.Exchange().Order(request.Account, request.Symbol, request.Order)
	if failed != nil {
		return zero, errNoSuchOrder
	}
	return s.matchPrice(request.Symbol, o.Side, match)
}

// checkAmendReduceOnly checks that the flag equals that of the order, which it
// cannot change.
func (s *Sim) checkAmendReduceOnly(p params, request simcore.AmendRequest) *apiError {
	wanted, err := p.boolean("reduceOnly")
	if err != nil || !wanted {
		return err
	}
	o, failed := s.Exchange().Order(request.Account, request.Symbol, request.Order)
	if failed == nil && !o.ReduceOnly {
		return errAmendReduceOnly
	}
	return nil
}

func amendRejected(err error, l *listing) *apiError {
	switch simcore.ReasonOf(err) {
	case simcore.ReasonUnknownOrder:
		return errNoSuchOrder
	case simcore.ReasonNotTradable:
		return errAmendStatus
	case simcore.ReasonNotionalBelowMin:
		var rejection *simcore.Rejection
		errors.As(err, &rejection)
		return bad(-5029, "Order's notional must be no smaller than %s (unless you choose reduce only).", rejection.Limit)
	default:
		return errorOf(err, l.pricePlaces)
	}
}

func (s *Sim) cancelOrder(c *call) (any, *apiError) {
	l, err := s.listing(c)
	if err != nil {
		return nil, err
	}
	ref, err := c.params.orderRef()
	if err != nil {
		return nil, err
	}
	return s.cancel(c, l, ref)
}

func (s *Sim) cancel(c *call, l *listing, ref simcore.OrderRef) (any, *apiError) {
	if c.expired(s) {
		return nil, errEngineWindow
	}
	o, failed := s.Exchange().Cancel(c.account.ID, l.Symbol, ref)
	if failed != nil {
		return nil, errorOf(failed, l.pricePlaces)
	}
	return s.changed(&o), nil
}

// expired reports whether the request reached the engine after its deadline.
func (c *call) expired(s *Sim) bool {
	return !c.deadline.IsZero() && s.Clock.Now().After(c.deadline)
}

var allCancelled = doneBody{Code: http.StatusOK, Msg: "The operation of cancel all open order is done."}

func (s *Sim) cancelAllOrders(c *call) (any, *apiError) {
	l, err := s.listing(c)
	if err != nil {
		return nil, err
	}
	if c.expired(s) {
		return nil, errEngineWindow
	}
	if _, failed := s.Exchange().CancelAll(c.account.ID, l.Symbol); failed != nil {
		return nil, errorOf(failed, l.pricePlaces)
	}
	return allCancelled, nil
}
