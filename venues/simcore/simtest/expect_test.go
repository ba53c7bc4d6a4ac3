package simtest_test

import (
	"encoding/json"
	"testing"

	"venuegate/venues/simcore/simtest"
)

// failures is a test that counts its failures.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.count++ }

func TestExpectReportsDifferences(t *testing.T) {
	got := simtest.Object{"text": "1", "number": json.Number("1"), "null": nil, "empty": ""}
	for _, test := range []struct {
		name  string
		check func(testing.TB)
		want  int
	}{
		{"equal", func(t testing.TB) {
			simtest.Expect(t, got, simtest.Object{"text": "1", "number": 1, "null": nil, "absent": nil})
		}, 0},
		{"types", func(t testing.TB) { simtest.Expect(t, got, simtest.Object{"text": 1, "number": "1"}) }, 2},
		{"any", func(t testing.TB) {
			simtest.Expect(t, got, simtest.Object{"text": simtest.Any, "null": simtest.Any, "empty": simtest.Any})
		}, 2},
		{"rows", func(t testing.TB) {
			simtest.ExpectRows(t, []simtest.Object{got, got}, simtest.Object{"text": "1"}, simtest.Object{"text": "2"})
		}, 1},
		{"number of rows", func(t testing.TB) { simtest.ExpectRows(t, []simtest.Object{got}) }, 1},
		{"length", func(t testing.TB) { simtest.ExpectLen(t, []int{1}, 2) }, 1},
		{"value", func(t testing.TB) { simtest.Equal(t, "value", 1, 2) }, 1},
	} {
		f := &failures{TB: t}
		test.check(f)
		if f.count != test.want {
			t.Errorf("%s: %d failures, want %d", test.name, f.count, test.want)
		}
	}
}
