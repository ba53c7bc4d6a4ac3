package persistence

import (
	"time"

	"venuegate/venues"
)

// FillRecord is one execution. Its FillID is that of function FillID, so that a
// fill that is reported twice is one record.
type FillRecord struct {
	venues.Fill
	Customer string `json:"customer"`
	// Closes is the close reason if the execution has closed a position.
	Closes venues.CloseReason `json:"closes,omitempty"`
	// Comment is the comment of the order.
	Comment string `json:"comment,omitempty"`
	// FeeInSettlement is the value of a fee in another currency, converted to the
	// settlement currency when it was counted towards the daily loss; unknown if there
	// was no price.
	FeeInSettlement venues.Optional `json:"feeWorth,omitzero"`
}

// FillQuery selects fills of one customer, newest first by execution time.
type FillQuery struct {
	Customer string
	Exchange venues.Venue
	Symbol   string
	OrderID  string
	From, To time.Time
	Limit    int
	After    *PagePosition
}
