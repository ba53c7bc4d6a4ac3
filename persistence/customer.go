package persistence

import (
	"time"

	"venuegate/venues"
)

// Customer is a tenant: the unit of ownership, loading and isolation.
type Customer struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	CreatedAt venues.Time `json:"createdAt"`
	// Disabled customers are not loaded: their keys answer unauthorized.
	Disabled bool `json:"disabled,omitempty"`
}

// Scope is a permission of an API key. A scope never implies another.
type Scope string

// Scopes of the interface.
const (
	ScopeRead    Scope = "read"
	ScopeTrade   Scope = "trade"
	ScopeAccount Scope = "account"
)

// APIKey is what is kept of a key: never the key itself.
type APIKey struct {
	// ID is the public part, by which the key is found.
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Name     string `json:"name"`
	// Hash is SHA-256 of the secret part; the secret has 256 bits of its own.
	Hash      []byte      `json:"hash"`
	Scopes    []Scope     `json:"scopes"`
	CreatedAt venues.Time `json:"createdAt"`
	// ExpiresAt zero means never.
	ExpiresAt venues.Time `json:"expiresAt"`
	RevokedAt venues.Time `json:"revokedAt"`
	// Allow lists address prefixes (CIDR) that may use the key; empty allows
	// all.
	Allow []string `json:"allow,omitempty"`
}

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
	// RemovedAt marks a connection that was taken away; its credentials are
	// gone, its orders stay readable.
	RemovedAt venues.Time `json:"removedAt"`
	// Halted stops increasing orders until an administrator lifts it.
	Halted bool `json:"halted,omitempty"`
	// Flatten says that a halt closes the open positions as well.
	Flatten bool `json:"flatten,omitempty"`
	// HaltedAt is when the halt was ordered. It names the halt: the account
	// carries each out once; see RiskRecord.HaltDone.
	HaltedAt venues.Time `json:"haltedAt,omitzero"`
	Limits   RiskLimits  `json:"limits"`
}

// Halt orders a halt at the moment now.
func (a *VenueAccount) Halt(now time.Time, flatten bool) {
	a.Halted, a.Flatten, a.HaltedAt = true, flatten, venues.At(now)
}

// Resume ends a halt.
func (a *VenueAccount) Resume() { a.Halted, a.Flatten, a.HaltedAt = false, false, venues.Time{} }

// Setting is a value of the installation: signing secrets, identity.
type Setting struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
