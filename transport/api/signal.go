package api

import "venuegate/venues"

// signalTokenField names the field with the secret token of the channel, whose value is
// never returned or logged.
const signalTokenField = "channelToken"

// signalTokenCharsMax is far above the length of any token that the service
// makes.
const signalTokenCharsMax = 128

// inboundSignal is a signal with the token that came in its body.
type inboundSignal struct {
	venues.Signal
	token string
}

// SignalForm is the form of the signals of a channel.
type SignalForm struct {
	// BareNumbers accepts JSON numbers for decimals, as chart templates print them.
	BareNumbers bool
	// Timed reads the field time, which is otherwise ignored whatever it holds.
	Timed bool
}

// signalFields is the body of an inbound signal. channelToken and time belong to
// chart channels.
var signalFields = fieldsOf([]field[inboundSignal]{
	{"action", required, func(b *body, s *inboundSignal) {
		s.Action = oneOf(b, venues.ActionOrder, venues.ActionClose, venues.ActionCancelAll, venues.ActionNotify)
	}},
	{"exchange", optional, func(b *body, s *inboundSignal) { s.Exchange = b.exchange() }},
	{"symbol", optional, func(b *body, s *inboundSignal) { s.Symbol = b.symbol() }},
	{"side", optional, func(b *body, s *inboundSignal) { s.Side = oneOf(b, venues.Buy, venues.Sell) }},
	{"qty", optional, func(b *body, s *inboundSignal) { s.Qty = b.decimal() }},
	{"orderType", optional, func(b *body, s *inboundSignal) { s.Type = oneOf(b, venues.TypeMarket, venues.TypeLimit) }},
	{"price", optional, func(b *body, s *inboundSignal) { s.Price = b.decimal() }},
	{"stopLoss", optional, func(b *body, s *inboundSignal) { s.StopLoss = b.decimal() }},
	{"takeProfit", optional, func(b *body, s *inboundSignal) { s.TakeProfit = b.decimal() }},
	{"requestId", optional, func(b *body, s *inboundSignal) { s.RequestID = b.requestID() }},
	{"comment", optional, func(b *body, s *inboundSignal) { s.Comment = b.text(CommentCharsMax) }},
	{signalTokenField, optional, func(b *body, s *inboundSignal) { s.token = b.text(signalTokenCharsMax) }},
	{"time", optional, func(b *body, s *inboundSignal) { s.SentAt = venues.At(b.sentAt()) }},
})

// DecodeSignal decodes the body of a signal. The token is returned even with an error, because it
// authenticates the sender; the body of a signed channel needs none.
func DecodeSignal(data []byte, form SignalForm) (venues.Signal, venues.Secret, error) {
	var s inboundSignal
	b := signalFields.open(data)
	b.bareNumbers, b.timed = form.BareNumbers, form.Timed
	signalFields.decode(b, &s)
	checkSignal(b, &s.Signal)
	s.Ignored = b.ignored
	token := venues.Secret(s.token)
	if err := b.err(); err != nil {
		return venues.Signal{}, token, err
	}
	var err error
	s.BodyHash, err = b.hash()
	return s.Signal, token, err
}

// checkSignal checks the fields against the action.
func checkSignal(b *body, s *venues.Signal) {
	switch s.Action {
	case venues.ActionOrder:
		b.require("exchange", "symbol", "side", "qty")
		checkSignalOrder(b, s)
	case venues.ActionClose:
		b.require("exchange", "symbol")
	case venues.ActionCancelAll:
	case venues.ActionNotify:
		b.require("comment")
	}
	b.requirePositive("qty", s.Qty)
}

func checkSignalOrder(b *body, s *venues.Signal) {
	if s.Type == "" && !b.is("orderType", present) {
		s.Type = venues.TypeMarket
	}
	if b.fatal != nil {
		return
	}
	spec := venues.OrderSpec{
		Side: s.Side, Type: s.Type, Price: s.Price, StopLoss: s.StopLoss, TakeProfit: s.TakeProfit,
	}
	checkOrder(&b.ValidationErrors, &spec)
}

// AppendSignalAnswer appends the response to a signal that was accepted by this
// request or by an earlier one.
func AppendSignalAnswer(dst []byte, a *venues.SignalResponse) []byte {
	dst = append(dst, '{')
	dst = boolField(dst, "accepted", true)
	dst = boolField(dst, "duplicate", a.Duplicate)
	dst = textField(dst, "requestId", a.RequestID)
	dst = textOrNullField(dst, "orderId", a.OrderID)
	dst = textField(dst, "status", a.Status)
	dst = numberField(dst, "filledQty", a.FilledQty)
	dst = numberOrNullField(dst, "avgPrice", a.AvgPrice)
	return closeObject(dst)
}
