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
	o.notes = append(o.notes, row(m, "order."+kind, o.OrderID, fields))
	s.touch(o)
}

// journal adds a row to the commit of the step.
func (s *state) journal(m moment, kind, subject string, fields ...persistence.JournalField) {
	s.out.batch.Journal = append(s.out.batch.Journal, row(m, kind, subject, fields))
}

func row(m moment, kind, subject string, fields []persistence.JournalField) persistence.JournalEntry {
	return persistence.JournalEntry{ID: m.newID("jrn"), At: venues.At(m.now), Kind: kind, Subject: subject, Fields: fields}
}
