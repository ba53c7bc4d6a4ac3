package venuegate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// APIError is an error response of the service.
type APIError struct {
	// Status is the HTTP status.
	Status  int
	Code    ErrorCode
	Message string
	// Fields are the errors of single fields, with code invalid_request.
	Fields []FieldFault
	// Order is the order that the error is about, if there is one.
	Order *Order
	// SameBody reports, with code duplicate_request, whether the first request was equal.
	SameBody bool
	// Details is the whole object, which depends on the code.
	Details json.RawMessage
	// RequestID is to be quoted in support requests.
	RequestID string
	// DocURL is where the code is explained, relative to the address of the service.
	DocURL string
	// RetryAfter is how long to wait before the next attempt; zero if the service did not
	// say so.
	RetryAfter time.Duration
}

// Error implements error.
func (e *APIError) Error() string {
	text := fmt.Sprintf("%s: %s (request %s)", e.Code, e.Message, e.RequestID)
	for _, f := range e.Fields {
		if f.Allowed != nil {
			text += fmt.Sprintf("; %s may be: %s", f.Field, *f.Allowed)
		}
	}
	return text
}

// OutcomeError means that an order may or may not have been placed. Placing it again with the
// RequestID returns the order if there is one, and never places a second one.
type OutcomeError struct {
	RequestID string
	Err       error
}

// Error implements error.
func (e *OutcomeError) Error() string {
	return fmt.Sprintf("the outcome of the order with requestId %s is unknown: %v", e.RequestID, e.Err)
}

// Unwrap returns the error of the last attempt.
func (e *OutcomeError) Unwrap() error { return e.Err }

// transportError is the error of an attempt without a response.
type transportError struct{ err error }

// Error implements error.
func (e *transportError) Error() string { return "no response from the service: " + e.err.Error() }

// Unwrap returns the error of the HTTP client.
func (e *transportError) Unwrap() error { return e.err }

// decodeError returns the error in a response. One that is not of the service, but of
// something in between, has no code.
func decodeError(response *http.Response, text []byte) error {
	var envelope struct {
		Error struct {
			Code      ErrorCode       `json:"code"`
			Message   string          `json:"message"`
			Details   json.RawMessage `json:"details"`
			RequestID string          `json:"requestId"`
			DocURL    string          `json:"docUrl"`
		} `json:"error"`
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	e := &APIError{Status: response.StatusCode, Message: response.Status, RetryAfter: time.Duration(max(seconds, 0)) * time.Second}
	if json.Unmarshal(text, &envelope) != nil || envelope.Error.Code == "" {
		return e
	}
	e.Code, e.Message, e.RequestID = envelope.Error.Code, envelope.Error.Message, envelope.Error.RequestID
	e.Details, e.DocURL = envelope.Error.Details, envelope.Error.DocURL
	var details struct {
		Fields   []FieldFault `json:"fields"`
		Order    *Order       `json:"order"`
		SameBody bool         `json:"sameBody"`
	}
	if json.Unmarshal(e.Details, &details) == nil {
		e.Fields, e.Order, e.SameBody = details.Fields, details.Order, details.SameBody
	}
	return e
}

// StreamError is the reason for which a stream ended or was interrupted.
type StreamError struct {
	// Code is the close code of the connection or the code of an error or rejection.
	Code    int
	Message string
	// Topic is the one that was rejected, if any.
	Topic string
}

// Codes of the stream, as its document describes them.
const (
	StreamBadMessage    = 4000
	StreamUnauthorized  = 4001
	StreamScopeRequired = 4003
	StreamUnknownTopic  = 4004
	StreamPingTimeout   = 4008
	StreamSlowConsumer  = 4009
	StreamAuthTimeout   = 4010
	StreamServerRestart = 4012
	StreamLimit         = 4029
)

// Error implements error.
func (e *StreamError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%s %d %s", e.Topic, e.Code, e.Message))
}

// isPermanent reports whether the next connection would end in the same way.
func (e *StreamError) isPermanent() bool {
	switch e.Code {
	case StreamUnauthorized, StreamScopeRequired, StreamUnknownTopic:
		return true
	case StreamLimit:
		return e.Topic != ""
	default:
		return false
	}
}
