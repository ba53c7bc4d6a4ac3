package simtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Object is a JSON object whose numbers keep their text.
type Object = map[string]any

// Reply is an answer over HTTP.
type Reply struct {
	// Request is the request as text, for failure messages.
	Request string
	Status  int
	Header  http.Header
	Body    []byte
}

// ExpectStatus reports an answer with another HTTP status.
func (r Reply) ExpectStatus(t testing.TB, want int) {
	t.Helper()
	if r.Status != want {
		t.Errorf("%s: status %d %s, want %d", r.Request, r.Status, r.Body, want)
	}
}

// ExpectHeader reports an answer whose header has another value.
func (r Reply) ExpectHeader(t testing.TB, name, want string) {
	t.Helper()
	if got := r.Header.Get(name); got != want {
		t.Errorf("%s: header %s = %q, want %q", r.Request, name, got, want)
	}
}

// Object returns the body, which must be an object.
func (r Reply) Object(t testing.TB) Object {
	t.Helper()
	return Decode(t, r.Body)
}

// List returns the body, which must be a list of objects.
func (r Reply) List(t testing.TB) []Object {
	t.Helper()
	var body []Object
	if err := decode(r.Body, &body); err != nil {
		t.Fatalf("%s: %v", r.Body, err)
	}
	return body
}

// Decode decodes an object.
func Decode(t testing.TB, data []byte) Object {
	t.Helper()
	var body Object
	if err := decode(data, &body); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return body
}

func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// HMAC returns the HMAC-SHA256 of a payload.
func HMAC(secret, payload string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return mac.Sum(nil)
}

// HMACHex returns the HMAC in hexadecimal.
func HMACHex(secret, payload string) string { return hex.EncodeToString(HMAC(secret, payload)) }

// absent is the result of [Num] for a value that is not a number.
const absent = "-999999"

// Num returns a number of a message, given as a string or a number. Any other value
// gives one that no venue sends.
func Num(value any) decimal.Decimal {
	switch value := value.(type) {
	case string:
		return venues.MustDecimal(value)
	case json.Number:
		return venues.MustDecimal(value.String())
	}
	return venues.MustDecimal(absent)
}
