package venues

import "github.com/shopspring/decimal"

// SignalAction is what a signal asks for.
type SignalAction string

// Actions of a signal (interface, "Inbound signal").
const (
	ActionOrder     SignalAction = "order"
	ActionClose     SignalAction = "close"
	ActionCancelAll SignalAction = "cancel-all"
	ActionNotify    SignalAction = "notify"
)

// SignalProof is what the sender of a signal was verified by.
type SignalProof string

// Proofs of a sender.
const (
	ProofSignature SignalProof = "signature"
	ProofToken     SignalProof = "channel_token"
	// ProofAdministration: an administrator has fired the channel.
	ProofAdministration SignalProof = "administration"
)

// Signal is what came in by a channel, after its sender was verified and its
// body was read. It never holds a secret: the channel token is not among its
// members.
type Signal struct {
	Customer  string       `json:"customer"`
	ChannelID string       `json:"channelId"`
	Action    SignalAction `json:"action"`
	Exchange  Venue        `json:"exchange,omitempty"`
	Symbol    string       `json:"symbol,omitempty"`
	// Side is required for an order and a guard for a close: empty closes either.
	Side Side `json:"side,omitempty"`
	// Qty is in base coin; unknown closes all.
	Qty        Optional  `json:"qty"`
	Type       OrderType `json:"orderType,omitempty"`
	Price      Optional  `json:"price"`
	StopLoss   Optional  `json:"stopLoss"`
	TakeProfit Optional  `json:"takeProfit"`
	// RequestID is the sender's. Implied says that he gave none: that of a signed
	// signal is then made from what was signed, that of a chart's is empty until
	// its channel has told repeats apart by their BodyHash.
	RequestID string `json:"requestId"`
	Implied   bool   `json:"implied,omitempty"`
	Comment   string `json:"comment,omitempty"`
	// BodyHash is SHA-256 of the canonical body.
	BodyHash []byte `json:"bodyHash"`
	// Ignored names the members of the body that mean nothing here.
	Ignored []string `json:"ignored,omitempty"`
	Source  Source   `json:"source"`
	// Proof is what its sender was verified by.
	Proof SignalProof `json:"proof,omitempty"`
	// SentAt is what a chart's signal says of its own time; zero if it says
	// nothing.
	SentAt     Time `json:"sentAt"`
	ReceivedAt Time `json:"receivedAt"`
}

// SignalAnswer is what the sender of a signal hears (interface, "Inbound signal
// response"). Status is an order's status, or that of a signal which made none.
type SignalAnswer struct {
	SignalID  string
	Duplicate bool
	RequestID string
	OrderID   string
	Status    string
	FilledQty decimal.Decimal
	AvgPrice  Optional
}
