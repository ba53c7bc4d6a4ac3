package api

import (
	"venuegate/venues"
)

// memberChannelToken must never be repeated to anyone.
const memberChannelToken = "channelToken"

// SignalMembers are the members of an inbound signal. channelToken and time
// belong to chart channels.
func SignalMembers() []string {
	return []string{
		"action", "exchange", "symbol", "side", "qty", "orderType", "price", "stopLoss", "takeProfit",
		"requestId", "comment", memberChannelToken, "time",
	}
}

// channelTokenCharsMax is far above any token that the service makes.
const channelTokenCharsMax = 128

// DecodeSignal reads the body of a signal. Those of chart channels may hold bare
// numbers, which their templates print. The token is what the body says, whatever
// else is wrong with it; a body of a signed channel need not have one.
func DecodeSignal(data []byte, chart bool) (venues.Signal, venues.Secret, error) {
	var s venues.Signal
	var token string
	b := OpenBody(data, SignalMembers()...)
	if chart {
		b.AcceptBareNumbers()
	}
	for b.Next() {
		switch b.Name() {
		case "action":
			s.Action = OneOf(b, venues.ActionOrder, venues.ActionClose, venues.ActionCancelAll, venues.ActionNotify)
		case "exchange":
			s.Exchange = b.Exchange()
		case "symbol":
			s.Symbol = b.Symbol()
		case "side":
			s.Side = OneOf(b, venues.Buy, venues.Sell)
		case "qty":
			s.Qty = b.Decimal()
		case "orderType":
			s.Type = OneOf(b, venues.TypeMarket, venues.TypeLimit)
		case "price":
			s.Price = b.Decimal()
		case "stopLoss":
			s.StopLoss = b.Decimal()
		case "takeProfit":
			s.TakeProfit = b.Decimal()
		case "requestId":
			s.RequestID = b.RequestID()
		case "comment":
			s.Comment = b.Text(CommentCharsMax)
		case memberChannelToken:
			token = b.Text(channelTokenCharsMax)
		case "time":
			s.SentAt = venues.At(b.Time())
		}
	}
	checkSignal(b, &s)
	s.Ignored = b.Ignored()
	if err := b.Err(); err != nil {
		return venues.Signal{}, venues.Secret(token), err
	}
	var err error
	s.BodyHash, err = BodyHash(data)
	return s, venues.Secret(token), err
}

// checkSignal holds the members against the action.
func checkSignal(b *Body, s *venues.Signal) {
	b.Require("action")
	switch s.Action {
	case venues.ActionOrder:
		b.Require("exchange", "symbol", "side", "qty")
		checkSignalOrder(b, s)
	case venues.ActionClose:
		b.Require("exchange", "symbol")
	case venues.ActionCancelAll:
	case venues.ActionNotify:
		b.Require("comment")
	}
	b.positive("qty", s.Qty)
}

func checkSignalOrder(b *Body, s *venues.Signal) {
	if s.Type == "" && !b.Has("orderType") {
		s.Type = venues.TypeMarket
	}
	if b.fatal != nil {
		return
	}
	spec := venues.OrderSpec{
		Side: s.Side, Type: s.Type, Price: s.Price, StopLoss: s.StopLoss, TakeProfit: s.TakeProfit,
	}
	CheckOrder(&b.Faults, &spec)
}

// AppendSignalAnswer writes the answer to a signal that was accepted, now or
// before.
func AppendSignalAnswer(dst []byte, a *venues.SignalAnswer) []byte {
	dst = append(dst, '{')
	dst = boolean(dst, "accepted", true)
	dst = boolean(dst, "duplicate", a.Duplicate)
	dst = text(dst, "requestId", a.RequestID)
	dst = nullableText(dst, "orderId", a.OrderID)
	dst = text(dst, "status", a.Status)
	dst = number(dst, "filledQty", a.FilledQty)
	dst = nullableNumber(dst, "avgPrice", a.AvgPrice)
	return closeObject(dst)
}
