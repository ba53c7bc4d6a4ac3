package account

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// paysIn makes the fee of an execution 0.1 of a currency.
func paysIn(currency string) func(*venues.ExecutionReport) {
	return func(r *venues.ExecutionReport) {
		r.Fill.Fee, r.Fill.FeeCurrency = venues.Some(venues.MustDecimal("0.1")), currency
	}
}

func (b *bench) wantEarned(want string) {
	b.t.Helper()
	if got := b.state.risk.earned; !got.Equal(venues.MustDecimal(want)) {
		b.t.Errorf("the day has brought %s, want %s", got, want)
	}
}

func (b *bench) wantUncounted(amount string) {
	b.t.Helper()
	var got decimal.Decimal
	for _, fees := range b.state.risk.record.Uncounted {
		got = got.Add(fees.Amount)
	}
	if !got.Equal(venues.MustDecimal(amount)) {
		b.t.Errorf("%s of fees are not counted, want %s", got, amount)
	}
}

func (b *bench) rows(kind string) int {
	n := 0
	for i := range b.journal {
		if b.journal[i].Kind == kind {
			n++
		}
	}
	return n
}

// TestForeignFeeCountsAtItsPrice, and after a restart at the price of that time.
func TestForeignFeeCountsAtItsPrice(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.prices = map[string]string{"BNBUSDT": "600"}
	b.stranger(1, venues.Buy, "1", "100", paysIn("BNB"))
	b.wantEarned("-60")
	b.prices["BNBUSDT"] = "700"
	b.stranger(2, venues.Buy, "1", "100", paysIn("USDC")) // counts like the settlement's
	b.wantEarned("-60.1")
	b.wantUncounted("0")
	b.restart().wantEarned("-60.1")
}

// TestForeignFeeWithoutAPriceIsSaid and counted as soon as there is one.
func TestForeignFeeWithoutAPriceIsSaid(t *testing.T) {
	b := limited(t)
	b.stranger(2, venues.Sell, "1", "100", paysIn("BNB"))
	b.stranger(3, venues.Buy, "1", "100", paysIn("BNB"))
	b.wantEarned("-0.5")
	b.wantUncounted("0.2")
	if n := b.rows("risk.fee_uncounted"); n != 1 {
		t.Errorf("said %d times", n)
	}
	again := b.restart()
	again.state.risk.limits = b.state.risk.limits
	again.step(func(moment) {})
	again.wantUncounted("0.2")
	again.prices = map[string]string{"BNBUSDT": "600"}
	again.lists(venues.Long, "2")
	again.pass(feePriceEvery)
	again.wantEarned("-120.5")
	again.wantUncounted("0")
	if again.rows("risk.fee_counted") != 1 || again.state.risk.record.Lock == nil {
		t.Errorf("lock %+v", again.state.risk.record.Lock)
	}
}

// TestUncountedFeesEndWithTheirDay.
func TestUncountedFeesEndWithTheirDay(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Buy, "1", "100", paysIn("BNB"))
	b.wantUncounted("0.1")
	b.now = b.now.Add(24 * time.Hour)
	b.prices = map[string]string{"BNBUSDT": "600"}
	b.step(func(moment) {})
	b.wantEarned("0")
	b.wantUncounted("0")
	if slices.ContainsFunc(b.recordedFills(), func(f persistence.FillRecord) bool { return f.FeeWorth.Valid }) {
		t.Error("what was not known is written down")
	}
}
