package account

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// atMidnight returns an account with a loss limit and a long position of 2 whose
// unrealized gain the venue has reported right before midnight. sells reports a sale.
func atMidnight(t *testing.T, gain string) (b *fixture, sells func(qty, realized string, executed time.Time)) {
	b = limited(t)
	b.now = time.Date(2026, 3, 1, 23, 59, 57, 0, time.UTC)
	b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{ReadAt: b.now, Positions: []venues.Position{{
			Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2"), UnrealizedPnl: venues.Some(venues.MustDecimal(gain)),
		}}}})
	})
	n := 10
	return b, func(qty, realized string, executed time.Time) {
		n++
		b.adoptForeign(n, venues.Sell, qty, "100", func(r *venues.ExecutionReport) {
			r.Fill.RealizedPnl, r.Fill.ExecutedAt = venues.Some(venues.MustDecimal(realized)), venues.At(executed)
			r.Fill.Fee = venues.Optional{}
		})
	}
}

// TestPositionThatClosedBeforeMidnight: it does not change the loss of the next day,
// although its executions become known after that day has begun.
func TestPositionThatClosedBeforeMidnight(t *testing.T) {
	before, after := time.Date(2026, 3, 1, 23, 59, 59, 9e8, time.UTC), time.Date(2026, 3, 2, 0, 0, 0, 2e8, time.UTC)
	for name, c := range map[string]struct {
		gain string
		// qty and realized describe the sales, which are executed at at and become known
		// after midnight.
		qty, realized []string
		at            time.Time
		// flat makes the stream report the close of the position before its executions.
		flat bool
		want string
	}{
		"at a gain":            {gain: "500", qty: []string{"2"}, realized: []string{"500"}, at: before, want: "0"},
		"at a loss":            {gain: "-500", qty: []string{"2"}, realized: []string{"-500"}, at: before, want: "0"},
		"reported flat first":  {gain: "500", qty: []string{"2"}, realized: []string{"500"}, at: before, flat: true, want: "0"},
		"in two parts":         {gain: "500", qty: []string{"0.5", "1.5"}, realized: []string{"125", "375"}, at: before, want: "0"},
		"in part":              {gain: "500", qty: []string{"0.5"}, realized: []string{"125"}, at: before, want: "0"},
		"after midnight":       {gain: "500", qty: []string{"2"}, realized: []string{"480"}, at: after, want: "20"},
		"after it, flat first": {gain: "-500", qty: []string{"2"}, realized: []string{"-530"}, at: after, flat: true, want: "30"},
	} {
		t.Run(name, func(t *testing.T) {
			b, sells := atMidnight(t, c.gain)
			b.pass(3 * time.Second)
			if !b.state.risk.Record().Day.Equal(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)) {
				t.Fatalf("day = %v, want 2026-03-02", b.state.risk.Record().Day)
			}
			b.now = after
			if c.flat {
				b.streamPosition(venues.Long, "0")
			}
			for i := range c.qty {
				b.now = b.now.Add(100 * time.Millisecond)
				sells(c.qty[i], c.realized[i], c.at)
			}
			if loss := b.state.risk.DailyLoss().String(); loss != c.want {
				t.Errorf("the loss of the day is %s, want %s", loss, c.want)
			}
		})
	}
}

// TestListThatIncludesTheSale: the list was read after the sale, so that the baseline
// never included the part that was sold.
func TestListThatIncludesTheSale(t *testing.T) {
	b, sells := atMidnight(t, "500")
	b.now = time.Date(2026, 3, 1, 23, 59, 59, 95e7, time.UTC)
	b.step(func(step stepContext) {
		b.state.positionReported(step, venues.Position{
			Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1"), UnrealizedPnl: venues.Some(venues.MustDecimal("250")),
		})
	})
	b.pass(100 * time.Millisecond)
	sells("1", "250", time.Date(2026, 3, 1, 23, 59, 59, 9e8, time.UTC))
	if loss := b.state.risk.DailyLoss().String(); loss != "0" {
		t.Errorf("daily loss = %s, want 0", loss)
	}
}

// TestLockThatIsDueAtMidnight: the limit is reached before midnight, but a request that is
// being sent delays the lock until the day is over. The new day is not locked.
func TestLockThatIsDueAtMidnight(t *testing.T) {
	b := limited(t)
	b.now = time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
	o := b.place(limitOrder(""))
	if rejection := b.state.beginSend(o.OrderID, b.now); rejection != nil {
		t.Fatalf("rejection = %v, want none", rejection)
	}
	b.realizeLoss(2, "1", "-200")
	if got := code(b.tryPlace(func(*placeOrder) {})); got != venues.CodeTradingLocked {
		t.Fatalf("increasing order past the limit: code = %q, want %s", got, venues.CodeTradingLocked)
	}
	b.pass(2 * requestLife)
	if b.state.risk.IsReduceOnly() || countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatalf("reduce-only = %t with %d locks, want false with 1", b.state.risk.IsReduceOnly(), countEvents(b, persistence.EventRiskLimitReached))
	}
}
