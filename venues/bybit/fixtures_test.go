package bybit

import (
	"encoding/json"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

// fixture returns a recorded payload.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return fixturetest.Read(t, venues.Bybit, name)
}

// recording is one line of a file of recordings.
type recording struct {
	Name string          `json:"name"`
	Page string          `json:"page"` // of documentation samples
	Note string          `json:"note"`
	Msg  json.RawMessage `json:"msg"`
}

// recordings returns a file of recordings.
func recordings(t testing.TB, name string) []recording {
	t.Helper()
	return fixturetest.Objects[recording](t, venues.Bybit, name)
}

// resultOf returns the result of a recorded answer, which may be recorded without its
// envelope.
func resultOf[T any](t testing.TB, r recording) T {
	t.Helper()
	body := r.Msg
	if _, e, ok := parseEnvelope(body); ok {
		body = e.Result
	}
	var out T
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%s: error %v, want none", r.Name, err)
	}
	return out
}

// rowsOf returns the rows of a recorded list, which may be a single row.
func rowsOf[T any](t testing.TB, r recording) []T {
	t.Helper()
	if list := resultOf[page[T]](t, r).List; list != nil {
		return list
	}
	return []T{resultOf[T](t, r)}
}

// dec is a decimal of a test; "" is unknown.
func dec(text string) venues.Optional { return connectortest.Decimal(text) }
