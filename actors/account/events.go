package account

import (
	"encoding/json"

	"venuegate/persistence"
	"venuegate/venues"
)

// The payloads of the outbound events (interface, "Events"). All members are
// strings or null; members are in the order of the specification.
type orderEvent struct {
	OrderID     string       `json:"orderId"`
	Exchange    venues.Venue `json:"exchange"`
	Symbol      string       `json:"symbol"`
	Side        venues.Side  `json:"side"`
	OrderType   string       `json:"orderType"`
	Qty         string       `json:"qty"`
	AvgPrice    *string      `json:"avgPrice"`
	Fee         *string      `json:"fee"`
	FeeCurrency *string      `json:"feeCurrency"`
	Source      string       `json:"source"`
	Comment     string       `json:"comment"`
}

type partialFillEvent struct {
	orderEvent
	FillID       string `json:"fillId"`
	LastQty      string `json:"lastQty"`
	LastPrice    string `json:"lastPrice"`
	FilledQty    string `json:"filledQty"`
	RemainingQty string `json:"remainingQty"`
}

type stopEvent struct {
	OrderID      string       `json:"orderId"`
	Exchange     venues.Venue `json:"exchange"`
	Symbol       string       `json:"symbol"`
	Side         venues.Side  `json:"side"`
	Kind         string       `json:"kind"`
	TriggerPrice *string      `json:"triggerPrice"`
	TriggeredAt  venues.Time  `json:"triggeredAt"`
}

// emit adds an event to the commit of the change that caused it.
func (s *state) emit(m moment, kind persistence.EventType, payload any) {
	data, err := json.Marshal(payload)
	if err != nil {
		panic("account: " + err.Error()) // plain structs of strings
	}
	s.out.batch.Events = append(s.out.batch.Events, persistence.Event{
		ID: m.newID("evt"), Type: kind, CreatedAt: venues.At(m.now), Data: data,
	})
}

func (s *state) emitFilled(m moment, o *order) {
	s.emit(m, persistence.EventOrderFilled, o.event())
}

func (s *state) emitPartiallyFilled(m moment, o *order, f venues.Fill) {
	s.emit(m, persistence.EventOrderPartiallyFilled, partialFillEvent{
		orderEvent: o.event(), FillID: f.FillID,
		LastQty: venues.FormatDecimal(f.Qty), LastPrice: venues.FormatDecimal(f.Price),
		FilledQty: venues.FormatDecimal(o.FilledQty), RemainingQty: venues.FormatDecimal(o.RemainingQty()),
	})
}

func (s *state) emitTriggered(m moment, o *order) {
	s.emit(m, persistence.EventStopTriggered, stopEvent{
		OrderID: o.OrderID, Exchange: o.Exchange, Symbol: o.Symbol, Side: o.Side, Kind: o.stopKind(),
		TriggerPrice: text(o.TriggerPrice), TriggeredAt: venues.At(m.now),
	})
}

func (o *order) stopKind() string {
	if o.Protects != "" {
		return string(o.Protects)
	}
	return "stop"
}

func (o *order) event() orderEvent {
	e := orderEvent{
		OrderID: o.OrderID, Exchange: o.Exchange, Symbol: o.Symbol, Side: o.Side, OrderType: string(o.Type),
		Qty: venues.FormatDecimal(o.Qty), AvgPrice: text(o.AvgPrice), Fee: text(o.Fee),
		Source: string(o.Source), Comment: o.Comment,
	}
	if o.FeeCurrency != "" {
		e.FeeCurrency = &o.FeeCurrency
	}
	return e
}

func text(d venues.Optional) *string {
	if !d.Valid {
		return nil
	}
	t := venues.FormatDecimal(d.Decimal)
	return &t
}

// note adds a journal row to the order's next commit.
func (s *state) note(m moment, o *order, kind string, fields ...persistence.JournalField) {
	e := row(m, "order."+kind, o.OrderID, fields)
	e.Channel, e.Symbol = s.channelOf(o), o.Symbol
	o.notes = append(o.notes, e)
	s.touch(o)
}

// channelOf is the channel whose signal an order comes of; a leg comes of its
// entry's.
func (s *state) channelOf(o *order) string {
	if entry, known := s.orders[o.EntryOrderID]; known && o.ChannelID == "" {
		return entry.ChannelID
	}
	return o.ChannelID
}

// noteStatus is the row of an order's next status, which is its result.
func (s *state) noteStatus(m moment, o *order, previous venues.OrderStatus) {
	s.note(m, o, "status",
		persistence.JournalField{Name: "from", Value: string(previous)},
		persistence.JournalField{Name: "to", Value: string(o.Status)},
		persistence.JournalField{Name: "filled_qty", Value: venues.FormatDecimal(o.FilledQty)})
	o.notes[len(o.notes)-1].Result = string(o.Status)
}

// journalPosition is journal for what became of a position.
func (s *state) journalPosition(m moment, kind, symbol string, fields ...persistence.JournalField) {
	e := row(m, "position."+kind, symbol, fields)
	e.Symbol = symbol
	s.out.batch.Journal = append(s.out.batch.Journal, e)
}

// journal adds a row to the commit of the step.
func (s *state) journal(m moment, kind, subject string, fields ...persistence.JournalField) {
	s.out.batch.Journal = append(s.out.batch.Journal, row(m, kind, subject, fields))
}

func row(m moment, kind, subject string, fields []persistence.JournalField) persistence.JournalEntry {
	return persistence.JournalEntry{ID: m.newID("jrn"), At: venues.At(m.now), Kind: kind, Subject: subject, Fields: fields}
}
