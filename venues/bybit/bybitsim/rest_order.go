package bybitsim

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (s *Sim) createOrder(c *call) (any, *apiError) {
	var body createBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	return s.create(c, body)
}

func (s *Sim) create(c *call, body createBody) (ack, *apiError) {
	o, failed := s.parseOrder(c, body)
	if failed == nil {
		var id int64
		if id, failed = s.place(o); failed == nil {
			return ack{OrderID: uuidOf(id), OrderLinkID: body.OrderLinkID}, nil
		}
	}
	s.recordRejection(c, body, failed)
	return ack{}, failed
}

// place places an order, or a conditional one, and returns its id.
func (s *Sim) place(o *newOrder) (int64, *apiError) {
	request, conditional, failed := o.condition()
	if failed != nil {
		return 0, failed
	}
	if failed := s.checkStops(o); failed != nil {
		return 0, failed
	}
	if conditional {
		return s.placeConditional(request)
	}
	if o.Type == simcore.Limit {
		if o.Price, failed = s.priceInBand(o.Account, o.listing, o.Side, o.Price); failed != nil {
			return 0, failed
		}
	}
	if s.conditionalExists(o.Account, o.ClientID) {
		return 0, errDuplicate
	}
	placed, err := s.Exchange().Place(o.OrderRequest)
	if err != nil {
		return 0, s.placeError(o, err)
	}
	return placed.ID, nil
}

func (s *Sim) placeConditional(request simcore.ConditionalRequest) (int64, *apiError) {
	untriggered := s.Exchange().Conditionals(request.Account, func(c *simcore.Conditional) bool {
		return c.Open() && c.Request.Symbol == request.Symbol && detailOf(c.Request.Detail).stopOrderType == stopType
	})
	if len(untriggered) >= conditionalsMax {
		return 0, bad(110009, "The number of stop orders exceeds the maximum allowable limit")
	}
	if _, err := s.Exchange().Order(request.Account, "", simcore.OrderRef{ClientID: request.ClientID}); err == nil {
		return 0, errDuplicate
	}
	placed, err := s.Exchange().PlaceConditional(request)
	if err != nil {
		return 0, s.triggerError(request.Symbol, request.Rising, request.TriggerPrice, err)
	}
	return placed.ID, nil
}

// triggerError returns the error for a rejected conditional order.
func (s *Sim) triggerError(symbol string, rising bool, trigger decimal.Decimal, err error) *apiError {
	last := s.Exchange().LastPrice(symbol)
	switch {
	case simcore.ReasonOf(err) != simcore.ReasonWouldTrigger:
		return errorOf(err)
	case rising:
		return bad(110092, "expect Rising, but trigger_price[%s] <= current[%s]??LastPrice", trigger, last)
	default:
		return bad(110093, "expect Falling, but trigger_price[%s] >= current[%s]??LastPrice", trigger, last)
	}
}

func (s *Sim) conditionalExists(account, linkID string) bool {
	if linkID == "" {
		return false
	}
	_, err := s.Exchange().Conditional(account, simcore.OrderRef{ClientID: linkID})
	return err == nil
}

func (s *Sim) placeError(o *newOrder, err error) *apiError {
	if simcore.ReasonOf(err) == simcore.ReasonNoLiquidity {
		bound := o.detail.slippageCap.Shift(4)
		return errParam(" [%s]%s: [%s,%s] invalid", uuidOf(0), strings.ToLower(o.body.Side), bound, bound)
	}
	return errorOf(err)
}

// checkStops checks that take profit and stop loss are on the right side of the
// price.
func (s *Sim) checkStops(o *newOrder) *apiError {
	attached, _, _ := o.detail.read()
	base, name := o.detail.lastPrice, triggerByLast
	if o.Type == simcore.Limit {
		base, name = o.Price, "OrderPrice"
	}
	return checkStopSides(o.Side, attached, base, name)
}

// checkStopSides compares the stops of a position opened by side with a price.
func checkStopSides(side simcore.Side, wanted stops, base decimal.Decimal, name string) *apiError {
	sign := decimal.NewFromInt(int64(side))
	if p := wanted.takeProfit; p.IsPositive() && !p.Sub(base).Mul(sign).IsPositive() {
		return errParam("TakeProfit:%s set for %s position should be %s than base_price:%s??%s",
			p.Shift(4), sideName(side), comparison(side), base.Shift(4), name)
	}
	if p := wanted.stopLoss; p.IsPositive() && !p.Sub(base).Mul(sign).IsNegative() {
		return errParam("StopLoss:%s set for %s position should be %s than base_price:%s??%s",
			p.Shift(4), sideName(side), comparison(side.Opposite()), base.Shift(4), name)
	}
	return nil
}

func comparison(side simcore.Side) string {
	if side == simcore.Buy {
		return "higher"
	}
	return "lower"
}

// recordRejection records a rejected order in the ledger.
func (s *Sim) recordRejection(c *call, body createBody, failed *apiError) {
	row := simcore.LedgerOrder{
		ClientOrderID: body.OrderLinkID, Account: c.account.ID, Symbol: body.Symbol,
		Side: strings.ToLower(body.Side), Type: strings.ToLower(body.OrderType),
		Qty: body.Qty.String(), BaseQty: body.Qty.String(), FilledQty: "0", Price: body.Price.String(),
		Rejection: strconv.Itoa(failed.code) + " " + failed.message,
	}
	if body.TriggerPrice.set {
		row.Kind, row.Type = "conditional", "stop_"+row.Type
	}
	s.Exchange().Ledger().Reject(row, c.now)
}

// preCheck checks an order and places nothing.
func (s *Sim) preCheck(c *call) (any, *apiError) {
	var body createBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	o, failed := s.parseOrder(c, body)
	if failed != nil {
		return nil, failed
	}
	o.DryRun = true
	if _, failed := s.place(o); failed != nil {
		return nil, failed
	}
	return ack{OrderID: "", OrderLinkID: body.OrderLinkID}, nil
}

// refBody identifies an order in calls that change it.
type refBody struct {
	Category    string `json:"category"`
	Symbol      string `json:"symbol"`
	OrderID     string `json:"orderId"`
	OrderLinkID string `json:"orderLinkId"`
}

// orderRef parses the id of an order. The venue's own id overrides the client's.
func orderRef(orderID, linkID string) (simcore.OrderRef, *apiError) {
	switch {
	case orderID == "" && linkID == "":
		return simcore.OrderRef{}, errIDs
	case orderID == "":
		return simcore.OrderRef{ClientID: linkID}, nil
	}
	id, known := numberOf(orderID)
	if !known {
		return simcore.OrderRef{}, errNoOrder
	}
	return simcore.OrderRef{ID: id}, nil
}

func (b refBody) check(s *Sim) (*listing, simcore.OrderRef, *apiError) {
	if failed := category(b.Category); failed != nil {
		return nil, simcore.OrderRef{}, failed
	}
	l, failed := s.listed(b.Symbol)
	if failed != nil {
		return nil, simcore.OrderRef{}, failed
	}
	ref, failed := orderRef(b.OrderID, b.OrderLinkID)
	return l, ref, failed
}

func (s *Sim) cancelOrder(c *call) (any, *apiError) {
	var body refBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	return s.cancel(c, body)
}

func (s *Sim) cancel(c *call, body refBody) (ack, *apiError) {
	l, ref, failed := body.check(s)
	if failed != nil {
		return ack{}, failed
	}
	if o, err := s.Exchange().Order(c.account.ID, l.Symbol, ref); err == nil && o.Status.Open() {
		s.After(s.options.EngineDelay, func() { s.cancelFound(o.Account, o.ID) })
		return ack{OrderID: uuidOf(o.ID), OrderLinkID: o.ClientID}, nil
	}
	untriggered, err := s.Exchange().Conditional(c.account.ID, ref)
	switch {
	case err != nil || !untriggered.Open() || untriggered.Request.Symbol != l.Symbol:
		return ack{}, errNoOrder
	case untriggered.Status == simcore.ConditionalTriggering:
		return ack{}, errTriggering
	}
	s.After(s.options.EngineDelay, func() { s.cancelFound(c.account.ID, untriggered.ID) })
	return ack{OrderID: uuidOf(untriggered.ID), OrderLinkID: untriggered.Request.ClientID}, nil
}

// cancelFound cancels an order whose cancellation was acknowledged, in the book or
// before its trigger. One that has filled meanwhile is published once more, with the
// reason why it was not cancelled.
func (s *Sim) cancelFound(account string, id int64) {
	ref := simcore.OrderRef{ID: id}
	o, err := s.Exchange().Order(account, "", ref)
	if err != nil {
		if _, err = s.Exchange().CancelConditional(account, ref); err == nil {
			return
		}
		o, err = s.Exchange().Order(account, "", ref) // it may have triggered just now
	}
	if err == nil && o.Status.Open() {
		if _, err = s.Exchange().Cancel(account, o.Symbol, ref); err == nil {
			return
		}
		o, err = s.Exchange().Order(account, "", ref)
	}
	if err == nil && o.Status == simcore.StatusFilled {
		s.users.republish(&o, "CancelByUser", rejectNoSuchOrder)
	}
}

// cancelAllBody selects the orders to cancel.
type cancelAllBody struct {
	Category      string `json:"category"`
	Symbol        string `json:"symbol"`
	BaseCoin      string `json:"baseCoin"`
	SettleCoin    string `json:"settleCoin"`
	OrderFilter   string `json:"orderFilter"`
	StopOrderType string `json:"stopOrderType"`
}

// cancelAllMax is how many orders one call cancels.
const cancelAllMax = 500

type cancelled struct {
	List    []ack  `json:"list"`
	Success string `json:"success"`
}

// cancelAll acknowledges the orders that it found; each is cancelled later.
func (s *Sim) cancelAll(c *call) (any, *apiError) {
	var body cancelAllBody
	if failed := c.decodeLinear(&body, &body.Category); failed != nil {
		return nil, failed
	}
	if body.Symbol == "" && body.BaseCoin == "" && body.SettleCoin == "" {
		return nil, errParam("params error: symbol, baseCoin or settleCoin is required")
	}
	result, ids := cancelled{List: []ack{}, Success: "1"}, []int64{}
	for _, r := range s.openRecords(c.account.ID, body.Symbol) {
		if len(result.List) == cancelAllMax || !body.matches(s, &r) {
			continue
		}
		if id, known := numberOf(r.OrderID); known {
			ids = append(ids, id)
			result.List = append(result.List, ack{OrderID: r.OrderID, OrderLinkID: r.OrderLinkID})
		}
	}
	s.After(s.options.EngineDelay, func() {
		for _, id := range ids {
			s.cancelFound(c.account.ID, id)
		}
	})
	return result, nil
}

// matches reports whether an open order is among those to cancel.
func (b *cancelAllBody) matches(s *Sim, r *orderRecord) bool {
	l := s.listings[r.Symbol]
	switch {
	case b.Symbol == "" && b.BaseCoin != "" && l.Base != b.BaseCoin:
		return false
	case b.Symbol == "" && b.BaseCoin == "" && l.Quote != b.SettleCoin:
		return false
	case b.OrderFilter == "Order":
		return r.StopOrderType == ""
	case b.OrderFilter == "StopOrder":
		return r.OrderStatus == "Untriggered" && (b.StopOrderType == "" || r.StopOrderType == b.StopOrderType)
	default:
		return true
	}
}
