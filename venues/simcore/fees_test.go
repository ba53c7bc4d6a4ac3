package simcore_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// feeMargins returns an exchange whose margins include fees, with a taker fee and
// without a minimum notional.
func feeMargins(t *testing.T, fee string) *engine {
	return newEngine(t, func(o *simcore.Options) {
		o.MarginIncludesFees, o.FeeTaker = true, dec(fee)
		for i := range o.Instruments {
			o.Instruments[i].NotionalMin = decimal.Zero
		}
	}).empty()
}

// The values are those that the venue reported for a position of a real account.
func TestPositionMarginIncludesClosingFee(t *testing.T) {
	e := feeMargins(t, "0.001")
	a := e.trader()
	e.must(e.SetLeverage(a, "BTCUSDT", 10))
	e.must(e.MovePrice("BTCUSDT", dec("66473.5")))
	e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec("66473.5"), dec("0.001")))
	e.place(market(a, simcore.Buy, "0.001"))
	e.must(e.SetMark("BTCUSDT", dec("66472.02")))
	v, p := e.view(a)
	e.equal("entry price", p.EntryPrice, "66473.5")
	e.equal("position margin", p.PositionMargin, "6.70702815")
	// 66.47202 x 0.004 and the fee of 0.05982615.
	e.equal("maintenance margin", p.MaintenanceMargin, "0.32571423")
	e.equal("available", v.Available, v.Wallet.Add(p.UnrealizedPnL).Sub(p.PositionMargin).String())
}

// The bid is an order of a real account.
func TestOrderMarginIncludesBothFees(t *testing.T) {
	e := feeMargins(t, "0.00055")
	a := e.trader()
	e.must(e.SetLeverage(a, "BTCUSDT", 10))
	bid := e.place(limit(a, simcore.Buy, "0.001", "25293"))
	_, p := e.view(a)
	e.equal("order margin of a bid", p.OrderMargin, "2.55573119")
	_, err := e.Cancel(a, "BTCUSDT", simcore.OrderRef{ID: bid.ID})
	e.must(err)
	// 60 x (1/10 + 0.00055 x (2 + 1/10)): the bankruptcy price is above the entry.
	e.place(limit(a, simcore.Sell, "0.001", "60000"))
	_, p = e.view(a)
	e.equal("order margin of an ask", p.OrderMargin, "6.0693")
	// The side with the larger margin counts, which is not the one of the larger value.
	e.place(limit(a, simcore.Buy, "0.001", "59990"))
	_, p = e.view(a)
	e.equal("order margin of both", p.OrderMargin, "6.0693")
}

// An order is accepted if its margin with both fees is available.
func TestMarginCheckIncludesFees(t *testing.T) {
	e := feeMargins(t, "0.00055")
	a := e.trader()
	e.must(e.SetLeverage(a, "BTCUSDT", 10))
	// 16.494 x 60 000 x 0.101045 is 99 998.17, and 0.001 more requires 6.06.
	_, err := e.Place(limit(a, simcore.Buy, "16.495", "60000"))
	e.rejected(simcore.ReasonInsufficientMargin, err)
	order := e.place(limit(a, simcore.Buy, "16.494", "60000"))
	_, err = e.Amend(simcore.AmendRequest{Account: a, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: order.ID}, Qty: dec("16.495")})
	e.rejected(simcore.ReasonInsufficientMargin, err)
}

// The margins of isolated positions, long and short, include the fee as well. At the
// liquidation price the equity equals the maintenance margin.
func TestIsolatedMarginIncludesClosingFee(t *testing.T) {
	for _, side := range []simcore.Side{simcore.Buy, simcore.Sell} {
		e := feeMargins(t, "0.001")
		a := e.trader()
		e.must(e.SetLeverage(a, "BTCUSDT", 10))
		e.must(e.SetMarginMode(a, "BTCUSDT", true))
		e.must(e.HouseLevel("BTCUSDT", side.Opposite(), dec("60000"), dec("2")))
		e.place(market(a, side, "0.4"))
		e.place(market(a, side, "0.6"))
		_, p := e.view(a)
		// 60 000 x (1 -+ 1/10) x 0.001 on top of 6000.
		want := map[simcore.Side]string{simcore.Buy: "6054", simcore.Sell: "6066"}[side]
		e.equal("isolated margin", p.IsolatedWallet, want)
		e.equal("position margin", p.PositionMargin, want)
		e.must(e.SetMark("BTCUSDT", p.LiquidationPrice.Add(decimal.NewFromInt(int64(side)))))
		_, p = e.view(a)
		if p.Qty.IsZero() {
			t.Fatalf("%v: liquidated a dollar before the liquidation price, want a position", side)
		}
		left := p.IsolatedWallet.Add(p.UnrealizedPnL).Sub(p.MaintenanceMargin)
		if left.IsNegative() || left.GreaterThan(dec("1.1")) {
			t.Errorf("%v: %s left a dollar before the liquidation price, want 0 to 1.1", side, left)
		}
	}
}

// Fees are truncated to the digits of money, or rounded with FeesRound. The amount is
// that of a real execution.
func TestFeesAreRounded(t *testing.T) {
	for _, test := range []struct {
		rounds bool
		price  string
		fee    string
	}{
		{true, "122529.9", "0.06739145"}, {true, "122529.8", "0.06739139"}, {false, "122529.9", "0.06739144"},
	} {
		e := newEngine(t, func(o *simcore.Options) {
			o.FeesRound, o.FeeTaker = test.rounds, dec("0.00055")
		})
		a := e.trader()
		e.must(e.MovePrice("BTCUSDT", dec("122529")))
		e.empty()
		e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec(test.price), dec("0.001")))
		e.place(market(a, simcore.Buy, "0.001"))
		v, _ := e.view(a)
		e.equal("fee", e.Fills(a, func(*simcore.Fill) bool { return true })[0].Fee, test.fee)
		e.equal("wallet", dec("100000").Sub(v.Wallet), test.fee)
	}
}
