package connector

import (
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Leverage has the requests by which a venue changes the leverage of an instrument.
type Leverage struct {
	// Read reads the leverage; unknown if the venue does not report it.
	Read func() (venues.Optional, error)
	// Write changes it. Its error is returned unchanged.
	Write func() error
	// Path is the path from which Read reads.
	Path string
}

// Change changes the leverage and reads it back.
func (l Leverage) Change(change venues.LeverageChange) (venues.LeverageChange, error) {
	before, err := l.Read()
	if err != nil {
		return change, restclient.NotSent(err)
	}
	change.PreviousLeverage = before
	if err := l.Write(); err != nil {
		return change, err
	}
	after, err := l.Read()
	if err == nil && !after.Valid {
		err = restclient.Unreadable(http.MethodGet, l.Path, payload.Missing("leverage"))
	}
	if err != nil {
		return change, restclient.OutcomeUnknown(err)
	}
	change.Leverage = after.Decimal
	return change, nil
}
