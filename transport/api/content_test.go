package api_test

import (
	"bytes"
	"testing"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestBodyHashIgnoresOnlyTheForm(t *testing.T) {
	hash := func(body string) []byte {
		t.Helper()
		sum, err := api.BodyHash([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	want := hash(`{"a":"1","b":{"c":[1,2],"d":null}}`)
	for _, same := range []string{
		" {\n\"b\" : {\"d\":null,\"c\":[1, 2]}, \"a\":\"1\" }\t", `{"b":{"c":[1,2],"d":null},"\u0061":"\u0031"}`,
	} {
		if !bytes.Equal(hash(same), want) {
			t.Errorf("hash of %s = %x, want %x", same, hash(same), want)
		}
	}
	for _, other := range []string{
		`{"a":"2","b":{"c":[1,2],"d":null}}`, `{"a":"1","b":{"c":[2,1],"d":null}}`, `{"a":"1","b":{"c":[1,2]}}`,
		`{"a":1,"b":{"c":[1,2],"d":null}}`, `{"a":"1.0","b":{"c":[1,2],"d":null}}`,
	} {
		if bytes.Equal(hash(other), want) {
			t.Errorf("hash of %s = %x, want another one", other, want)
		}
	}
	if bytes.Equal(hash(`{"x":9007199254740993}`), hash(`{"x":9007199254740992}`)) {
		t.Error("hashes of 2^53 and 2^53+1 are equal, want them different: numbers must not pass through floats")
	}
	if _, err := api.BodyHash([]byte(`{"a":`)); err == nil {
		t.Error("truncated body: no error, want one")
	}
}

func TestBodyHashDoesNotChangeTheBody(t *testing.T) {
	body := []byte(`{ "b":1, "a":2 }`)
	kept := bytes.Clone(body)
	if _, err := api.BodyHash(body); err != nil || !bytes.Equal(body, kept) {
		t.Errorf("body = %s, error %v, want %s", body, err, kept)
	}
}

func TestCheckMedia(t *testing.T) {
	for _, c := range []struct {
		contentType, encoding string
		accepted              bool
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
		if (err == nil) != c.accepted || err != nil && venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("Content-Type %q, Content-Encoding %q: error %v, want accepted %v", c.contentType, c.encoding, err, c.accepted)
		}
	}
}
