package persistence

import (
	"encoding/json"
	"time"

	"venuegate/venues"
)

// EventType of an outbound event.
type EventType string

// Event types of the interface.
const (
	EventOrderFilled          EventType = "order.filled"
	EventOrderPartiallyFilled EventType = "order.partially_filled"
	EventPositionClosed       EventType = "position.closed"
	EventStopTriggered        EventType = "stop.triggered"
	EventAlertFired           EventType = "alert.fired"
	EventRiskLimitReached     EventType = "risk.limit_reached"
)

// EventNotification carries the comment of a "notify" signal to the customer's
// messaging channels. It is none of the public types: endpoints do not get it
// and GET /v1/events does not show it.
const EventNotification EventType = "notification"

// Event is one row of the outbox: durable in the same commit as the change that
// caused it. ID is unique for ever.
type Event struct {
	ID        string          `json:"id"`
	Seq       uint64          `json:"seq"`
	Type      EventType       `json:"type"`
	CreatedAt venues.Time     `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// JournalEntry is one line of a customer's journal: what happened, to whom, and
// the values that decided. It never holds a secret.
type JournalEntry struct {
	ID      string      `json:"id"`
	Seq     uint64      `json:"seq"`
	At      venues.Time `json:"at"`
	Kind    string      `json:"kind"`
	Subject string      `json:"subject"`
	// Channel, Symbol and Result are what rows are filtered by besides; each is
	// empty where it does not apply.
	Channel string `json:"channel,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
	Result  string `json:"result,omitempty"`
	// Fields are the values, in the order in which they are worth reading.
	Fields []JournalField `json:"fields,omitempty"`
	// PrevHash and Hash chain the rows of the installation's journal; see
	// package admin. Customers' rows carry none.
	PrevHash []byte `json:"prevHash,omitempty"`
	Hash     []byte `json:"hash,omitempty"`
}

// JournalField is one named value.
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
