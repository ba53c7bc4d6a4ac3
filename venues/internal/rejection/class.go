package rejection

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Class is the meaning of one or more error codes of a venue.
type Class struct {
	Code   venues.Code
	Reason string
	// Text is the message; "rejected by the venue" if empty.
	Text string
	// Unknown: the request may have been executed nevertheless.
	Unknown bool
	// VenueCodes are the venue's codes with this meaning.
	VenueCodes []int
}

// StatusClass returns the class of an answer whose HTTP status does not decide the
// outcome.
func StatusClass(status int) Class {
	return Class{Code: venues.CodeExchangeUnavailable, Text: "the venue answered with status " + strconv.Itoa(status)}
}

// RateLimited returns the class of a request above the venue's rate limit.
func RateLimited() Class {
	return Class{Code: venues.CodeRateLimited, Text: "the venue's rate limit is used up"}
}

// Table maps the known codes of a venue to their classes.
type Table map[int]Class

// NewTable indexes classes by their venue codes.
func NewTable(classes []Class) Table {
	table := make(Table)
	for _, c := range classes {
		for _, code := range c.VenueCodes {
			table[code] = c
		}
	}
	return table
}

// Err returns the error of a class, with the venue's code and its bounded message. Code 0
// means none.
func (c Class) Err(code int, message string) *venues.Error {
	e := venues.Errorf(c.Code, "%s", cmp.Or(c.Text, "rejected by the venue"))
	e.VenueMessage = payload.Bounded(message)
	if code != 0 {
		e.VenueCode = strconv.Itoa(code)
	}
	if c.Reason != "" {
		e = e.With("reason", c.Reason)
	}
	if c.Code == venues.CodeMaintenance {
		e.RetryAfter = restclient.MaintenanceRetry
	}
	if c.Code == venues.CodeRateLimited {
		e = e.With("scope", venues.LimitOfVenue)
	}
	return e
}

// CodeOf returns the venue's code in an error; 0 if there is none.
func CodeOf(err error) int {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok {
		return 0
	}
	code, _ := strconv.Atoi(e.VenueCode)
	return code
}

// Is reports whether an error is a definite rejection with one of codes.
func Is(err error, codes ...int) bool { return isRejection(err) && slices.Contains(codes, CodeOf(err)) }

func isRejection(err error) bool {
	return err != nil && !errors.Is(err, venues.ErrOutcomeUnknown) && !errors.Is(err, venues.ErrNotSent)
}
