package okxsim

import (
	"strconv"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

func (s *Sim) placeOrder(c *call) (any, *apiError) {
	return ackList{s.place(c, c.body)}, nil
}

func (s *Sim) placeBatch(c *call) (any, *apiError) {
	return batch(c, batchOrdersMax, func(raw []byte) ack { return s.place(c, raw) })
}

// Texts of the venue for accepted orders.
const (
	placedText         = "Order placed"
	placedOnSocketText = "Order successfully placed."
)

// place places one order.
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
	s.recordRejection(c, &arg, failed)
	answer := rejectionAck(failed, c.now)
	answer.ClOrdID, answer.Tag = arg.ClOrdID, arg.Tag
	return answer
}

func (s *Sim) placeParsed(c *call, arg *orderArg) (simcore.Order, *apiError) {
	request, failed := arg.parse(s, c)
	if failed != nil {
		return simcore.Order{}, failed
	}
	l := s.listings[request.Symbol]
	worthTooMuch := l.baseQty(request.Qty).Mul(request.Price).GreaterThan(limitValueMax)
	request.DryRun = worthTooMuch
	o, err := s.Exchange().Place(request)
	switch {
	case err != nil:
		return o, s.placeError(err, l, request.Type)
	case worthTooMuch:
		return o, rejectWith("51185", "The maximum value allowed per order is %s USD", limitValueMax)
	}
	return o, nil
}

// recordRejection records a rejected order in the ledger.
func (s *Sim) recordRejection(c *call, arg *orderArg, failed *apiError) {
	base, symbol := arg.Sz, arg.InstID
	if l, missing := s.instrumentOf(c, arg.InstID, arg.InstIDCode); missing == nil {
		symbol = l.Symbol
		if qty, err := venues.ParseDecimal(arg.Sz); err == nil {
			base = l.baseQty(qty).String()
		}
	}
	s.Exchange().Ledger().Reject(simcore.LedgerOrder{
		ClientOrderID: arg.ClOrdID, Account: c.account.ID, Symbol: symbol, Side: arg.Side, Type: arg.OrdType,
		Qty: arg.Sz, BaseQty: base, FilledQty: "0", Price: arg.Px, Rejection: failed.Error(),
	}, c.now)
}

// refArg identifies an order. The venue's own id overrides the client's.
type refArg struct {
	InstID     string `json:"instId"`
	InstIDCode *int64 `json:"instIdCode"`
	OrdID      string `json:"ordId"`
	ClOrdID    string `json:"clOrdId"`
}

// order returns an order of the account. The order of a triggered stop has the stop's
// client id on the exchange and is not found by it here.
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
	answer := rejectionAck(failed, c.now)
	answer.ClOrdID, answer.OrdID = arg.ClOrdID, arg.OrdID
	return answer
}

// cancelFound cancels an order after the engine delay. One that is filled meanwhile
// stays filled.
func (s *Sim) cancelFound(account string, l *listing, o *simcore.Order) (failed *apiError) {
	detail := detailOf(o)
	switch {
	case !o.Status.Open():
		return errNotCancelable
	case !detail.beginCancel():
		return errCancelling
	}
	s.After(s.options.EngineDelay, func() {
		defer detail.endCancel()
		if _, err := s.Exchange().Cancel(account, l.Symbol, simcore.OrderRef{ID: o.ID}); err != nil {
			failed = errNotCancelable
		}
	})
	return failed
}
