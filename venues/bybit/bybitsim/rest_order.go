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
	o, failed := s.parseOrder(c, body)
	if failed == nil {
		var id int64
		if id, failed = s.place(o); failed == nil {
			return ack{OrderID: uuidOf(id), OrderLinkID: body.OrderLinkID}, nil
		}
	}
	s.noteRefusal(c, body, failed)
	return nil, failed
}

// place enters an order, or a conditional one, and answers its id.
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
		return 0, s.refusedOrder(o, err)
	}
	return placed.ID, nil
}

func (s *Sim) placeConditional(request simcore.ConditionalRequest) (int64, *apiError) {
	waiting := s.Exchange().Conditionals(request.Account, func(c *simcore.Conditional) bool {
		return c.Open() && c.Request.Symbol == request.Symbol && detailOf(c.Request.Detail).stopOrderType == wordStop
	})
	if len(waiting) >= conditionalsMax {
		return 0, bad(110009, "The number of stop orders exceeds the maximum allowable limit")
	}
	if _, err := s.Exchange().Order(request.Account, "", simcore.OrderRef{ClientID: request.ClientID}); err == nil {
		return 0, errDuplicate
	}
	placed, err := s.Exchange().PlaceConditional(request)
	if err != nil {
		return 0, s.refusedTrigger(request.Symbol, request.Rising, request.TriggerPrice, err)
	}
	return placed.ID, nil
}

// refusedTrigger is the answer to a conditional order that was not taken.
func (s *Sim) refusedTrigger(symbol string, rising bool, trigger decimal.Decimal, err error) *apiError {
	last := s.Exchange().LastPrice(symbol)
	switch {
	case simcore.ReasonOf(err) != simcore.ReasonWouldTrigger:
		return refused(err)
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

func (s *Sim) refusedOrder(o *newOrder, err error) *apiError {
	if simcore.ReasonOf(err) == simcore.ReasonNoLiquidity {
		bound := o.detail.slippageCap.Shift(4)
		return errParam(" [%s]%s: [%s,%s] invalid", uuidOf(0), strings.ToLower(o.body.Side), bound, bound)
	}
	return refused(err)
}

// checkStops holds take profit and stop loss on the right side of the price.
func (s *Sim) checkStops(o *newOrder) *apiError {
	attached, _, _ := o.detail.read()
	base, name := o.detail.lastPrice, wordLastPrice
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
			p.Shift(4), sideWord(side), comparison(side), base.Shift(4), name)
	}
	if p := wanted.stopLoss; p.IsPositive() && !p.Sub(base).Mul(sign).IsNegative() {
		return errParam("StopLoss:%s set for %s position should be %s than base_price:%s??%s",
			p.Shift(4), sideWord(side), comparison(side.Opposite()), base.Shift(4), name)
	}
	return nil
}

func comparison(side simcore.Side) string {
	if side == simcore.Buy {
		return "higher"
	}
	return "lower"
}

// noteRefusal records an order that was not taken in the ledger.
func (s *Sim) noteRefusal(c *call, body createBody, failed *apiError) {
	row := simcore.LedgerOrder{
		ClientOrderID: body.OrderLinkID, Account: c.account.ID, Symbol: body.Symbol,
		Side: strings.ToLower(body.Side), Type: strings.ToLower(body.OrderType),
		Qty: body.Qty.String(), BaseQty: body.Qty.String(), FilledQty: "0", Price: body.Price.String(),
		Refusal: strconv.Itoa(failed.code) + " " + failed.message,
	}
	if body.TriggerPrice.set {
		row.Kind, row.Type = "conditional", "stop_"+row.Type
	}
	s.Exchange().Ledger().Refuse(row, c.now)
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

// refBody names an order in calls that change it.
type refBody struct {
	Category    string `json:"category"`
	Symbol      string `json:"symbol"`
	OrderID     string `json:"orderId"`
	OrderLinkID string `json:"orderLinkId"`
}

// ref reads the id of an order; the venue's own wins.
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
	l, ref, failed := body.check(s)
	if failed != nil {
		return nil, failed
	}
	if o, err := s.Exchange().Order(c.account.ID, l.Symbol, ref); err == nil && o.Status.Open() {
		s.Later(s.options.EngineDelay, func() { s.cancelFound(o.Account, o.ID) })
		return ack{OrderID: uuidOf(o.ID), OrderLinkID: o.ClientID}, nil
	}
	waiting, err := s.Exchange().Conditional(c.account.ID, ref)
	switch {
	case err != nil || !waiting.Open() || waiting.Request.Symbol != l.Symbol:
		return nil, errNoOrder
	case waiting.Status == simcore.ConditionalTriggering:
		return nil, errTriggering
	}
	s.Later(s.options.EngineDelay, func() { s.cancelFound(c.account.ID, waiting.ID) })
	return ack{OrderID: uuidOf(waiting.ID), OrderLinkID: waiting.Request.ClientID}, nil
}

// cancelFound cancels an order whose cancellation was acknowledged, in the book or
// before its trigger. One that filled meanwhile is told once more, with why it was
// not cancelled.
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
		s.users.tellAgain(&o, "CancelByUser", wordNoSuchOrder)
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

// cancelAll acknowledges which orders it found; each is cancelled later.
func (s *Sim) cancelAll(c *call) (any, *apiError) {
	var body cancelAllBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	if failed := category(body.Category); failed != nil {
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
	s.Later(s.options.EngineDelay, func() {
		for _, id := range ids {
			s.cancelFound(c.account.ID, id)
		}
	})
	return result, nil
}

// matches says whether an open order is among those to cancel.
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
