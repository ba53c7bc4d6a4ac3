package persistence

import (
	"time"

	"venuegate/venues"
)

// VenueAccount is a customer's account at a venue.
type VenueAccount struct {
	Customer string       `json:"customer"`
	Exchange venues.Venue `json:"exchange"`
	// Environment is the preset of hosts: live, testnet or sim.
	Environment string `json:"environment"`
	// Sealed holds the credentials, encrypted and bound to customer and
	// exchange; see package vault.
	Sealed    []byte      `json:"sealed"`
	CreatedAt venues.Time `json:"createdAt"`
	// RemovedAt marks a removed connection. Its credentials are deleted, its orders
	// stay readable.
	RemovedAt venues.Time `json:"removedAt"`
	// Halted rejects orders that increase exposure until an administrator resumes
	// trading.
	Halted bool `json:"halted,omitempty"`
	// Flatten makes the halt close the open positions too.
	Flatten bool `json:"flatten,omitempty"`
	// HaltedAt is the time of the halt and identifies it: the account executes each
	// halt once; see RiskRecord.HaltDone.
	HaltedAt venues.Time `json:"haltedAt,omitzero"`
	// Hold makes the halt leave the open orders as they are. A restore sets it.
	Hold   bool       `json:"hold,omitempty"`
	Limits RiskLimits `json:"limits"`
}

// Halt marks the account as halted at time now.
func (a *VenueAccount) Halt(now time.Time, flatten bool) {
	a.Halted, a.Flatten, a.HaltedAt, a.Hold = true, flatten, venues.At(now), false
}

// HaltRestored marks an account of a restored store as halted at time now. Its open orders
// stay: they may protect a position.
func (a *VenueAccount) HaltRestored(now time.Time) {
	a.Halt(now, false)
	a.Hold = true
}

// KeepControl copies the limits and the halt of an account that is connected again.
func (a *VenueAccount) KeepControl(was *VenueAccount) {
	a.Limits, a.Halted, a.Flatten, a.HaltedAt, a.Hold = was.Limits, was.Halted, was.Flatten, was.HaltedAt, was.Hold
}

// Resume ends a halt.
func (a *VenueAccount) Resume() {
	a.Halted, a.Flatten, a.HaltedAt, a.Hold = false, false, venues.Time{}, false
}

// AccountState is the progress of an account's reconciliation, which continues from it
// after a restart.
type AccountState struct {
	Customer string       `json:"customer"`
	Exchange venues.Venue `json:"exchange"`
	// FillsUntil is the time, by symbol, up to which executions were read by REST.
	FillsUntil map[string]venues.Time `json:"fillsUntil,omitempty"`
	// TradedUntil is the time up to which the traded instruments were queried.
	TradedUntil venues.Time `json:"tradedUntil,omitzero"`
}
