package rows

import (
	"bytes"
	"testing"
)

// TestPrimaryOfIndexRows compares the primary keys of all index rows of the samples with those
// of their entities.
func TestPrimaryOfIndexRows(t *testing.T) {
	tables := map[byte]bool{}
	for _, e := range append(layoutSample(t), fullSample(t)...) {
		for _, r := range e.index {
			reader := keyReader{rest: r.key}
			_ = reader.text()
			tables[byte(reader.table())] = true
			if got, isIndex, err := primaryOf(r.key); err != nil || !isIndex || !bytes.Equal(got, e.key) {
				t.Errorf("primaryOf(%q) = %q, %v, %v; want %q, true, nil", r.key, got, isIndex, err, e.key)
			}
		}
	}
	if len(tables) != 18 {
		t.Errorf("the samples have index rows of %d tables, want 18", len(tables))
	}
}
