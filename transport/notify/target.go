package notify

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// Members of an endpoint in the errors of Check, as in the administration API.
const (
	fieldTarget = "target"
	fieldSecret = "secret"
)

// targets are the forms of the target of each kind.
var targets = map[persistence.EndpointKind]struct {
	form    *regexp.Regexp
	allowed string
}{
	persistence.EndpointTelegram: {
		regexp.MustCompile(`^(-?[1-9][0-9]{0,18}|@[A-Za-z][A-Za-z0-9_]{3,63})$`),
		"the id of a chat, or @name of a public group",
	},
	persistence.EndpointSheet: {
		regexp.MustCompile(`^[A-Za-z0-9_-]{10,128}$`),
		"the id of a spreadsheet: the part of its address between /d/ and the next slash",
	},
	persistence.EndpointFile: {
		regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.xlsx$`),
		"the name of a file that ends in .xlsx, of letters, digits, dots, dashes and underscores",
	},
}

// CheckTarget returns invalid_request unless the target has the form of its kind of
// endpoint.
func CheckTarget(kind persistence.EndpointKind, target string) error {
	rule, known := targets[kind]
	if !known {
		return api.FieldError("kind", api.RuleUnknownValue, short(string(kind)), "")
	}
	if !rule.form.MatchString(target) {
		return api.FieldError(fieldTarget, api.RuleMalformed, short(target), rule.allowed)
	}
	return nil
}

// fieldError returns invalid_request for a field, with a message for the customer.
func fieldError(field, rule, message string) error {
	err := venues.InvalidFields(venues.FieldError{Field: field, Rule: rule})
	err.Message = field + ": " + message
	return err
}

// unusable returns the error of a field whose value is well formed and does not work.
func unusable(field, message string) error { return fieldError(field, api.RuleUnusable, message) }

// Unseal opens a secret that was sealed for the record with this key.
type Unseal func(sealed []byte, of persistence.Key) (venues.Secret, error)

// of returns the secret that an endpoint uses at a time.
func (open Unseal) of(to persistence.Endpoint, at time.Time) (venues.Secret, error) {
	sealed := to.Sealed
	if len(to.Next) > 0 && !at.Before(to.NextFrom.Time) {
		sealed = to.Next
	}
	if len(sealed) == 0 {
		return "", errors.New("the endpoint has no secret")
	}
	secret, err := open(sealed, to.Key())
	if err != nil {
		return "", fmt.Errorf("open the secret of the endpoint: %w", err)
	}
	return secret, nil
}
