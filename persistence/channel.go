package persistence

import (
	"time"

	"venuegate/venues"
)

// ChannelKind says how a channel's signals prove where they come from.
type ChannelKind string

// Kinds of inbound channel.
const (
	// ChannelWebhook: every request is signed.
	ChannelWebhook ChannelKind = "webhook"
	// ChannelChart: a charting platform that cannot sign; its address is long
	// and its body carries a token.
	ChannelChart ChannelKind = "chart"
)

// OppositePolicy is what a channel does with a signal against an open position.
type OppositePolicy string

// Policies on an opposite signal.
const (
	// OppositeIgnore takes note of the signal and trades nothing.
	OppositeIgnore OppositePolicy = "ignore"
	// OppositeClose closes the position and opens nothing.
	OppositeClose OppositePolicy = "close"
	// OppositeReverse closes the position, then opens the other side.
	OppositeReverse OppositePolicy = "reverse"
	// OppositeReject refuses the signal.
	OppositeReject OppositePolicy = "reject"
)

// Channel is one inbound channel of a customer. Its ID is the public part of its
// address.
type Channel struct {
	ID       string      `json:"id"`
	Customer string      `json:"customer"`
	Kind     ChannelKind `json:"kind"`
	Name     string      `json:"name"`
	// Sealed is the signing secret of a webhook channel, encrypted and bound to
	// customer and channel; Previous is the one before it, good until
	// PreviousUntil.
	Sealed        []byte      `json:"sealed,omitempty"`
	Previous      []byte      `json:"previous,omitempty"`
	PreviousUntil venues.Time `json:"previousUntil"`
	// AddressHash and TokenHash are SHA-256 of the secret part of a chart
	// channel's address and of its channelToken: 256 random bits each.
	AddressHash []byte `json:"addressHash,omitempty"`
	TokenHash   []byte `json:"tokenHash,omitempty"`
	// Allow lists address prefixes (CIDR) that may send; empty allows all.
	Allow    []string     `json:"allow,omitempty"`
	TestMode bool         `json:"testMode,omitempty"`
	Rules    ChannelRules `json:"rules"`
	// AllowRepeats of a chart channel lets equal bodies within
	// ChartRepeatWindow be signals of their own.
	AllowRepeats bool        `json:"allowRepeats,omitempty"`
	Paused       bool        `json:"paused,omitempty"`
	CreatedAt    venues.Time `json:"createdAt"`
	RemovedAt    venues.Time `json:"removedAt"`
}

// ChartRepeatWindow is how long an equal body on a chart channel is a repeat.
const ChartRepeatWindow = 30 * time.Second

// ChannelRules win over what a signal asks for. Zero fields do not limit.
type ChannelRules struct {
	// Symbols are the canonical names of the instruments that may be traded.
	Symbols []string `json:"symbols,omitempty"`
	// MaxQty bounds the position, in base coin, that the channel's signals may
	// lead to in one instrument, orders in flight included.
	MaxQty venues.Optional `json:"maxQty"`
	// StopRequired refuses opening signals without a stop loss.
	StopRequired bool           `json:"stopRequired,omitempty"`
	Opposite     OppositePolicy `json:"opposite,omitempty"`
	// MaxAgeSec is how late after receipt a signal may still be executed; zero
	// is SignalAgeMarket or SignalAgeLimit.
	MaxAgeSec int `json:"maxAgeSec,omitempty"`
}

// Ages from receipt at which signals expire, unless the channel says otherwise.
const (
	SignalAgeMarket = 60 * time.Second
	SignalAgeLimit  = 10 * time.Minute
)

// SignalStatus is how far a signal has come.
type SignalStatus string

// Statuses of a signal. The last five are final.
const (
	// SignalAccepted: durable here; nothing was done yet.
	SignalAccepted SignalStatus = "accepted"
	// SignalRunning: its plan is under way.
	SignalRunning  SignalStatus = "running"
	SignalDone     SignalStatus = "done"
	SignalRejected SignalStatus = "rejected"
	SignalExpired  SignalStatus = "expired"
	// SignalIgnored: a rule says that nothing is to be done.
	SignalIgnored SignalStatus = "ignored"
	// SignalTested: the channel is in test mode; no order was made.
	SignalTested SignalStatus = "test"
)

// IsFinal says whether nothing more becomes of the signal.
func (s SignalStatus) IsFinal() bool { return s != SignalAccepted && s != SignalRunning }

// SignalRecord is one row of a channel's inbox: durable before the signal is
// acknowledged, apart from the orders that come of it.
type SignalRecord struct {
	venues.Signal
	ID     string       `json:"id"`
	Status SignalStatus `json:"status"`
	// Attempt is that of the idempotency record by which the signal was taken.
	Attempt int `json:"attempt,omitempty"`
	// Test says that the channel was in test mode when the signal came: it makes
	// no order, whatever the channel's mode is by now.
	Test bool `json:"test,omitempty"`
	// ExpiresAt is when the signal is too old to be executed.
	ExpiresAt venues.Time `json:"expiresAt"`
	// Step is the step of the plan that is under way or was the last.
	Step string `json:"step,omitempty"`
	// OrderIDs are the orders made so far, in order.
	OrderIDs []string           `json:"orderIds,omitempty"`
	Error    *venues.OrderFault `json:"error,omitempty"`
	// UpdatedAt is the moment of the last change.
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

// Key of a channel.
func (c Channel) Key() Key { return Key{Kind: KindChannel, Customer: c.Customer, ID: c.ID} }

// Key of a signal.
func (s SignalRecord) Key() Key { return Key{Kind: KindSignal, Customer: s.Customer, ID: s.ID} }
