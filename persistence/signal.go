package persistence

import (
	"time"

	"venuegate/venues"
)

// Default ages, from receipt, at which signals expire.
const (
	SignalAgeMarket = 60 * time.Second
	SignalAgeLimit  = 10 * time.Minute
)

// SignalStatus is the processing state of a signal.
type SignalStatus string

// Statuses of a signal. All but SignalAccepted and SignalRunning are final.
const (
	// SignalAccepted means that the signal is durable and not yet processed.
	SignalAccepted SignalStatus = "accepted"
	// SignalRunning means that the signal is being executed.
	SignalRunning  SignalStatus = "running"
	SignalDone     SignalStatus = "done"
	SignalRejected SignalStatus = "rejected"
	SignalExpired  SignalStatus = "expired"
	// SignalIgnored means that a rule of the channel excludes the signal from execution.
	SignalIgnored SignalStatus = "ignored"
	// SignalTested means that no order was placed because the channel was in test mode.
	SignalTested SignalStatus = "test"
)

// SignalStatuses returns every status.
func SignalStatuses() []SignalStatus {
	return []SignalStatus{SignalAccepted, SignalRunning, SignalDone, SignalRejected, SignalExpired, SignalIgnored, SignalTested}
}

// IsFinal reports whether the status can no longer change.
func (s SignalStatus) IsFinal() bool { return s != SignalAccepted && s != SignalRunning }

// SignalRecord is a received signal with its processing state. It is durable before the
// signal is acknowledged, and separate from the orders that result from it.
type SignalRecord struct {
	venues.Signal
	ID     string       `json:"id"`
	Status SignalStatus `json:"status"`
	// Attempt is that of the signal's idempotency record.
	Attempt int `json:"attempt,omitempty"`
	// Test marks a signal received while the channel was in test mode. It places no
	// order, even if the mode has changed since.
	Test bool `json:"test,omitempty"`
	// ExpiresAt is the time from which the signal is too old to be executed.
	ExpiresAt venues.Time `json:"expiresAt"`
	// Step is the current or last step of the execution.
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
	After    *PagePosition
}
