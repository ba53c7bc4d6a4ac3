package api

import (
	"net/http"
	"sort"
	"strconv"
	"time"

	"venuegate/venues"
)

// statuses maps every error code to its HTTP status. The codes of the second group
// were added to those of the specification.
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

// Status returns the HTTP status of a code, 500 for an unknown one.
func Status(code venues.Code) int {
	if status, known := statuses[code]; known {
		return status
	}
	return http.StatusInternalServerError
}

// RetryAfter returns the value of the Retry-After header of an error: whole seconds,
// at least one, rounded up so that a retry after that time is not rejected again. It
// is empty for codes without that header.
func RetryAfter(e *venues.Error) string {
	if e.Code != venues.CodeRateLimited && e.Code != venues.CodeMaintenance {
		return ""
	}
	return strconv.FormatInt(max(Seconds(e.RetryAfter), 1), 10)
}

// Seconds returns d rounded up to whole seconds, and zero if it is negative.
func Seconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d + time.Second - 1) / time.Second)
}

// TooLarge returns the error for a body of more than limitBytes.
func TooLarge(limitBytes int) *venues.Error {
	return venues.Errorf(venues.CodeInvalidRequest, "the body is larger than %d bytes", limitBytes).
		With("limit", limitBytes)
}

// RequestRejected returns the error for a request that was rejected with an HTTP status
// before it was served.
func RequestRejected(status int, message string) *venues.Error {
	if status == http.StatusForbidden {
		return venues.Errorf(venues.CodeScopeRequired, "%s", message)
	}
	return venues.Errorf(venues.CodeInvalidRequest, "%s", message)
}

// AppendError appends the error body: {"error":{code,message,details,requestId,docUrl}}. The
// venue's own code and message are part of details. requestID is the id of the
// response (X-Request-Id), not an idempotency key of the client. The cause of the
// error is left out.
func AppendError(dst []byte, e *venues.Error, requestID string) []byte {
	dst = append(dst, `{"error":{`...)
	dst = textField(dst, "code", string(e.Code))
	dst = textField(dst, "message", e.Message)
	dst = fieldName(dst, "details")
	dst = append(appendDetails(dst, e), ',')
	dst = textField(dst, "requestId", requestID)
	dst = textField(dst, "docUrl", ErrorsPage+"#"+string(e.Code))
	return append(closeObject(dst), '}')
}

// appendDetails appends the fields in the order of their names, so that equal errors
// are equal bytes.
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
		dst = fieldName(dst, key)
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
