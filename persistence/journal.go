package persistence

import (
	"time"

	"venuegate/venues"
)

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

// Names of the fields with the origin of the request behind a row.
const (
	FieldRequestID   = "x_request_id"
	FieldTraceparent = "traceparent"
)

// AppendOrigin appends the fields of an origin, as far as it is known.
func AppendOrigin(fields []JournalField, o venues.Origin) []JournalField {
	if o.RequestID != "" {
		fields = append(fields, JournalField{Name: FieldRequestID, Value: o.RequestID})
	}
	if o.Traceparent != "" {
		fields = append(fields, JournalField{Name: FieldTraceparent, Value: o.Traceparent})
	}
	return fields
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
	After    *PagePosition
}
