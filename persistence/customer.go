package persistence

import (
	"time"

	"venuegate/venues"
)

// Customer is a tenant, the unit of ownership, loading and isolation.
type Customer struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	CreatedAt venues.Time `json:"createdAt"`
	// Disabled customers are not loaded; their API keys are unauthorized.
	Disabled bool `json:"disabled,omitempty"`
}

// Scope is a permission of an API key. No scope implies another.
type Scope string

// Scopes of the API.
const (
	ScopeRead    Scope = "read"
	ScopeTrade   Scope = "trade"
	ScopeAccount Scope = "account"
)

// APIKey is the stored part of an API key, which never includes its secret.
type APIKey struct {
	// ID is the public part, by which the key is looked up.
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Name     string `json:"name"`
	// Hash is the SHA-256 of the secret part, which has 256 random bits.
	Hash      []byte      `json:"hash"`
	Scopes    []Scope     `json:"scopes"`
	CreatedAt venues.Time `json:"createdAt"`
	// ExpiresAt zero means never.
	ExpiresAt venues.Time `json:"expiresAt"`
	RevokedAt venues.Time `json:"revokedAt"`
	// Allow lists the address prefixes (CIDR) that may use the key; empty allows
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
	Limits   RiskLimits  `json:"limits"`
}

// Halt marks the account as halted at time now.
func (a *VenueAccount) Halt(now time.Time, flatten bool) {
	a.Halted, a.Flatten, a.HaltedAt = true, flatten, venues.At(now)
}

// Resume ends a halt.
func (a *VenueAccount) Resume() { a.Halted, a.Flatten, a.HaltedAt = false, false, venues.Time{} }

// Setting is a value of the installation, such as a signing secret or its identity.
type Setting struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
