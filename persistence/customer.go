package persistence

import "venuegate/venues"

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
	// LastUsedAt is when the key was last used, about a minute late at most, and LastUsedFrom
	// the address that it was used from.
	LastUsedAt   venues.Time `json:"lastUsedAt,omitzero"`
	LastUsedFrom string      `json:"lastUsedFrom,omitempty"`
	// ReplacedBy is the id of the key that a rotation has made instead.
	ReplacedBy string `json:"replacedBy,omitempty"`
}

// Setting is a value of the installation, such as a signing secret or its identity.
type Setting struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
