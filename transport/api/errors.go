package api

import (
	"net/http"
	"sort"
	"strconv"
	"time"

	"venuegate/venues"
)

// statuses is the specification's table of errors, with the additive codes.
var statuses = map[venues.Code]int{
	venues.CodeInvalidRequest:         http.StatusBadRequest,
	venues.CodeUnauthorized:           http.StatusUnauthorized,
	venues.CodeBadSignature:           http.StatusUnauthorized,
	venues.CodeScopeRequired:          http.StatusForbidden,
	venues.CodeNotFound:               http.StatusNotFound,
	venues.CodeDuplicateRequest:       http.StatusConflict,
	venues.CodeInsufficientBalance:    http.StatusUnprocessableEntity,
	venues.CodeSymbolNotTradable:      http.StatusUnprocessableEntity,
	venues.CodeLeverageChangeRejected: http.StatusUnprocessableEntity,
	venues.CodeRateLimited:            http.StatusTooManyRequests,
	venues.CodeExchangeUnavailable:    http.StatusBadGateway,
	venues.CodeMaintenance:            http.StatusServiceUnavailable,

	venues.CodeOrderRejected: http.StatusUnprocessableEntity,
	venues.CodeTradingLocked: http.StatusUnprocessableEntity,
	venues.CodeRiskRejected:  http.StatusUnprocessableEntity,
	venues.CodeInternal:      http.StatusInternalServerError,
}

// Status is the HTTP status of a code; a code that is not in the table is 500.
func Status(code venues.Code) int {
	if status, known := statuses[code]; known {
		return status
	}
	return http.StatusInternalServerError
}

// RetryAfter is the value of the Retry-After header of an error: whole seconds,
// rounded up so that obeying it always succeeds, at least one. It is empty for
// codes that carry none.
func RetryAfter(e *venues.Error) string {
	if e.Code != venues.CodeRateLimited && e.Code != venues.CodeMaintenance {
		return ""
	}
	return strconv.FormatInt(max(Seconds(e.RetryAfter), 1), 10)
}

// Seconds rounds up to whole seconds; below zero is zero.
func Seconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d + time.Second - 1) / time.Second)
}

// TooLarge is the answer to a body over limitBytes.
func TooLarge(limitBytes int) *venues.Error {
	return venues.Errorf(venues.CodeInvalidRequest, "the body is larger than %d bytes", limitBytes).
		With("limit", limitBytes)
}

// AppendError writes the error body: {"error":{code,message,details,requestId}}.
// What the venue said is part of details. requestID is the id of the answer
// (X-Request-Id), not a client's idempotency key. The cause is not shown.
func AppendError(dst []byte, e *venues.Error, requestID string) []byte {
	dst = append(dst, `{"error":{`...)
	dst = text(dst, "code", string(e.Code))
	dst = text(dst, "message", e.Message)
	dst = name(dst, "details")
	dst = append(appendDetails(dst, e), ',')
	dst = text(dst, "requestId", requestID)
	return append(closeObject(dst), '}')
}

// appendDetails writes the members in the order of their names, so that equal
// errors are equal bytes.
func appendDetails(dst []byte, e *venues.Error) []byte {
	keys := make([]string, 0, len(e.Details)+2)
	for key := range e.Details {
		keys = append(keys, key)
	}
	if e.VenueCode != "" || e.VenueMessage != "" {
		for _, key := range []string{"venueCode", "venueMessage"} {
			if _, given := e.Details[key]; !given {
				keys = append(keys, key)
			}
		}
	}
	sort.Strings(keys)
	dst = append(dst, '{')
	for _, key := range keys {
		dst = name(dst, key)
		dst = append(appendDetail(dst, e, key), ',')
	}
	return closeObject(dst)
}

func appendDetail(dst []byte, e *venues.Error, key string) []byte {
	if value, given := e.Details[key]; given {
		return appendAny(dst, value)
	}
	if key == "venueCode" {
		return quote(dst, e.VenueCode)
	}
	return quote(dst, e.VenueMessage)
}
