package okxsim

import (
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

func (s *Sim) placeOrder(c *call) (any, *apiError) {
	return ackList{s.place(c, c.body)}, nil
}

func (s *Sim) placeBatch(c *call) (any, *apiError) {
	return batch(c, batchOrdersMax, func(raw []byte) ack { return s.place(c, raw) })
}

// What the venue says of an order that it took.
const (
	placedText         = "Order placed"
	placedOnSocketText = "Order successfully placed."
)

// place takes one order.
func (s *Sim) place(c *call, raw []byte) ack {
	var arg orderArg
	failed := decode(raw, &arg)
	if failed == nil {
		failed = s.limiter.orders(c.account.ID, 1, c.now)
	}
	if failed == nil {
		var o simcore.Order
		if o, failed = s.placeParsed(c, &arg); failed == nil {
			done := orderAck(&o, o.CreatedAt)
			done.SMsg = placedText
			if c.onSocket {
				done.SMsg = placedOnSocketText
			}
			return done
		}
	}
	s.noteRefusal(c, &arg, failed)
	answer := refusedAck(failed, c.now)
	answer.ClOrdID, answer.Tag = arg.ClOrdID, arg.Tag
	return answer
}

func (s *Sim) placeParsed(c *call, arg *orderArg) (simcore.Order, *apiError) {
	request, failed := arg.parse(s, c)
	if failed != nil {
		return simcore.Order{}, failed
	}
	o, err := s.Exchange().Place(request)
	if err != nil {
		return o, s.refusedOrder(err, s.listings[request.Symbol], request.Type)
	}
	return o, nil
}

// noteRefusal records an order that was not taken in the ledger.
func (s *Sim) noteRefusal(c *call, arg *orderArg, failed *apiError) {
	base, symbol := arg.Sz, arg.InstID
	if l, missing := s.instrumentOf(c, arg.InstID, arg.InstIDCode); missing == nil {
		symbol = l.Symbol
		if qty, err := venues.ParseDecimal(arg.Sz); err == nil {
			base = l.baseQty(qty).String()
		}
	}
	s.Exchange().Ledger().Refuse(simcore.LedgerOrder{
		ClientOrderID: arg.ClOrdID, Account: c.account.ID, Symbol: symbol, Side: arg.Side, Type: arg.OrdType,
		Qty: arg.Sz, BaseQty: base, FilledQty: "0", Price: arg.Px, Refusal: failed.Error(),
	}, c.now)
}

// refArg names an order; the venue's own id wins.
type refArg struct {
	InstID     string `json:"instId"`
	InstIDCode *int64 `json:"instIdCode"`
	OrdID      string `json:"ordId"`
	ClOrdID    string `json:"clOrdId"`
}

// order finds an order of the account. The order of a triggered stop carries
// the stop's client id in the exchange and is not found by it here.
func (s *Sim) order(c *call, ref refArg) (*listing, *simcore.Order, *apiError) {
	account := c.account.ID
	l, failed := s.instrumentOf(c, ref.InstID, ref.InstIDCode)
	switch {
	case failed != nil:
		return nil, nil, failed
	case ref.OrdID == "" && ref.ClOrdID == "":
		return nil, nil, errEither("ordId", "clOrdId")
	}
	if ref.OrdID != "" {
		id, err := strconv.ParseInt(ref.OrdID, 10, 64)
		if err != nil {
			return nil, nil, errParameter("ordId")
		}
		o, missing := s.Exchange().Order(account, l.Symbol, simcore.OrderRef{ID: id})
		if missing != nil {
			return l, nil, errNoSuchOrder
		}
		return l, &o, nil
	}
	o, missing := s.Exchange().Order(account, l.Symbol, simcore.OrderRef{ClientID: ref.ClOrdID})
	if missing == nil && o.Parent == 0 {
		return l, &o, nil
	}
	named := s.Exchange().Orders(account, func(o *simcore.Order) bool {
		return o.Parent == 0 && o.ClientID == ref.ClOrdID && o.Symbol == l.Symbol
	})
	if len(named) == 0 {
		return l, nil, errNoSuchOrder
	}
	return l, &named[len(named)-1], nil
}

func (s *Sim) cancelOrder(c *call) (any, *apiError) { return ackList{s.cancel(c, c.body)}, nil }

func (s *Sim) cancelBatch(c *call) (any, *apiError) {
	return batch(c, batchOrdersMax, func(raw []byte) ack { return s.cancel(c, raw) })
}

func (s *Sim) cancel(c *call, raw []byte) ack {
	var arg refArg
	failed := decode(raw, &arg)
	if failed == nil {
		var l *listing
		var o *simcore.Order
		if l, o, failed = s.order(c, arg); failed == nil {
			if failed = s.cancelFound(c.account.ID, l, o); failed == nil {
				return orderAck(o, s.Clock.Now())
			}
		}
	}
	if failed == errNoSuchOrder {
		failed = errNotCancelable
	}
	answer := refusedAck(failed, c.now)
	answer.ClOrdID, answer.OrdID = arg.ClOrdID, arg.OrdID
	return answer
}

// cancelFound cancels an order, now or when the engine gets to it: an order that
// is filled meanwhile stays filled.
func (s *Sim) cancelFound(account string, l *listing, o *simcore.Order) (failed *apiError) {
	if !o.Status.Open() {
		return errNotCancelable
	}
	s.Later(s.options.EngineDelay, func() {
		if _, err := s.Exchange().Cancel(account, l.Symbol, simcore.OrderRef{ID: o.ID}); err != nil {
			failed = errNotCancelable
		}
	})
	return failed
}

type amendArg struct {
	refArg
	CxlOnFail flag   `json:"cxlOnFail"`
	ReqID     string `json:"reqId"`
	NewSz     string `json:"newSz"`
	NewPx     string `json:"newPx"`
	// AttachAlgoOrds change what is attached; "0" removes a trigger.
	AttachAlgoOrds []attachmentAmend `json:"attachAlgoOrds"`
}

func (s *Sim) amendOrder(c *call) (any, *apiError) { return ackList{s.amend(c, c.body)}, nil }

func (s *Sim) amendBatch(c *call) (any, *apiError) {
	return batch(c, batchOrdersMax, func(raw []byte) ack { return s.amend(c, raw) })
}

func (s *Sim) amend(c *call, raw []byte) ack {
	var arg amendArg
	failed := decode(raw, &arg)
	if failed == nil {
		failed = s.limiter.orders(c.account.ID, 1, c.now)
	}
	if failed == nil {
		var o simcore.Order
		if o, failed = s.amendParsed(c, &arg); failed == nil {
			done := orderAck(&o, s.Clock.Now())
			done.ReqID = &arg.ReqID
			return done
		}
	}
	answer := refusedAck(failed, c.now)
	answer.ClOrdID, answer.OrdID, answer.ReqID = arg.ClOrdID, arg.OrdID, &arg.ReqID
	return answer
}

func (s *Sim) amendParsed(c *call, arg *amendArg) (simcore.Order, *apiError) {
	price, qty, failed := arg.parse()
	if failed != nil {
		return simcore.Order{}, failed
	}
	l, o, failed := s.order(c, arg.refArg)
	switch {
	case failed == errNoSuchOrder || failed == nil && !o.Status.Open():
		return simcore.Order{}, errAmendGone
	case failed != nil:
		return simcore.Order{}, failed
	}
	if len(arg.AttachAlgoOrds) > 0 {
		if failed := amendAttached(o, arg); failed != nil {
			return simcore.Order{}, failed
		}
		if arg.NewPx == "" && arg.NewSz == "" {
			return *o, nil
		}
	}
	if o.TimeInForce == simcore.PostOnly && s.takes(o, price) {
		return simcore.Order{}, errAmendTakes
	}
	request := simcore.AmendRequest{
		Account: c.account.ID, Symbol: l.Symbol, Order: simcore.OrderRef{ID: o.ID}, Price: price, Qty: qty, Deadline: c.deadline,
	}
	if s.options.EngineDelay > 0 {
		s.Later(s.options.EngineDelay, func() { s.amendLate(arg, l, o, request) })
		return *o, nil
	}
	return s.amendNow(arg, l, o, request)
}

// amendNow changes an order; one that cannot be changed is cancelled where the
// client wants it so.
func (s *Sim) amendNow(arg *amendArg, l *listing, o *simcore.Order, request simcore.AmendRequest) (simcore.Order, *apiError) {
	withdraw := detailOf(o).announceAmendment(arg.ReqID, "0")
	amended, err := s.Exchange().Amend(request)
	if err == nil {
		return amended, nil
	}
	withdraw()
	if arg.CxlOnFail {
		withdraw = detailOf(o).announceAmendment(arg.ReqID, "1")
		if _, gone := s.Exchange().Cancel(request.Account, l.Symbol, request.Order); gone != nil {
			withdraw()
		}
	}
	if simcore.ReasonOf(err) == simcore.ReasonUnknownOrder {
		return amended, errAmendGone
	}
	return amended, s.refusedOrder(err, l, o.Type)
}

// amendLate does what was acknowledged and tells of its failure.
func (s *Sim) amendLate(arg *amendArg, l *listing, o *simcore.Order, request simcore.AmendRequest) {
	if _, failed := s.amendNow(arg, l, o, request); failed != nil {
		s.hub.amendFailed(request, arg.ReqID, failed)
	}
}

// takes says whether an order would take at a new price.
func (s *Sim) takes(o *simcore.Order, price decimal.Decimal) bool {
	if price.IsZero() {
		return false
	}
	book, _ := s.Exchange().Book(o.Symbol, 1)
	if o.Side == simcore.Buy {
		return len(book.Asks) > 0 && price.GreaterThanOrEqual(book.Asks[0].Price)
	}
	return len(book.Bids) > 0 && price.LessThanOrEqual(book.Bids[0].Price)
}

func (a *amendArg) parse() (price, qty decimal.Decimal, failed *apiError) {
	if a.NewPx == "" && a.NewSz == "" && len(a.AttachAlgoOrds) == 0 {
		return price, qty, errAmendNothing
	}
	if !validClientID(a.ReqID) {
		return price, qty, errParameter("reqId")
	}
	if a.NewPx != "" {
		if price, failed = positive("newPx", a.NewPx); failed != nil {
			return price, qty, failed
		}
	}
	if a.NewSz != "" {
		qty, failed = positive("newSz", a.NewSz)
	}
	return price, qty, failed
}

type closeArg struct {
	InstID  string `json:"instId"`
	MgnMode string `json:"mgnMode"`
	PosSide string `json:"posSide"`
	AutoCxl flag   `json:"autoCxl"`
	ClOrdID string `json:"clOrdId"`
	Tag     string `json:"tag"`
}

type closeBody struct {
	ClOrdID string `json:"clOrdId"`
	InstID  string `json:"instId"`
	PosSide string `json:"posSide"`
	Tag     string `json:"tag"`
}

// closePosition closes a whole position at the market; the answer has no id.
func (s *Sim) closePosition(c *call) (any, *apiError) {
	var arg closeArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	l, failed := s.listing(arg.InstID)
	if failed != nil {
		return nil, failed
	}
	side, failed := parsePosSide(c.account.Mode, arg.PosSide)
	if failed != nil {
		return nil, failed
	}
	held := s.heldQty(c.account.ID, l.Symbol, side)
	if held.IsZero() {
		return nil, errNoPosition
	}
	_, err := s.Exchange().Place(simcore.OrderRequest{
		Account: c.account.ID, Symbol: l.Symbol, ClientID: arg.ClOrdID, Side: simcore.Side(-held.Sign()), PosSide: side,
		Type: simcore.Market, Qty: held.Abs(), ReduceOnly: side == simcore.PositionBoth,
		Detail: &orderDetail{ordType: typeMarket, tag: arg.Tag},
	})
	if err != nil {
		return nil, refused(err)
	}
	return []closeBody{{ClOrdID: arg.ClOrdID, InstID: l.Symbol, PosSide: posSideWord(side), Tag: arg.Tag}}, nil
}
