package book_test

import (
	"reflect"
	"testing"
	"time"

	"venuegate/actors/book"
)

// TestPlusAddsEveryCount adds counts that are different in every field.
func TestPlusAddsEveryCount(t *testing.T) {
	var counts, twice book.Counts
	for n := range reflect.TypeFor[book.Counts]().NumField() {
		reflect.ValueOf(&counts).Elem().Field(n).SetUint(uint64(1 + n))
		reflect.ValueOf(&twice).Elem().Field(n).SetUint(uint64(2 + 2*n))
	}
	if got := counts.Plus(counts); got != twice {
		t.Errorf("sum = %+v, want %+v", got, twice)
	}
}

func TestSummaryOfBooks(t *testing.T) {
	sum := book.Summary{Counts: book.Counts{Gaps: 4}} // of books that have ended
	for _, b := range []book.Stats{
		{Phase: book.PhaseLive, PhaseAge: time.Hour, Counts: book.Counts{Gaps: 2, Updates: 9}},
		{Phase: book.PhaseStale, PhaseAge: time.Second, Counts: book.Counts{Gaps: 1}},
		{Phase: book.PhaseStale, PhaseAge: time.Minute},
		{Phase: book.PhaseStale},
		{Phase: book.PhaseWaiting, PhaseAge: time.Hour},
	} {
		sum.Add(b)
	}
	want := book.Summary{Counts: book.Counts{Gaps: 7, Updates: 9}, StaleFor: time.Minute}
	want.Phases[book.PhaseLive], want.Phases[book.PhaseStale], want.Phases[book.PhaseWaiting] = 1, 3, 1
	if sum != want {
		t.Errorf("summary = %+v, want %+v", sum, want)
	}
}
