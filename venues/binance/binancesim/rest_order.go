package binancesim

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (s *Sim) placeOrder(c *call) (any, *apiError) { return s.place(c, &c.params) }

// place places one order of a single call or of a batch.
func (s *Sim) place(c *call, p *params) (any, *apiError) {
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
func (s *Sim) recordRejection(c *call, p *params, failed *apiError) {
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
	request, failed := s.parseOrder(c, &c.params)
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

func (p *params) orderRef() simcore.OrderRef {
	return p.ref("orderId", "origClientOrderId", "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!")
}

// ref parses the id of an order, of which the venue's own overrides the client's.
// missing is the error text if both are empty.
func (p *params) ref(idName, clientIDName, missing string) simcore.OrderRef {
	ref := simcore.OrderRef{ID: p.integer(idName, 0), ClientID: p.text(clientIDName)}
	if ref == (simcore.OrderRef{}) {
		p.refuse(bad(-1102, "%s", missing))
	}
	return ref
}

func (s *Sim) amendOrder(c *call) (any, *apiError) { return s.amend(c, &c.params) }

func (s *Sim) amend(c *call, p *params) (any, *apiError) {
	request, l := s.parseAmend(c, p)
	s.checkAmendReduceOnly(p, request)
	modifyID := p.integer("modifyId", 0)
	if p.invalid != nil {
		return nil, p.invalid
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

func (s *Sim) parseAmend(c *call, p *params) (simcore.AmendRequest, *listing) {
	request := simcore.AmendRequest{Account: c.account.ID, Deadline: c.deadline, ClearSelfTrade: true}
	l := s.listingBy(p, "symbol")
	if l == nil {
		return request, nil
	}
	request.Symbol, request.Order = l.Symbol, p.orderRef()
	_ = p.need("side")
	request.Qty = p.needNumber("quantity")
	request.Price = s.amendPrice(p, request)
	p.checkPrecision("quantity", l.qtyPlaces)
	p.checkPrecision("price", l.pricePlaces)
	return request, l
}

func (s *Sim) amendPrice(p *params, request simcore.AmendRequest) decimal.Decimal {
	match := p.text("priceMatch")
	if match == "" || match == "NONE" {
		return p.needNumber("price")
	}
	o, failed := s.Exchange().Order(request.Account, request.Symbol, request.Order)
	if failed != nil {
		p.refuse(errNoSuchOrder)
		return zero
	}
	return s.matchPrice(p, request.Symbol, o.Side, match)
}

// checkAmendReduceOnly checks that the flag equals that of the order, which it
// cannot change.
func (s *Sim) checkAmendReduceOnly(p *params, request simcore.AmendRequest) {
	if !p.boolean("reduceOnly") {
		return
	}
	o, failed := s.Exchange().Order(request.Account, request.Symbol, request.Order)
	if failed == nil && !o.ReduceOnly {
		p.refuse(errAmendReduceOnly)
	}
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
	l, ref := s.listing(c), c.params.orderRef()
	if c.params.invalid != nil {
		return nil, c.params.invalid
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
	return s.cancelAllBy(c, func(account, symbol string) error {
		_, err := s.Exchange().CancelAll(account, symbol)
		return err
	})
}

func (s *Sim) cancelAllBy(c *call, cancelAll func(account, symbol string) error) (any, *apiError) {
	l := s.listing(c)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	if c.expired(s) {
		return nil, errEngineWindow
	}
	if failed := cancelAll(c.account.ID, l.Symbol); failed != nil {
		return nil, errorOf(failed, l.pricePlaces)
	}
	return allCancelled, nil
}
