package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"venuegate/persistence"
)

// Compact encodes the values in JSON again and deletes the index rows that are not written any
// more, in steps of a bounded size. Rows that cannot be decoded and those of the engine stay.
func TestCompact(t *testing.T) {
	before, after := map[string][]byte{}, map[string][]byte{}
	changes := 0
	for _, e := range layoutSample(t) {
		decoded, err := decodePrimary(e.key, e.value)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(decoded.item)
		if err != nil {
			t.Fatal(err)
		}
		before[string(e.key)] = append([]byte{codecVersionJSON}, text...)
		after[string(e.key)] = e.value
		changes++
		for _, r := range e.index {
			before[string(r.key)], after[string(r.key)] = r.value, r.value
		}
	}
	at := time.UnixMilli(1_770_000_000_000)
	id := persistence.NewID(persistence.PrefixOrder, at, zeros{})
	before[string(newKey("cus_1", tableOrderTime).time(at).text(id))] = keyOnly
	changes++
	for key, value := range map[string]string{
		string(newKey("cus_1", tableOrderTime)) + "cut":                "\x01",
		string(newKey("cus_1", tableEvent).number(99)):                 "\x01{",
		string(newKey("cus_1", tableEvent).number(100)):                "",
		string([]byte{0x00, 0x00}) + "r" + string(key{}.text("order")): "\x01{",
	} {
		before[key], after[key] = []byte(value), []byte(value)
	}

	m := memoryRows{rows: before}
	steps := 0
	for from := []byte(nil); steps == 0 || from != nil; steps++ {
		next, err := Compact(m, from, 2)
		if err != nil || steps > changes {
			t.Fatalf("step %d ends with error %v", steps, err)
		}
		from = next
	}
	if want := changes/2 + 1; steps != want { // rows follow those of the last change
		t.Errorf("%d steps for %d changes, want %d", steps, changes, want)
	}
	for key, want := range after {
		if got, exists := m.rows[key]; !exists || !bytes.Equal(got, want) {
			t.Errorf("row %q = %q, want %q", key, got, want)
		}
	}
	if len(m.rows) != len(after) {
		t.Errorf("%d rows, want %d", len(m.rows), len(after))
	}

	m.err = persistence.ErrUnavailable
	if next, err := Compact(m, nil, 2); !errors.Is(err, m.err) || next != nil {
		t.Errorf("Compact of rows that cannot be read = %q, %v; want nil, %v", next, err, m.err)
	}
}
