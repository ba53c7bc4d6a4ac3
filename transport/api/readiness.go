package api

import (
	"github.com/go-json-experiment/json"

	"venuegate/venues"
)

// Readiness is the body of /readyz.
type Readiness struct {
	// Ready is set if trading is possible on at least one venue.
	Ready     bool             `json:"ready"`
	Store     StoreReadiness   `json:"store"`
	Venues    []VenueReadiness `json:"venues"`
	Customers CustomerCounts   `json:"customers"`
}

// StoreReadiness is whether the store takes commits.
type StoreReadiness struct {
	Ready bool `json:"ready"`
	// Reason is why it does not, or why it may be found to be damaged later: a large store
	// is checked while it is in use. It is nil otherwise.
	Reason *string `json:"reason"`
}

// VenueReadiness is the health of one venue.
type VenueReadiness struct {
	Exchange venues.Venue `json:"exchange"`
	// Status is up, degraded or down; Reason is why it is not up, nil if it is.
	Status string      `json:"status"`
	Reason *string     `json:"reason"`
	Since  venues.Time `json:"since"`
	// Streams are the market data channels, Private the private connections of accounts.
	Streams StreamCounts `json:"streams"`
	Private StreamCounts `json:"private"`
}

// StreamCounts counts streams.
type StreamCounts struct {
	Wanted    int `json:"wanted"`
	Connected int `json:"connected"`
}

// CustomerCounts counts customers whose accounts are not all reconciled with their
// venue yet, and customers with a halted account.
type CustomerCounts struct {
	Loading int `json:"loading"`
	Halted  int `json:"halted"`
}

// AppendReadiness appends the body of /readyz.
func AppendReadiness(dst []byte, r *Readiness) []byte {
	body, err := json.Marshal(r)
	if err != nil {
		panic("api: " + err.Error()) // plain structs
	}
	return append(dst, body...)
}
