package venues_test

import (
	"strconv"
	"testing"

	"venuegate/venues"
)

// The message names what the details have, up to a number that a person reads.
func TestMessageNamesEveryFaultyField(t *testing.T) {
	faults := []venues.FieldFault{{Field: "qty", Rule: "not_positive"}, {Field: "price", Rule: "missing"}}
	if e := venues.InvalidFields(faults[0]); e.Message != "qty: not_positive" {
		t.Errorf("%q", e.Message)
	}
	if e := venues.InvalidFields(faults...); e.Message != "qty: not_positive; price: missing" {
		t.Errorf("%q", e.Message)
	}
	for i := range 10 {
		faults = append(faults, venues.FieldFault{Field: "f" + strconv.Itoa(i), Rule: "unknown_name"})
	}
	const want = "qty: not_positive; price: missing; f0: unknown_name; f1: unknown_name; f2: unknown_name; f3: unknown_name; " +
		"f4: unknown_name; f5: unknown_name; and 4 more"
	if e := venues.InvalidFields(faults...); e.Message != want || len(e.Details["fields"].([]venues.FieldFault)) != len(faults) {
		t.Errorf("%q", e.Message)
	}
}
