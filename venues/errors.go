package venues

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Code classifies a failure for clients of the service. Package transport/api maps codes
// to HTTP statuses.
type Code string

// The codes of the interface specification, then the additive ones.
const (
	CodeInvalidRequest         Code = "invalid_request"
	CodeUnauthorized           Code = "unauthorized"
	CodeBadSignature           Code = "bad_signature"
	CodeScopeRequired          Code = "scope_required"
	CodeNotFound               Code = "not_found"
	CodeDuplicateRequest       Code = "duplicate_request"
	CodeInsufficientBalance    Code = "insufficient_balance"
	CodeSymbolNotTradable      Code = "symbol_not_tradable"
	CodeLeverageChangeRejected Code = "leverage_change_rejected"
	CodeRateLimited            Code = "rate_limited"
	CodeExchangeUnavailable    Code = "exchange_unavailable"
	CodeMaintenance            Code = "maintenance"

	CodeOrderRejected Code = "order_rejected"
	CodeTradingLocked Code = "trading_locked"
	CodeRiskRejected  Code = "risk_rejected"
	CodeInternal      Code = "internal_error"
)

// Codes returns every Code in the order of the specification's table.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeUnauthorized, CodeBadSignature, CodeScopeRequired, CodeNotFound,
		CodeDuplicateRequest, CodeInsufficientBalance, CodeSymbolNotTradable, CodeLeverageChangeRejected,
		CodeRateLimited, CodeExchangeUnavailable, CodeMaintenance,
		CodeOrderRejected, CodeTradingLocked, CodeRiskRejected, CodeInternal,
	}
}

// Scopes of a rate limit, details.scope of rate_limited: whose requests it counts. Limits of
// venues count those of this service.
const (
	LimitOfKey     = "key"
	LimitOfChannel = "channel"
	LimitOfSource  = "source"
	LimitOfVenue   = "venue"
)

// Error is a failure that a client may see. It is immutable once returned and holds no
// secret: connectors bound and clean the messages of venues.
type Error struct {
	Code    Code
	Message string
	// Details depend on the code. Values are strings, numbers, booleans or slices of
	// FieldError. See the OpenAPI document.
	Details map[string]any
	// RetryAfter is set with rate_limited and maintenance. Clients receive whole seconds,
	// rounded up.
	RetryAfter time.Duration
	// VenueCode and VenueMessage are the venue's answer, if there was one.
	VenueCode    string
	VenueMessage string
	// Err is the cause, for errors.Is and the log. Clients do not see it.
	Err error
}

// Errorf returns an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// diskFullRetry is the retry time while the disk of the service is full.
const diskFullRetry = 5 * time.Second

// DiskFull returns the error of a request that increases risk, or is not urgent, while the
// disk of the service is full.
func DiskFull(cause error) *Error {
	e := Errorf(CodeMaintenance, "the disk of the service is full: only cancels, orders that reduce a position, protection and reads are possible").
		With("reason", ReasonDiskFull).Because(cause)
	e.RetryAfter = diskFullRetry
	return e
}

func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.VenueCode != "" {
		text += " (venue " + e.VenueCode + ": " + e.VenueMessage + ")"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// With returns a copy with one more detail.
func (e *Error) With(key string, value any) *Error {
	clone := *e
	clone.Details = make(map[string]any, len(e.Details)+1)
	maps.Copy(clone.Details, e.Details)
	clone.Details[key] = value
	return &clone
}

// Because returns a copy whose cause is err.
func (e *Error) Because(err error) *Error {
	clone := *e
	clone.Err = err
	return &clone
}

// CodeOf returns the code of an error; internal_error if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// IsUnlisted reports whether an error means that the venue does not list the instrument,
// or no longer.
func IsUnlisted(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == CodeSymbolNotTradable && e.Details["reason"] == ReasonUnknownSymbol
}

// FieldError is one entry of details.fields of invalid_request.
type FieldError struct {
	Field   string `json:"field"`
	Rule    string `json:"rule"`
	Given   string `json:"given,omitempty"`
	Allowed string `json:"allowed,omitempty"`
}

// fieldsNamedMax is how many invalid fields a message names. The details have all of
// them.
const fieldsNamedMax = 8

// InvalidFields returns an invalid_request that names the invalid fields.
func InvalidFields(fields ...FieldError) *Error {
	named := make([]string, 0, fieldsNamedMax+1)
	for _, f := range fields[:min(len(fields), fieldsNamedMax)] {
		named = append(named, f.Field+": "+f.Rule)
	}
	if more := len(fields) - fieldsNamedMax; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return &Error{
		Code:    CodeInvalidRequest,
		Message: strings.Join(named, "; "),
		Details: map[string]any{"fields": fields},
	}
}
