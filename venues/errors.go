package venues

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is what a client of the service may see of a failure. The table of HTTP
// statuses lives in transport/api.
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

// Codes lists every Code in the order of the specification's table.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeUnauthorized, CodeBadSignature, CodeScopeRequired, CodeNotFound,
		CodeDuplicateRequest, CodeInsufficientBalance, CodeSymbolNotTradable, CodeLeverageChangeRejected,
		CodeRateLimited, CodeExchangeUnavailable, CodeMaintenance,
		CodeOrderRejected, CodeTradingLocked, CodeRiskRejected, CodeInternal,
	}
}

// Outcomes of a request to a venue that changes something. A connector joins
// one of them to every error of such a request (errors.Is finds it); an error
// without either is an explicit refusal: the venue has decided, nothing was
// placed.
var (
	// ErrOutcomeUnknown: the request may have been executed. It is queried
	// under its client id, never sent again.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrNotSent: no byte of the request left this machine. It may be sent
	// again under the same client id, before its deadline; it is worth it where
	// the code is one that passes (rate_limited, maintenance,
	// exchange_unavailable). With any other code the connector itself refuses.
	ErrNotSent = errors.New("proved not sent")
)

// Error is a failure that a client may see. It is immutable once returned and
// holds no secret: venue messages are bounded and stripped by the connector.
type Error struct {
	Code    Code
	Message string
	// Details depend on the code; values are strings, numbers, booleans or
	// slices of FieldFault. See the OpenAPI document.
	Details map[string]any
	// RetryAfter is set with rate_limited and maintenance; whole seconds are
	// told to the client, rounded up.
	RetryAfter time.Duration
	// VenueCode and VenueMessage are what the venue answered, if it did.
	VenueCode    string
	VenueMessage string
	// Err is the cause, for errors.Is and the log; clients do not see it.
	Err error
}

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
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
	for k, v := range e.Details {
		clone.Details[k] = v
	}
	clone.Details[key] = value
	return &clone
}

// Because returns a copy whose cause is err.
func (e *Error) Because(err error) *Error {
	clone := *e
	clone.Err = err
	return &clone
}

// CodeOf finds the code of an error; one that carries none is internal_error.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// IsUnlisted says whether an error means that the venue has no such instrument: it
// never had, or has taken it off its list.
func IsUnlisted(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == CodeSymbolNotTradable && e.Details["reason"] == ReasonUnknownSymbol
}

// FieldFault is one line of details.fields of invalid_request.
type FieldFault struct {
	Field   string `json:"field"`
	Rule    string `json:"rule"`
	Given   string `json:"given,omitempty"`
	Allowed string `json:"allowed,omitempty"`
}

// faultsTold is how many faulty fields a message names; the details have them all.
const faultsTold = 8

// InvalidFields makes an invalid_request that names the faulty fields.
func InvalidFields(faults ...FieldFault) *Error {
	told := make([]string, 0, faultsTold+1)
	for _, f := range faults[:min(len(faults), faultsTold)] {
		told = append(told, f.Field+": "+f.Rule)
	}
	if more := len(faults) - faultsTold; more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return &Error{
		Code:    CodeInvalidRequest,
		Message: strings.Join(told, "; "),
		Details: map[string]any{"fields": faults},
	}
}
