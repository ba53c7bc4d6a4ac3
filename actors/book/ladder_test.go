package book

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"venuegate/venues"
)

// TestLadderIsAMap compares one side with a map under random operations.
func TestLadderIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sign := int64(1 - 2*rapid.IntRange(0, 1).Draw(t, "side"))
		l, naive := newLadder(sign), map[int64]int64{}
		for range rapid.IntRange(1, 300).Draw(t, "changes") {
			level := venues.Level{Price: rapid.Int64Range(1, 60).Draw(t, "price"), Qty: rapid.Int64Range(0, 3).Draw(t, "qty")}
			l.set(level)
			mapBook{naive, naive}.apply([]venues.Level{level}, nil)
			if got, want := l.top(nil, DepthMax), top(naive, sign, DepthMax); !slices.Equal(got, want) {
				t.Fatalf("after %v: %v, want %v", level, got, want)
			}
		}
	})
}

// TestLadderIsBounded checks that far levels are dropped and are then unknown.
func TestLadderIsBounded(t *testing.T) {
	l := newLadder(+1)
	for price := range int64(levelsMax + 1) {
		l.set(venues.Level{Price: price + 1, Qty: 1})
	}
	if len(l.levels) != levelsKept || l.thin() {
		t.Fatalf("levels = %d, thin %t, want %d and false", len(l.levels), l.thin(), levelsKept)
	}
	worst := l.levels[0].Price
	l.set(venues.Level{Price: worst - 1, Qty: 1})
	if len(l.levels) != levelsKept {
		t.Errorf("levels = %d, want %d: none beyond the known ones", len(l.levels), levelsKept)
	}
	for price := range int64(levelsMax + 1) {
		if price+1 > worst+DepthMax-2 {
			l.set(venues.Level{Price: price + 1})
		}
	}
	if !l.thin() {
		t.Errorf("thin = false with %d levels, want true", len(l.levels))
	}
}
