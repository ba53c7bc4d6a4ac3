package persistence

import "venuegate/venues"

// AlertStatus is the state of an alert.
type AlertStatus string

// Statuses of an alert.
const (
	// AlertArmed means that the condition is being checked.
	AlertArmed  AlertStatus = "armed"
	AlertFired  AlertStatus = "fired"
	AlertPaused AlertStatus = "paused"
)

// Alert is a customer's condition on a price. When it is met, the alert fires: the
// event alert.fired is published.
type Alert struct {
	ID        string                `json:"id"`
	Customer  string                `json:"customer"`
	Exchange  venues.Venue          `json:"exchange"`
	Symbol    string                `json:"symbol"`
	Condition venues.PriceCondition `json:"condition"`
	// Repeat arms the alert again once its condition no longer holds.
	Repeat    bool        `json:"repeat,omitempty"`
	Status    AlertStatus `json:"status"`
	Comment   string      `json:"comment,omitempty"`
	FiredAt   venues.Time `json:"firedAt"`
	CreatedAt venues.Time `json:"createdAt"`
	RemovedAt venues.Time `json:"removedAt"`
}
