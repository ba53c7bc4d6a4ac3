package admin

import (
	"errors"
	"strings"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// FindingStatus says how bad a finding is.
type FindingStatus string

// Statuses of a finding. A failed one keeps the account from trading, or is too
// dangerous to let it; a warning does not.
const (
	FindingOK      FindingStatus = "ok"
	FindingWarning FindingStatus = "warning"
	FindingFailed  FindingStatus = "failed"
)

// Finding is one thing that an examination looked at.
type Finding struct {
	// Check names it: reachable, clock, key, account_type, position_mode,
	// margin_mode, permissions.
	Check  string        `json:"check"`
	Status FindingStatus `json:"status"`
	// Text says what was found, Advice what to do about it.
	Text   string `json:"text"`
	Advice string `json:"advice,omitzero"`
	// Err is the cause, if the venue gave one.
	Err error `json:"-"`
}

// refusal is nil, or the error of the first failed finding: what the venue said
// where it is at fault, else a fault of the request.
func refusal(findings []Finding) error {
	for _, f := range findings {
		if f.Status != FindingFailed {
			continue
		}
		text := f.Text
		if f.Advice != "" {
			text += ": " + f.Advice
		}
		if e, ok := errors.AsType[*venues.Error](f.Err); ok && isAway(e.Code) {
			away := venues.Errorf(e.Code, "%s", text).Because(f.Err)
			away.RetryAfter = e.RetryAfter
			return away
		}
		refused := venues.Errorf(venues.CodeInvalidRequest, "%s", text).With("check", f.Check).Because(f.Err)
		if e, ok := errors.AsType[*venues.Error](f.Err); ok {
			refused.VenueCode, refused.VenueMessage = e.VenueCode, e.VenueMessage
		}
		return refused
	}
	return nil
}

// isAway says whether a venue that answers so has said nothing about the request.
func isAway(code venues.Code) bool {
	return code == venues.CodeExchangeUnavailable || code == venues.CodeRateLimited || code == venues.CodeMaintenance
}

// orFault turns a record that is not there into a fault of the field that named
// it.
func orFault(err error, name, given string) error {
	if !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	return api.Fault(name, api.RuleUnknownValue, strings.ToValidUTF8(given, ""), "")
}
