package account

import (
	"encoding/json"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// Payloads of the outbound events, as specified in section "Events" of the public interface.
// All members are strings or null, in the order of the specification.
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

type closedEvent struct {
	Exchange    venues.Venue        `json:"exchange"`
	Symbol      string              `json:"symbol"`
	Side        venues.PositionSide `json:"side"`
	Qty         string              `json:"qty"`
	EntryPrice  *string             `json:"entryPrice"`
	ExitPrice   *string             `json:"exitPrice"`
	RealizedPnl *string             `json:"realizedPnl"`
	Fee         *string             `json:"fee"`
	Reason      venues.CloseReason  `json:"reason"`
	OpenedAt    venues.Time         `json:"openedAt"`
	Comment     string              `json:"comment"`
}

type limitEvent struct {
	Limit     string `json:"limit"`
	Threshold string `json:"threshold"`
	Actual    string `json:"actual"`
	Action    string `json:"action"`
	// Exchange identifies the account: each one has its own limits and lock.
	Exchange venues.Venue `json:"exchange"`
}

func closedPayload(exchange venues.Venue, symbol string, c *position.Closing) closedEvent {
	p := &c.Position
	return closedEvent{
		Exchange: exchange, Symbol: symbol, Side: c.Side, Qty: venues.FormatDecimal(venues.Sum(p.EntryQty, p.UnpricedEntry)),
		EntryPrice: average(p.EntryNotional, p.EntryQty), ExitPrice: average(p.ExitNotional, p.ExitQty),
		RealizedPnl: text(position.Pnl(c.Side, p)), Fee: text(p.Fee), Reason: p.Reason, OpenedAt: p.OpenedAt, Comment: p.Comment,
	}
}

func average(notional, qty decimal.Decimal) *string {
	if !qty.IsPositive() {
		return nil
	}
	return text(venues.Some(notional.DivRound(qty, position.AvgPriceDecimals)))
}

// emit adds an event to the step's commit, and returns its id.
func (p *stepOutput) emit(step stepContext, kind persistence.EventType, payload any) (id string) {
	data, err := json.Marshal(payload)
	if err != nil {
		panic("account: " + err.Error()) // plain structs of strings
	}
	id = step.newID("evt")
	p.out.Batch.Events = append(p.out.Batch.Events, persistence.Event{ID: id, Type: kind, CreatedAt: venues.At(step.now), Data: data})
	return id
}

// emitOrder is emit for an event about an order.
func (s *state) emitOrder(step stepContext, o *order, kind persistence.EventType, payload any) {
	id := s.emit(step, kind, payload)
	if trace := s.originOf(o).Traceparent; trace != "" {
		s.out.Now = append(s.out.Now, traceEvent{id, trace})
	}
}

// traceEvent passes the trace of an event on before the event can be delivered.
type traceEvent struct{ id, traceparent string }

func (e traceEvent) run(a *account, _ *actors.Context) {
	if a.deps.TraceEvent != nil {
		a.deps.TraceEvent(e.id, e.traceparent)
	}
}

func (s *state) emitFilled(step stepContext, o *order) {
	s.emitOrder(step, o, persistence.EventOrderFilled, o.event())
}

func (s *state) emitPartiallyFilled(step stepContext, o *order, f venues.Fill) {
	s.emitOrder(step, o, persistence.EventOrderPartiallyFilled, partialFillEvent{
		orderEvent: o.event(), FillID: f.FillID,
		LastQty: venues.FormatDecimal(f.Qty), LastPrice: venues.FormatDecimal(f.Price),
		FilledQty: venues.FormatDecimal(o.FilledQty), RemainingQty: venues.FormatDecimal(o.RemainingQty()),
	})
}

func (s *state) emitTriggered(step stepContext, o *order) {
	s.emitOrder(step, o, persistence.EventStopTriggered, stopEvent{
		OrderID: o.OrderID, Exchange: o.Exchange, Symbol: o.Symbol, Side: o.Side, Kind: o.stopKind(),
		TriggerPrice: text(o.TriggerPrice), TriggeredAt: venues.At(step.now),
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

// journalOrder adds a journal row to the order's next commit.
func (s *state) journalOrder(step stepContext, o *order, kind string, fields ...persistence.JournalField) {
	e := row(step, "order."+kind, o.OrderID, persistence.AppendOrigin(fields, s.originOf(o)))
	e.Channel, e.Symbol = s.channelOf(o), o.Symbol
	o.journalRows = append(o.journalRows, e)
	s.markDirty(o)
}

// channelOf returns the id of the channel whose signal caused an order. A leg has that of
// its entry.
func (x *orderIndex) channelOf(o *order) string {
	if entry, known := x.orders[o.EntryOrderID]; known && o.ChannelID == "" {
		return entry.ChannelID
	}
	return o.ChannelID
}

// journalStatus adds a journal row for a change of the order's status, with the new status as
// its result.
func (s *state) journalStatus(step stepContext, o *order, previous venues.OrderStatus) {
	s.journalOrder(step, o, "status",
		persistence.JournalField{Name: "from", Value: string(previous)},
		persistence.JournalField{Name: "to", Value: string(o.Status)},
		persistence.JournalField{Name: "filled_qty", Value: venues.FormatDecimal(o.FilledQty)})
	o.journalRows[len(o.journalRows)-1].Result = string(o.Status)
}

// journalPosition adds a journal row about a position to the step.
func (p *stepOutput) journalPosition(step stepContext, kind, symbol string, fields ...persistence.JournalField) {
	e := row(step, "position."+kind, symbol, fields)
	e.Symbol = symbol
	p.out.Batch.Journal = append(p.out.Batch.Journal, e)
}

// journal adds a journal row to the step.
func (p *stepOutput) journal(step stepContext, kind, subject string, fields ...persistence.JournalField) {
	p.out.Batch.Journal = append(p.out.Batch.Journal, row(step, kind, subject, fields))
}

func row(step stepContext, kind, subject string, fields []persistence.JournalField) persistence.JournalEntry {
	return persistence.JournalEntry{ID: step.newID("jrn"), At: venues.At(step.now), Kind: kind, Subject: subject, Fields: fields}
}
