package venues

import "github.com/shopspring/decimal"

// SignalAction is what a signal requests.
type SignalAction string

// Actions of a signal (interface, "Inbound signal").
const (
	ActionOrder     SignalAction = "order"
	ActionClose     SignalAction = "close"
	ActionCancelAll SignalAction = "cancel-all"
	ActionNotify    SignalAction = "notify"
)

// SignalAuth is how the sender of a signal was authenticated.
type SignalAuth string

// Ways of authentication.
const (
	AuthSignature SignalAuth = "signature"
	AuthToken     SignalAuth = "channel_token"
	// AuthAdministrator: an administrator fired the channel.
	AuthAdministrator SignalAuth = "administration"
)

// Signal is a message received by a channel, after its sender was authenticated and its
// body parsed. It never holds a secret: the channel token is not part of it.
type Signal struct {
	Customer  string       `json:"customer"`
	ChannelID string       `json:"channelId"`
	Action    SignalAction `json:"action"`
	Exchange  Venue        `json:"exchange,omitempty"`
	Symbol    string       `json:"symbol,omitempty"`
	// Side is required for an order and a safeguard for a close: empty closes either
	// side.
	Side Side `json:"side,omitempty"`
	// Qty is in base coin. Unknown closes the whole position.
	Qty        Optional  `json:"qty"`
	Type       OrderType `json:"orderType,omitempty"`
	Price      Optional  `json:"price"`
	StopLoss   Optional  `json:"stopLoss"`
	TakeProfit Optional  `json:"takeProfit"`
	// RequestID is the sender's. Implied means that the sender gave none: for a signed
	// signal it is then derived from the signed content; for a chart's signal it is empty
	// until the channel has recognized repeats by their BodyHash.
	RequestID string `json:"requestId"`
	Implied   bool   `json:"implied,omitempty"`
	Comment   string `json:"comment,omitempty"`
	// BodyHash is the SHA-256 of the canonical body.
	BodyHash []byte `json:"bodyHash"`
	// Ignored lists the members of the body that were not understood.
	Ignored []string `json:"ignored,omitempty"`
	Source  Source   `json:"source"`
	// Auth is how the sender was authenticated.
	Auth SignalAuth `json:"proof,omitempty"`
	// SentAt is the time that a chart's signal states; zero if it states none.
	SentAt     Time `json:"sentAt"`
	ReceivedAt Time `json:"receivedAt"`
	// Origin is the request with the signal. It is not stored with the signal.
	Origin Origin `json:"-"`
	// Hops are those of the order that the signal places. They are not stored either.
	Hops *Hops `json:"-"`
}

// SignalResponse is the response to the sender of a signal (interface, "Inbound signal
// response"). Status is the status of the order, or that of a signal that placed none.
type SignalResponse struct {
	SignalID  string
	Duplicate bool
	RequestID string
	OrderID   string
	Status    string
	FilledQty decimal.Decimal
	AvgPrice  Optional
}

// SignalPreview is what a channel would do with a signal.
type SignalPreview struct {
	// Status is that of the signal at the end of the plan: done, ignored, rejected or expired.
	Status string
	// Duplicate means that the requestId was used: the signal would do nothing. TestMode means
	// that the channel sends nothing until its test mode is switched off.
	Duplicate, TestMode bool
	// Rules are the results of the channel's rules that apply.
	Rules []RuleCheck
	Plan  []PreviewStep
	// Error is the reason of a rejection.
	Error *RejectReason
}

// PreviewStep is a step of a plan. A step with a Rejection does nothing; what follows it is the
// channel's policy.
type PreviewStep struct {
	Step     string
	Exchange Venue
	Symbol   string
	// The order of the step, as far as it has one.
	Side                             Side
	Type                             OrderType
	Qty, Price, StopLoss, TakeProfit Optional
	// Rules are the results of the account's rules that apply to the order.
	Rules     []RuleCheck
	Rejection *Error
}
