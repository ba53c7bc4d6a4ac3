package connectortest

import (
	"encoding/json"
	"reflect"
	"testing"
)

// SameJSON fails the test unless what was said and what is wanted are the same JSON.
func SameJSON(t testing.TB, who, said, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if err := json.Unmarshal([]byte(said), &a); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s said %s\nwant %s", who, said, want)
	}
}
