package api

import (
	"github.com/go-json-experiment/json"

	"venuegate/venues"
)

// VenueState is the state of a venue for the customers of the service.
type VenueState struct {
	Exchange venues.Venue `json:"exchange"`
	// Status is up, degraded, maintenance or down; Reason is why it is not up, nil if it is.
	Status string      `json:"status"`
	Reason *string     `json:"reason"`
	Since  venues.Time `json:"since"`
	// ClockOffsetMillis is the venue's clock minus ours; nil if they were not compared yet.
	ClockOffsetMillis *int64            `json:"clockOffsetMs"`
	OrderEntry        venues.OrderEntry `json:"orderEntry"`
	Environment       string            `json:"environment"`
	// Connected reports whether the customer has an account there.
	Connected bool `json:"connected"`
}

// VenueMaintenance is the status of a venue that does not respond and announces a
// maintenance.
const VenueMaintenance = "maintenance"

// AppendVenueState appends a record of GET /v1/venues.
func AppendVenueState(dst []byte, v *VenueState) []byte {
	record, err := json.Marshal(v)
	if err != nil {
		panic("api: " + err.Error()) // a plain struct
	}
	return append(dst, record...)
}
