package position

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
)

// realize adds executions and returns the sum of what each one has realized.
func realize(t interface{ Fatalf(string, ...any) }, l *ledger, list ...Execution) decimal.Decimal {
	sum := decimal.Zero
	for _, e := range list {
		gain := l.now.realized(e)
		if !gain.Valid {
			t.Fatalf("P&L of %+v is unknown, want it known", e)
		}
		sum = sum.Add(gain.Decimal)
		l.add(e)
	}
	return sum
}

func TestRealizedUsesTheAverageCostOfWhatIsOpen(t *testing.T) {
	l := newLedger("BTCUSDT")
	for n, c := range []struct {
		side       venues.Side
		qty, price string
		want       string
	}{
		{venues.Buy, "2", "100", "0"},
		{venues.Sell, "1", "110", "10"},
		{venues.Buy, "1", "120", "0"},
		{venues.Sell, "1", "130", "20"},
		{venues.Sell, "3", "90", "-20"}, // reverses
		{venues.Buy, "2", "80", "20"},
	} {
		if got := realize(t, l, exec(n, c.side, c.qty, c.price)); !got.Equal(venues.MustDecimal(c.want)) {
			t.Errorf("%s %s at %s realized %s, want %s", c.side, c.qty, c.price, got, c.want)
		}
		l = restarted(l)
	}
}

// In hedge mode the side of the position decides what an execution adds to: more of an open
// position realizes nothing, nor does an exit of the other one.
func TestRealizedInHedgeMode(t *testing.T) {
	l := newLedger("BTCUSDT")
	for n, c := range []struct {
		on         venues.PositionSide
		side       venues.Side
		qty, price string
		want       string
	}{
		{venues.Long, venues.Buy, "1", "100", "0"},
		{venues.Long, venues.Buy, "1", "120", "0"},
		{venues.Short, venues.Sell, "1", "130", "0"},
		{venues.Short, venues.Sell, "1", "150", "0"},
		{venues.Long, venues.Sell, "2", "115", "10"},
		{venues.Short, venues.Buy, "1", "135", "5"},
	} {
		e := exec(n, c.side, c.qty, c.price)
		e.PositionSide = c.on
		if got := realize(t, l, e); !got.Equal(venues.MustDecimal(c.want)) {
			t.Errorf("%s %s at %s of the %s position realized %s, want %s", c.side, c.qty, c.price, c.on, got, c.want)
		}
	}
}

// TestRealizedAfterAdjust: the realized P&L is computed with the average price of the
// venue's list, and unknown if that price is.
func TestRealizedAfterAdjust(t *testing.T) {
	l := ledgerOf(exec(1, venues.Buy, "1", "100"))
	l.adjust(len(l.recent), venues.Long, venues.MustDecimal("3"), venues.Some(venues.MustDecimal("110")), ledgerStart)
	if got := realize(t, l, exec(9, venues.Sell, "1", "120")); !got.Equal(venues.MustDecimal("10")) {
		t.Errorf("realized %s, want 10", got)
	}
	l.adjust(len(l.recent), venues.Long, venues.MustDecimal("1"), venues.Optional{}, ledgerStart.Add(recentSpan))
	if got := realize(t, l, exec(99, venues.Sell, "1", "120")); !got.Equal(venues.MustDecimal("10")) {
		t.Errorf("realized %s after an exit without an execution, want 10", got)
	}
	l = newLedger("BTCUSDT")
	l.adjust(len(l.recent), venues.Long, venues.MustDecimal("1"), venues.Optional{}, ledgerStart)
	l.add(exec(1, venues.Buy, "1", "100"))
	if got := l.now.realized(exec(2, venues.Sell, "1", "120")); got.Valid {
		t.Errorf("realized %s of a position of unknown cost, want unknown", got.Decimal)
	}
}

func TestRealizedAddsUpToThePnlOfClosedPositions(t *testing.T) {
	bound := decimal.New(1, -6)
	rapid.Check(t, func(rt *rapid.T) {
		l := newLedger("BTCUSDT")
		sum, net := decimal.Zero, decimal.Zero
		for n := range rapid.IntRange(1, 30).Draw(rt, "executions") {
			e := exec(n, rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side"),
				decimal.New(int64(rapid.IntRange(1, 30).Draw(rt, "qty")), -1).String(),
				decimal.New(int64(rapid.IntRange(1, 9999).Draw(rt, "price")), -2).String())
			sum = sum.Add(realize(rt, l, e))
			if net = net.Add(e.Qty); e.Side == venues.Sell {
				net = net.Sub(e.Qty).Sub(e.Qty)
			}
		}
		if !net.IsZero() {
			side := venues.Sell
			if net.IsNegative() {
				side = venues.Buy
			}
			sum = sum.Add(realize(rt, l, exec(99, side, net.Abs().String(), "50")))
		}
		total := decimal.Zero
		for _, c := range l.closings {
			total = total.Add(Pnl(c.Side, &c.Position).Decimal)
		}
		if sum.Sub(total).Abs().GreaterThan(bound) {
			rt.Fatalf("realized %s, want the %s of the closed positions", sum, total)
		}
	})
}
