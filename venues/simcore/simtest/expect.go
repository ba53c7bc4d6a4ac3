package simtest

import (
	"encoding/json"
	"strconv"
	"testing"
)

// anyValue is the type of [Any].
type anyValue struct{}

// Any stands for any value in an object given to [Expect], except null and the empty
// string.
var Any anyValue

// Equal reports a value that differs from want. The name says what the value is.
func Equal[T comparable](t testing.TB, name string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

// Expect reports the members of an object that differ from want. An int in want
// stands for that JSON number, nil for a member that is absent or null.
func Expect(t testing.TB, got, want Object) {
	t.Helper()
	for name, value := range want {
		if !fits(got[name], value) {
			t.Errorf("%s = %v, want %v, in %v", name, got[name], value, got)
		}
	}
}

// ExpectRows reports a list with another number of rows than want, and the members of
// its rows that differ, as [Expect] does.
func ExpectRows(t testing.TB, got []Object, want ...Object) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d: %v", len(got), len(want), got)
		return
	}
	for i := range want {
		Expect(t, got[i], want[i])
	}
}

// ExpectLen reports a list of another length.
func ExpectLen[Row any](t testing.TB, got []Row, want int) {
	t.Helper()
	if len(got) != want {
		t.Errorf("%d rows, want %d: %v", len(got), want, got)
	}
}

func fits(got, want any) bool {
	switch want := want.(type) {
	case anyValue:
		return got != nil && got != ""
	case int:
		return got == json.Number(strconv.Itoa(want))
	}
	return got == want
}
