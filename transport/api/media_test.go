package api_test

import (
	"testing"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestCheckMedia(t *testing.T) {
	for _, c := range []struct {
		contentType, encoding string
		taken                 bool
	}{
		{"application/json", "", true},
		{"Application/JSON; charset=utf-8", "identity", true},
		{"text/plain", "", true},
		{"text/html", "", false},
		{"", "", false},
		{"application/json;", "", true},
		{"application/json; charset", "", false},
		{"application/json, text/plain", "", false},
		{"application/json", "gzip", false},
		{"application/json", "identity, gzip", false},
	} {
		err := api.CheckMedia(c.contentType, c.encoding, api.MediaJSON, "text/plain")
		if (err == nil) != c.taken || err != nil && venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%q, %q: %v", c.contentType, c.encoding, err)
		}
	}
}
