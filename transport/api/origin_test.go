package api_test

import (
	"strings"
	"testing"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestInvalidOriginsAreLeftOut(t *testing.T) {
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	long := strings.Repeat("x", api.ClientRequestIDCharsMax)
	for _, tt := range []struct {
		requestID, trace string
		want             venues.Origin
	}{
		{"", "", venues.Origin{}},
		{"req-1", trace, venues.Origin{RequestID: "req-1", Traceparent: trace}},
		{long, "", venues.Origin{RequestID: long}},
		{long + "x", trace, venues.Origin{Traceparent: trace}},
		{"two words", "", venues.Origin{}},
		{"line\nbreak", "", venues.Origin{}},
		{"\u00fcml\u00e4ut", "", venues.Origin{}},
		{"", strings.ToUpper(trace), venues.Origin{}},
		{"", "01" + trace[2:], venues.Origin{}},
		{"", trace + "-00", venues.Origin{}},
		{"", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", venues.Origin{}},
		{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", venues.Origin{}},
	} {
		if got := api.ParseOrigin(tt.requestID, tt.trace); got != tt.want {
			t.Errorf("ParseOrigin(%q, %q) = %+v, want %+v", tt.requestID, tt.trace, got, tt.want)
		}
	}
}
