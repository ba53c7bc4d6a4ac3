package account

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// paysIn sets the fee of an execution to 0.1 of a currency.
func paysIn(currency string) func(*venues.ExecutionReport) {
	return func(r *venues.ExecutionReport) {
		r.Fill.Fee, r.Fill.FeeCurrency = venues.Some(venues.MustDecimal("0.1")), currency
	}
}

func (b *fixture) wantEarned(want string) {
	b.t.Helper()
	if got := b.state.risk.Earned(); !got.Equal(venues.MustDecimal(want)) {
		b.t.Errorf("the day has brought %s, want %s", got, want)
	}
}

func (b *fixture) wantUncounted(amount string) {
	b.t.Helper()
	var got decimal.Decimal
	for _, fees := range b.state.risk.Record().Uncounted {
		got = got.Add(fees.Amount)
	}
	if !got.Equal(venues.MustDecimal(amount)) {
		b.t.Errorf("%s of fees are not counted, want %s", got, amount)
	}
}

func (b *fixture) rows(kind string) int {
	n := 0
	for i := range b.journal {
		if b.journal[i].Kind == kind {
			n++
		}
	}
	return n
}

// TestForeignFeeCountsAtItsPrice: the fee counts at the price at the execution, also after
// a restart.
func TestForeignFeeCountsAtItsPrice(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.prices = map[string]string{"BNBUSDT": "600"}
	b.adoptForeign(1, venues.Buy, "1", "100", paysIn("BNB"))
	b.wantEarned("-60")
	b.prices["BNBUSDT"] = "700"
	b.adoptForeign(2, venues.Buy, "1", "100", paysIn("USDC")) // counts like the settlement's
	b.wantEarned("-60.1")
	b.wantUncounted("0")
	b.restart().wantEarned("-60.1")
}

// TestForeignFeeWithoutAPriceIsJournaled: it is counted once there is a price.
func TestForeignFeeWithoutAPriceIsJournaled(t *testing.T) {
	b := limited(t)
	b.adoptForeign(2, venues.Sell, "1", "100", paysIn("BNB"))
	b.adoptForeign(3, venues.Buy, "1", "100", paysIn("BNB"))
	b.wantEarned("-0.5")
	b.wantUncounted("0.2")
	if n := b.rows("risk.fee_uncounted"); n != 1 {
		t.Errorf("%d rows risk.fee_uncounted, want 1", n)
	}
	again := b.restart()
	again.state.risk.Limits = b.state.risk.Limits
	again.step(func(stepContext) {})
	again.wantUncounted("0.2")
	again.prices = map[string]string{"BNBUSDT": "600"}
	again.streamPosition(venues.Long, "2")
	again.pass(risk.FeePriceEvery)
	again.wantEarned("-120.5")
	again.wantUncounted("0")
	if again.rows("risk.fee_counted") != 1 || again.state.risk.Record().Lock == nil {
		t.Errorf("%d rows risk.fee_counted, lock = %+v, want 1 row and a lock", again.rows("risk.fee_counted"), again.state.risk.Record().Lock)
	}
}

func TestUncountedFeesEndWithTheirDay(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "1", "100", paysIn("BNB"))
	b.wantUncounted("0.1")
	b.now = b.now.Add(24 * time.Hour)
	b.prices = map[string]string{"BNBUSDT": "600"}
	b.step(func(stepContext) {})
	b.wantEarned("0")
	b.wantUncounted("0")
	if slices.ContainsFunc(b.recordedFills(), func(f persistence.FillRecord) bool { return f.FeeInSettlement.Valid }) {
		t.Errorf("fills = %+v, want none with a fee in the settlement currency", b.recordedFills())
	}
}
