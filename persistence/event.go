package persistence

import (
	"encoding/json"
	"slices"
	"time"

	"venuegate/venues"
)

// EventType is the type of an outbound event.
type EventType string

// Types of event. All but EventNotification are part of the interface.
const (
	EventOrderFilled          EventType = "order.filled"
	EventOrderPartiallyFilled EventType = "order.partially_filled"
	EventPositionClosed       EventType = "position.closed"
	EventStopTriggered        EventType = "stop.triggered"
	EventAlertFired           EventType = "alert.fired"
	EventRiskLimitReached     EventType = "risk.limit_reached"
	// EventNotification carries the comment of a "notify" signal.
	EventNotification EventType = "notification"
)

// eventTypes lists every type of event with the kinds of endpoint that receive
// it. A type that webhooks receive is public: GET /v1/events returns it, and the
// OpenAPI document describes its payload.
var eventTypes = []struct {
	eventType EventType
	receivers []EndpointKind
}{
	{EventOrderFilled, messageReceivers},
	{EventOrderPartiallyFilled, messageReceivers},
	{EventPositionClosed, append(messageReceivers, EndpointSheet, EndpointFile)},
	{EventStopTriggered, messageReceivers},
	{EventAlertFired, messageReceivers},
	{EventRiskLimitReached, messageReceivers},
	{EventNotification, []EndpointKind{EndpointTelegram}},
}

// messageReceivers are the kinds of endpoint that receive each event as a
// message. Spreadsheets and files receive closed positions alone.
var messageReceivers = []EndpointKind{EndpointWebhook, EndpointTelegram}

// IsPublic reports whether the type is part of the interface.
func (t EventType) IsPublic() bool { return EndpointWebhook.Receives(t) }

// Receives reports whether endpoints of the kind receive events of type t.
func (k EndpointKind) Receives(t EventType) bool {
	for _, row := range eventTypes {
		if row.eventType == t {
			return slices.Contains(row.receivers, k)
		}
	}
	return false
}

// EventTypes returns the types of event that endpoints of the kind receive. Those
// of EndpointWebhook are the public ones.
func (k EndpointKind) EventTypes() []EventType {
	var types []EventType
	for _, row := range eventTypes {
		if slices.Contains(row.receivers, k) {
			types = append(types, row.eventType)
		}
	}
	return types
}

// Event is one row of the outbox. It is durable in the same commit as the change
// that caused it. ID is never used again.
type Event struct {
	ID        string          `json:"id"`
	Seq       uint64          `json:"seq"`
	Type      EventType       `json:"type"`
	CreatedAt venues.Time     `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// JournalEntry is one row of a customer's journal: what happened to which
// subject, and the values that decided it. It never holds a secret.
type JournalEntry struct {
	ID      string      `json:"id"`
	Seq     uint64      `json:"seq"`
	At      venues.Time `json:"at"`
	Kind    string      `json:"kind"`
	Subject string      `json:"subject"`
	// Channel, Symbol and Result are further filters of JournalQuery; each is empty
	// where it does not apply.
	Channel string `json:"channel,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
	Result  string `json:"result,omitempty"`
	// Fields are the values, the most important first.
	Fields []JournalField `json:"fields,omitempty"`
	// PrevHash and Hash chain the rows of the installation's journal; see
	// package admin. Both are empty in the rows of customers.
	PrevHash []byte `json:"prevHash,omitempty"`
	Hash     []byte `json:"hash,omitempty"`
}

// JournalField is one named value of a journal row.
type JournalField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// JournalQuery selects journal rows, newest first. Zero fields do not filter;
// From is inclusive, To exclusive.
type JournalQuery struct {
	Customer string
	Kind     string
	Subject  string
	Channel  string
	Symbol   string
	Result   string
	From, To time.Time
	Limit    int
	After    *Position
}
