package simnet_test

import (
	"fmt"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

func TestTable(t *testing.T) {
	t.Parallel()
	rows := simnet.Table(`
symbol   tick  status
BTCUSDT  0.10  -
OMGUSDT  1     SETTLING
`)
	if len(rows) != 2 || rows[0]["tick"] != "0.10" || rows[0]["status"] != "" || rows[1]["status"] != "SETTLING" {
		t.Errorf("rows = %v, want 2 with tick 0.10, no status and status SETTLING", rows)
	}
}

// drawSide draws one side of a book, highest price first.
func drawSide(t *rapid.T, name string) []simcore.Level {
	prices := rapid.SliceOfNDistinct(rapid.Int64Range(1, 60), 0, 30, rapid.ID[int64]).Draw(t, name)
	levels := []simcore.Level{}
	for price := int64(60); price > 0; price-- {
		for _, p := range prices {
			if p == price {
				qty := rapid.Int64Range(1, 3).Draw(t, "qty")
				levels = append(levels, simcore.Level{Price: decimal.NewFromInt(price), Qty: decimal.NewFromInt(qty)})
			}
		}
	}
	return levels
}

func TestBookDeltaTurnsOneSideIntoTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawSide(t, "before"), drawSide(t, "after")
		kept := map[string]string{}
		for _, l := range before {
			kept[l.Price.String()] = l.Qty.String()
		}
		for _, row := range simnet.BookDelta(before, after, simcore.Buy) {
			if row.Qty.IsZero() {
				delete(kept, row.Price.String())
			} else {
				kept[row.Price.String()] = row.Qty.String()
			}
		}
		if len(kept) != len(after) {
			t.Fatalf("levels = %v, want %v", kept, after)
		}
		for _, l := range after {
			if kept[l.Price.String()] != l.Qty.String() {
				t.Fatalf("quantity at %s = %s, want %s", l.Price, kept[l.Price.String()], l.Qty)
			}
		}
	})
}

func TestResize(t *testing.T) {
	t.Parallel()
	copied := func(row, coin string, n int) string { return fmt.Sprint(row, coin, n) }
	for count, want := range map[int]string{
		-1: "[a b]", 0: "[a b]", 1: "[a]", 2: "[a b]", 5: "[a b aSIM11 bSIM22 aSIM33]",
	} {
		if got := fmt.Sprint(simnet.Resize([]string{"a", "b"}, count, copied)); got != want {
			t.Errorf("%d rows = %s, want %s", count, got, want)
		}
	}
}
