package api

import (
	"regexp"
	"strings"

	"venuegate/venues"
)

// Headers that name a request of a client.
const (
	HeaderRequestID   = "X-Request-Id"
	HeaderTraceparent = "Traceparent"
)

// ClientRequestIDCharsMax bounds a client's X-Request-Id. A longer one is not used, and
// neither is one with a space or a character outside of printable ASCII.
const ClientRequestIDCharsMax = 64

// traceparent is a W3C trace context of version 00.
var traceparent = regexp.MustCompile("^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$")

const (
	noTraceID = "00000000000000000000000000000000"
	noSpanID  = "0000000000000000"
)

// ParseOrigin returns the origin of a request by two of its headers. What is not valid is
// left out.
func ParseOrigin(requestID, trace string) venues.Origin {
	var o venues.Origin
	if isClientRequestID(requestID) {
		o.RequestID = requestID
	}
	if trace != "" && traceparent.MatchString(trace) && trace[3:35] != noTraceID && trace[36:52] != noSpanID {
		o.Traceparent = trace
	}
	return o
}

func isClientRequestID(id string) bool {
	return id != "" && len(id) <= ClientRequestIDCharsMax &&
		!strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}
