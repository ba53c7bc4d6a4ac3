package account

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
)

// realize counts executions in and sums up what each one has realized.
func realize(t interface{ Fatalf(string, ...any) }, b *book, list ...execution) decimal.Decimal {
	sum := decimal.Zero
	for _, e := range list {
		gain := b.realized(e)
		if !gain.Valid {
			t.Fatalf("not known for %+v", e)
		}
		sum = sum.Add(gain.Decimal)
		b.add(e)
	}
	return sum
}

// TestRealizedAtTheAverageCost of what is open, to which what has left no more
// belongs.
func TestRealizedAtTheAverageCost(t *testing.T) {
	b := newBook("BTCUSDT")
	for n, c := range []struct {
		side       venues.Side
		qty, price string
		want       string
	}{
		{venues.Buy, "2", "100", "0"},
		{venues.Sell, "1", "110", "10"},
		{venues.Buy, "1", "120", "0"},
		{venues.Sell, "1", "130", "20"},
		{venues.Sell, "3", "90", "-20"}, // turns round
		{venues.Buy, "2", "80", "20"},
	} {
		if got := realize(t, b, exec(n, c.side, c.qty, c.price)); !got.Equal(venues.MustDecimal(c.want)) {
			t.Errorf("%s %s at %s: %s, want %s", c.side, c.qty, c.price, got, c.want)
		}
		b = restarted(b)
	}
}

// TestRealizedAfterAdoption goes by the average price of the venue's list, and is
// not known where that is not.
func TestRealizedAfterAdoption(t *testing.T) {
	b := bookOf(exec(1, venues.Buy, "1", "100"))
	b.adjust(len(b.recent), venues.Long, venues.MustDecimal("3"), venues.Some(venues.MustDecimal("110")), ledgerStart)
	if got := realize(t, b, exec(9, venues.Sell, "1", "120")); !got.Equal(venues.MustDecimal("10")) {
		t.Errorf("%s", got)
	}
	b.adjust(len(b.recent), venues.Long, venues.MustDecimal("1"), venues.Optional{}, ledgerStart.Add(recentSpan))
	if got := realize(t, b, exec(99, venues.Sell, "1", "120")); !got.Equal(venues.MustDecimal("10")) {
		t.Errorf("%s after an exit that nobody told", got)
	}
	b = newBook("BTCUSDT")
	b.adjust(len(b.recent), venues.Long, venues.MustDecimal("1"), venues.Optional{}, ledgerStart)
	b.add(exec(1, venues.Buy, "1", "100"))
	if got := b.realized(exec(2, venues.Sell, "1", "120")); got.Valid {
		t.Errorf("%s of a position with an unknown price", got.Decimal)
	}
}

// TestRealizedAddsUp to the P&L of the positions that ended.
func TestRealizedAddsUp(t *testing.T) {
	bound := decimal.New(1, -6)
	rapid.Check(t, func(rt *rapid.T) {
		b := newBook("BTCUSDT")
		sum, net := decimal.Zero, decimal.Zero
		for n := range rapid.IntRange(1, 30).Draw(rt, "executions") {
			e := exec(n, rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side"),
				decimal.New(int64(rapid.IntRange(1, 30).Draw(rt, "qty")), -1).String(),
				decimal.New(int64(rapid.IntRange(1, 9999).Draw(rt, "price")), -2).String())
			sum = sum.Add(realize(rt, b, e))
			if net = net.Add(e.qty); e.side == venues.Sell {
				net = net.Sub(e.qty).Sub(e.qty)
			}
		}
		if !net.IsZero() {
			side := venues.Sell
			if net.IsNegative() {
				side = venues.Buy
			}
			sum = sum.Add(realize(rt, b, exec(99, side, net.Abs().String(), "50")))
		}
		total := decimal.Zero
		for _, over := range b.over {
			total = total.Add(pnl(over.side, &over.life).Decimal)
		}
		if sum.Sub(total).Abs().GreaterThan(bound) {
			rt.Fatalf("realized %s, positions brought %s", sum, total)
		}
	})
}
