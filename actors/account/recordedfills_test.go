package account

import (
	"slices"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// Fills of the venue are compared with all records of their time, whatever the order in which the
// venue lists them: one that is missed would be counted twice.
func TestRecordedFillsAreFoundInAnyOrder(t *testing.T) {
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	batch := persistence.Batch{Fence: fence}
	var listed []venues.Fill
	for n := 6000; n <= 24000; n += 6000 { // of one instrument, six seconds apart
		record := storetest.NewFill("c1", n)
		listed = append(listed, record.Fill)
		if n == 12000 {
			record.OrderID = ""
		}
		if n < 24000 {
			batch.Puts = append(batch.Puts, record)
		}
	}
	if err := store.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	a := &account{deps: Deps{Config: Config{Customer: "c1", Exchange: listed[0].Exchange}, Store: store}}
	for range 2 {
		fills, unattributed, err := a.newFills(t.Context(), listed)
		slices.SortFunc(fills, func(f, g venues.Fill) int { return f.ExecutedAt.Compare(g.ExecutedAt.Time) })
		if err != nil || len(fills) != 2 || fills[0].FillID != "fil_012000" || fills[1].FillID != "fil_024000" {
			t.Errorf("new fills = %+v, %v, want 12000, which has no order, and 24000", fills, err)
		}
		if len(unattributed) != 1 || unattributed[0].FillID != "fil_012000" {
			t.Errorf("fills without an order = %+v, want 12000", unattributed)
		}
		fills, err = a.unrecorded(t.Context(), listed)
		if err != nil || len(fills) != 1 || fills[0].FillID != "fil_024000" {
			t.Errorf("fills without a record = %+v, %v, want 24000", fills, err)
		}
		slices.Reverse(listed)
	}
}
