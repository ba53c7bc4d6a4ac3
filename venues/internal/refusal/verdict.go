package refusal

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Verdict is what codes of a venue mean here.
type Verdict struct {
	Code   venues.Code
	Reason string
	// Text is "refused by the venue" if empty.
	Text string
	// Unknown: the request may have been executed all the same.
	Unknown bool
	// Of are the venue's codes that mean it.
	Of []int
}

// Status is the verdict on an answer whose status says nothing of the request.
func Status(status int) Verdict {
	return Verdict{Code: venues.CodeExchangeUnavailable, Text: "the venue answered with status " + strconv.Itoa(status)}
}

// Limited is the verdict on a request beyond the venue's limits.
func Limited() Verdict {
	return Verdict{Code: venues.CodeRateLimited, Text: "the venue's request limit is used up"}
}

// Table has the verdict of each code that is listed.
type Table map[int]Verdict

// NewTable lists the codes of verdicts.
func NewTable(verdicts []Verdict) Table {
	table := make(Table)
	for _, v := range verdicts {
		for _, code := range v.Of {
			table[code] = v
		}
	}
	return table
}

// Fault is the error of a verdict. It repeats, bounded, what the venue said; code 0 is
// none.
func (v Verdict) Fault(code int, message string) *venues.Error {
	e := venues.Errorf(v.Code, "%s", cmp.Or(v.Text, "refused by the venue"))
	e.VenueMessage = payload.Bounded(message)
	if code != 0 {
		e.VenueCode = strconv.Itoa(code)
	}
	if v.Reason != "" {
		e = e.With("reason", v.Reason)
	}
	if v.Code == venues.CodeMaintenance {
		e.RetryAfter = restclient.MaintenanceRetry
	}
	return e
}

// CodeOf is the venue's code within an error, 0 if there is none.
func CodeOf(err error) int {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok {
		return 0
	}
	code, _ := strconv.Atoi(e.VenueCode)
	return code
}

// Is says whether an error is the venue's definite no with one of codes.
func Is(err error, codes ...int) bool { return isDefinite(err) && slices.Contains(codes, CodeOf(err)) }

func isDefinite(err error) bool {
	return err != nil && !errors.Is(err, venues.ErrOutcomeUnknown) && !errors.Is(err, venues.ErrNotSent)
}
