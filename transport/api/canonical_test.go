package api_test

import (
	"bytes"
	"testing"

	"venuegate/transport/api"
)

func TestBodyHashIgnoresFormOnly(t *testing.T) {
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
			t.Errorf("%s differs", same)
		}
	}
	for _, other := range []string{
		`{"a":"2","b":{"c":[1,2],"d":null}}`, `{"a":"1","b":{"c":[2,1],"d":null}}`, `{"a":"1","b":{"c":[1,2]}}`,
		`{"a":1,"b":{"c":[1,2],"d":null}}`, `{"a":"1.0","b":{"c":[1,2],"d":null}}`,
	} {
		if bytes.Equal(hash(other), want) {
			t.Errorf("%s is the same", other)
		}
	}
	if bytes.Equal(hash(`{"x":9007199254740993}`), hash(`{"x":9007199254740992}`)) {
		t.Error("numbers pass through floats")
	}
	if _, err := api.BodyHash([]byte(`{"a":`)); err == nil {
		t.Error("no error for a body cut off")
	}
}

func TestBodyHashLeavesTheBodyAlone(t *testing.T) {
	body := []byte(`{ "b":1, "a":2 }`)
	kept := bytes.Clone(body)
	if _, err := api.BodyHash(body); err != nil || !bytes.Equal(body, kept) {
		t.Errorf("%s, %v", body, err)
	}
}
