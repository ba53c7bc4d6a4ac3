package persistence

import (
	"time"

	"venuegate/venues"
)

// ChannelKind is the way in which a channel authenticates its signals.
type ChannelKind string

// Kinds of inbound channel.
const (
	// ChannelWebhook is the kind whose requests are all signed.
	ChannelWebhook ChannelKind = "webhook"
	// ChannelChart is the kind for charting platforms, which cannot sign. The address
	// of the channel is secret, and each body contains a token.
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

// ReadsTime reports whether the time that a sender states counts: for a chart with a maximum
// age. The clocks of senders are not reliable.
func (c *Channel) ReadsTime() bool { return c.Kind == ChannelChart && c.Rules.MaxAgeSec > 0 }

// ChartRepeatWindow is the time within which an equal body on a chart channel is a
// repeat of the first.
const ChartRepeatWindow = 30 * time.Second

// ChannelRules restrict the signals of a channel. They take precedence over the content
// of a signal. Zero fields do not restrict.
type ChannelRules struct {
	// Symbols are the canonical names of the instruments that may be traded.
	Symbols []string `json:"symbols,omitempty"`
	// MaxQty bounds the position in one instrument that may result from the
	// channel's signals, in base coin, including orders in flight.
	MaxQty venues.Optional `json:"maxQty"`
	// StopRequired rejects opening signals without a stop loss.
	StopRequired bool           `json:"stopRequired,omitempty"`
	Opposite     OppositePolicy `json:"opposite,omitempty"`
	// MaxAgeSec is the number of seconds after receipt, and after the time that a chart
	// states, within which a signal may be executed; zero means SignalAgeMarket or
	// SignalAgeLimit after receipt.
	MaxAgeSec int `json:"maxAgeSec,omitempty"`
}
