package connectortest

import (
	"encoding/json"
	"reflect"
	"testing"

	"venuegate/venues"
)

// SameJSON fails the test unless two texts are equal JSON. name identifies them in the
// failure message.
func SameJSON(t testing.TB, name, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if err := json.Unmarshal([]byte(got), &a); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s = %s\nwant %s", name, got, want)
	}
}

// Decimal parses a decimal as venues print it; "" is unknown. It panics if text is
// invalid.
func Decimal(text string) venues.Optional {
	if text == "" {
		return venues.Optional{}
	}
	d, err := venues.ParseVenueDecimal(text)
	if err != nil {
		panic(err)
	}
	return venues.Some(d)
}
