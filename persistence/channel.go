package persistence

import (
	"time"

	"venuegate/venues"
)

// ChannelKind is the way in which a channel authenticates its signals.
type ChannelKind string

// Kinds of inbound channel.
const (
	// ChannelWebhook: every request is signed.
	ChannelWebhook ChannelKind = "webhook"
	// ChannelChart: a charting platform that cannot sign. Its address is secret, and
	// its body carries a token.
	ChannelChart ChannelKind = "chart"
)

// OppositePolicy is how a channel handles a signal opposite to the open position.
type OppositePolicy string

// Policies on an opposite signal.
const (
	// OppositeIgnore records the signal and does not trade.
	OppositeIgnore OppositePolicy = "ignore"
	// OppositeClose closes the position and opens nothing.
	OppositeClose OppositePolicy = "close"
	// OppositeReverse closes the position, then opens one on the other side.
	OppositeReverse OppositePolicy = "reverse"
	// OppositeReject rejects the signal.
	OppositeReject OppositePolicy = "reject"
)

// Channel is an inbound channel for signals of one customer. Its ID is the public
// part of its address.
type Channel struct {
	ID       string      `json:"id"`
	Customer string      `json:"customer"`
	Kind     ChannelKind `json:"kind"`
	Name     string      `json:"name"`
	// Sealed is the signing secret of a webhook channel, encrypted and bound to
	// customer and channel. Previous is the secret before the last rotation, valid
	// until PreviousUntil.
	Sealed        []byte      `json:"sealed,omitempty"`
	Previous      []byte      `json:"previous,omitempty"`
	PreviousUntil venues.Time `json:"previousUntil"`
	// AddressHash and TokenHash are the SHA-256 of the secret part of a chart
	// channel's address and of its channelToken. Both secrets have 256 random bits.
	AddressHash []byte `json:"addressHash,omitempty"`
	TokenHash   []byte `json:"tokenHash,omitempty"`
	// Allow lists the address prefixes (CIDR) that may send; empty allows all.
	Allow    []string     `json:"allow,omitempty"`
	TestMode bool         `json:"testMode,omitempty"`
	Rules    ChannelRules `json:"rules"`
	// AllowRepeats makes a chart channel accept equal bodies within
	// ChartRepeatWindow as separate signals.
	AllowRepeats bool        `json:"allowRepeats,omitempty"`
	Paused       bool        `json:"paused,omitempty"`
	CreatedAt    venues.Time `json:"createdAt"`
	RemovedAt    venues.Time `json:"removedAt"`
}

// ChartRepeatWindow is the time within which an equal body on a chart channel is a
// repeat of the first.
const ChartRepeatWindow = 30 * time.Second

// ChannelRules override the content of a signal. Zero fields do not limit.
type ChannelRules struct {
	// Symbols are the canonical names of the instruments that may be traded.
	Symbols []string `json:"symbols,omitempty"`
	// MaxQty bounds the position in one instrument that may result from the
	// channel's signals, in base coin, including orders in flight.
	MaxQty venues.Optional `json:"maxQty"`
	// StopRequired rejects opening signals without a stop loss.
	StopRequired bool           `json:"stopRequired,omitempty"`
	Opposite     OppositePolicy `json:"opposite,omitempty"`
	// MaxAgeSec is the number of seconds after receipt within which a signal may be
	// executed; zero means SignalAgeMarket or SignalAgeLimit.
	MaxAgeSec int `json:"maxAgeSec,omitempty"`
}

// Default ages, from receipt, at which signals expire.
const (
	SignalAgeMarket = 60 * time.Second
	SignalAgeLimit  = 10 * time.Minute
)

// SignalStatus is the processing state of a signal.
type SignalStatus string

// Statuses of a signal. The last five are final.
const (
	// SignalAccepted: durable, not yet processed.
	SignalAccepted SignalStatus = "accepted"
	// SignalRunning: its plan is being executed.
	SignalRunning  SignalStatus = "running"
	SignalDone     SignalStatus = "done"
	SignalRejected SignalStatus = "rejected"
	SignalExpired  SignalStatus = "expired"
	// SignalIgnored: a rule of the channel excludes it from execution.
	SignalIgnored SignalStatus = "ignored"
	// SignalTested: the channel is in test mode; no order was placed.
	SignalTested SignalStatus = "test"
)

// IsFinal reports whether the status can no longer change.
func (s SignalStatus) IsFinal() bool { return s != SignalAccepted && s != SignalRunning }

// SignalRecord is one row of a channel's inbox. It is durable before the signal is
// acknowledged, and separate from the orders that result from it.
type SignalRecord struct {
	venues.Signal
	ID     string       `json:"id"`
	Status SignalStatus `json:"status"`
	// Attempt is the attempt number of the idempotency record of the signal.
	Attempt int `json:"attempt,omitempty"`
	// Test marks a signal received while the channel was in test mode. It places no
	// order, even if the mode has changed since.
	Test bool `json:"test,omitempty"`
	// ExpiresAt is the time from which the signal is too old to be executed.
	ExpiresAt venues.Time `json:"expiresAt"`
	// Step is the current or last step of the plan.
	Step string `json:"step,omitempty"`
	// OrderIDs are the orders placed so far, oldest first.
	OrderIDs []string             `json:"orderIds,omitempty"`
	Error    *venues.RejectReason `json:"error,omitempty"`
	// UpdatedAt is the time of the last change.
	UpdatedAt venues.Time `json:"updatedAt"`
}

// SignalQuery selects signals of one customer, newest first by receipt. Zero
// fields do not filter; From is inclusive, To exclusive.
type SignalQuery struct {
	Customer string
	Channel  string
	From, To time.Time
	Limit    int
	After    *Position
}

// Key returns the key of the channel.
func (c Channel) Key() Key { return Key{Kind: KindChannel, Customer: c.Customer, ID: c.ID} }

// Key returns the key of the signal.
func (s SignalRecord) Key() Key { return Key{Kind: KindSignal, Customer: s.Customer, ID: s.ID} }
