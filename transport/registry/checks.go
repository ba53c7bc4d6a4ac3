package registry

import (
	"context"
	"errors"

	"venuegate/venues"
)

// Examiner examines an account at its venue.
type Examiner interface {
	Examine(ctx context.Context, exchange venues.Venue, c venues.Credentials) []CheckResult
}

// CheckStatus is the severity of a check result.
type CheckStatus string

// Statuses of a check result. An account with a failed result cannot or must not trade;
// one with a warning may. An endpoint with a failed result would receive nothing.
const (
	CheckOK      CheckStatus = "ok"
	CheckWarning CheckStatus = "warning"
	CheckFailed  CheckStatus = "failed"
)

// CheckResult is the result of one check of an account or an endpoint.
type CheckResult struct {
	// Check is its name: of an account reachable, clock, key, account_type, position_mode,
	// margin_mode or permissions, of an endpoint the member secret or target.
	Check  string      `json:"check"`
	Status CheckStatus `json:"status"`
	// Text describes the result, Advice what to do about it.
	Text   string `json:"text"`
	Advice string `json:"advice,omitzero"`
	// Err is the cause, if the venue returned one.
	Err error `json:"-"`
}

// failedCheck returns the error of the first failed result, or nil if none failed. It
// has the code of the venue's error if the venue is not available now, else
// invalid_request.
func failedCheck(results []CheckResult) error {
	for _, r := range results {
		if r.Status != CheckFailed {
			continue
		}
		text := r.Text
		if r.Advice != "" {
			text += ": " + r.Advice
		}
		cause, hasCode := errors.AsType[*venues.Error](r.Err)
		if hasCode && isUnavailable(cause.Code) {
			unavailable := venues.Errorf(cause.Code, "%s", text).Because(r.Err)
			unavailable.RetryAfter = cause.RetryAfter
			return unavailable
		}
		invalid := venues.Errorf(venues.CodeInvalidRequest, "%s", text).With("check", r.Check).Because(r.Err)
		if hasCode {
			invalid.VenueCode, invalid.VenueMessage = cause.VenueCode, cause.VenueMessage
		}
		return invalid
	}
	return nil
}

// isUnavailable reports whether an error with the code means that the venue did not
// process the request.
func isUnavailable(code venues.Code) bool {
	return code == venues.CodeExchangeUnavailable || code == venues.CodeRateLimited || code == venues.CodeMaintenance
}
