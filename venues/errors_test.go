package venues_test

import (
	"strconv"
	"testing"

	"venuegate/venues"
)

// The message names the invalid fields up to a readable number; the details have all of
// them.
func TestMessageNamesInvalidFields(t *testing.T) {
	fields := []venues.FieldError{{Field: "qty", Rule: "not_positive"}, {Field: "price", Rule: "missing"}}
	if e := venues.InvalidFields(fields[0]); e.Message != "qty: not_positive" {
		t.Errorf("message = %q, want qty alone", e.Message)
	}
	if e := venues.InvalidFields(fields...); e.Message != "qty: not_positive; price: missing" {
		t.Errorf("message = %q, want both fields", e.Message)
	}
	for i := range 10 {
		fields = append(fields, venues.FieldError{Field: "f" + strconv.Itoa(i), Rule: "unknown_name"})
	}
	const want = "qty: not_positive; price: missing; f0: unknown_name; f1: unknown_name; f2: unknown_name; f3: unknown_name; " +
		"f4: unknown_name; f5: unknown_name; and 4 more"
	if e := venues.InvalidFields(fields...); e.Message != want || len(e.Details["fields"].([]venues.FieldError)) != len(fields) {
		t.Errorf("message = %q, want %q", e.Message, want)
	}
}
