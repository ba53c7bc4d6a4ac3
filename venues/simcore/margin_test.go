package simcore_test

import (
	"testing"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

// The values are those that the venue reported for a position of a real account.
func TestMarginsEqualThoseOfARealAccount(t *testing.T) {
	for _, test := range []struct{ wallet, mark, pnl, notional, initial, maintenance, liquidation string }{
		{"25.72470371", "67502.68519858", "0.51106678", "607.52416678", "7.59405208", "2.43009666", "64846.987538"},
		{"25.72647983", "67582.2", "1.2267", "608.2398", "7.60299750", "2.4329592", "64846.789399"},
	} {
		e := newEngine(t).empty()
		e.must(e.SetMark("BTCUSDT", dec("67445.9")))
		e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec("67445.9"), dec("0.009")))
		a := e.trader()
		e.must(e.SetLeverage(a, "BTCUSDT", 80))
		e.place(market(a, simcore.Buy, "0.009"))
		wallet := dec(test.wallet)
		_, err := e.UpdateAccount(a, simcore.AccountRequest{Balance: &wallet})
		e.must(err)
		e.must(e.SetMark("BTCUSDT", dec(test.mark)))
		_, p := e.view(a)
		e.equal("entry price", p.EntryPrice, "67445.9")
		e.equal("break-even price", p.BreakEvenPrice, "67479.62295")
		e.equal("profit", p.UnrealizedPnL, test.pnl)
		e.equal("notional", p.Notional.Truncate(8), test.notional)
		e.equal("position margin", p.PositionMargin, test.initial)
		e.equal("maintenance margin", p.MaintenanceMargin, test.maintenance)
		e.equal("liquidation price", p.LiquidationPrice.Round(6), test.liquidation)
	}
}

func TestOrderMargin(t *testing.T) {
	e := newEngine(t).empty()
	a := e.trader()
	e.must(e.SetLeverage(a, "BTCUSDT", 10))
	e.place(limit(a, simcore.Buy, "1", "58000"))
	v, p := e.view(a)
	e.equal("bids", p.BidNotional, "58000")
	e.equal("order margin of bids", p.OrderMargin, "5800")
	e.equal("available", v.Available, "94200")
	// The venue reserves margin for the larger side only.
	e.place(limit(a, simcore.Sell, "0.5", "61000"))
	_, p = e.view(a)
	e.equal("order margin of both sides", p.OrderMargin, "5800")
	_, err := e.CancelAll(a, "")
	e.must(err)
	v, _ = e.view(a)
	e.equal("available afterwards", v.Available, "100000")
}

func TestLeverageSettings(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.rejected(simcore.ReasonLeverage, e.SetLeverage(a, "BTCUSDT", 0))
	e.rejected(simcore.ReasonLeverage, e.SetLeverage(a, "BTCUSDT", 126))
	e.must(e.SetLeverage(a, "BTCUSDT", 20))
	e.place(market(a, simcore.Buy, "15"))
	e.rejected(simcore.ReasonPositionTooLarge, e.SetLeverage(a, "BTCUSDT", 100))
	e.rejected(simcore.ReasonInsufficientMargin, e.SetLeverage(a, "BTCUSDT", 2))
	e.rejected(simcore.ReasonOpenPosition, e.SetMarginMode(a, "BTCUSDT", true))
	e.rejected(simcore.ReasonOpenPosition, e.SetPositionMode(a, simcore.Hedge))
	e.rejected(simcore.ReasonNoChange, e.SetPositionMode(a, simcore.OneWay))

	b := e.trader()
	e.must(e.SetMarginMode(b, "BTCUSDT", true))
	e.rejected(simcore.ReasonNoChange, e.SetMarginMode(b, "BTCUSDT", true))
	e.place(market(b, simcore.Buy, "1"))
	e.rejected(simcore.ReasonLeverageIsolated, e.SetLeverage(b, "BTCUSDT", 10))
	e.must(e.SetLeverage(b, "BTCUSDT", 50))
	e.place(limit(b, simcore.Buy, "0.01", "59000"))
	e.rejected(simcore.ReasonOpenOrders, e.SetMarginMode(b, "BTCUSDT", false))
}

// With IsolatedTopUp a lower leverage adds the missing margin to an isolated position.
func TestLowerLeverageAddsIsolatedMargin(t *testing.T) {
	e := newEngine(t, func(o *simcore.Options) { o.IsolatedTopUp = true })
	a := e.trader()
	e.must(e.SetMarginMode(a, "BTCUSDT", true))
	e.place(limit(a, simcore.Buy, "1", "60100"))
	_, before := e.view(a)
	e.must(e.SetLeverage(a, "BTCUSDT", 10))
	v, p := e.view(a)
	e.equal("isolated wallet at leverage 10", p.IsolatedWallet, p.Notional.Div(dec("10")).String())
	e.equal("cross wallet", v.CrossWallet, v.Wallet.Sub(p.IsolatedWallet).String())
	if !p.IsolatedWallet.GreaterThan(before.IsolatedWallet) {
		t.Errorf("isolated wallet = %s, want more than %s", p.IsolatedWallet, before.IsolatedWallet)
	}
	e.must(e.SetLeverage(a, "BTCUSDT", 50))
	_, p = e.view(a)
	e.equal("isolated wallet at leverage 50", p.IsolatedWallet, p.Notional.Div(dec("10")).String())
	e.must(e.SetLeverage(a, "BTCUSDT", 1))
	e.place(limit(a, simcore.Sell, "1", "59900"))
	e.must(e.SetLeverage(a, "BTCUSDT", 20))
	e.place(limit(a, simcore.Buy, "10", "60100"))
	e.rejected(simcore.ReasonInsufficientMargin, e.SetLeverage(a, "BTCUSDT", 2))
}

func TestIsolatedMargin(t *testing.T) {
	e := newEngine(t).empty()
	a := e.trader()
	e.must(e.SetMarginMode(a, "BTCUSDT", true))
	e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec("60000"), dec("2")))
	e.must(e.HouseLevel("BTCUSDT", simcore.Buy, dec("59900"), dec("2")))
	e.place(market(a, simcore.Buy, "1"))
	v, p := e.view(a)
	e.equal("isolated wallet", p.IsolatedWallet, "3000")
	e.equal("cross wallet", v.CrossWallet, "96970")
	e.must(e.AddIsolatedMargin(a, "BTCUSDT", simcore.PositionBoth, dec("500")))
	e.rejected(simcore.ReasonInsufficientMargin, e.AddIsolatedMargin(a, "BTCUSDT", simcore.PositionBoth, dec("-501")))
	e.rejected(simcore.ReasonInsufficientMargin, e.AddIsolatedMargin(a, "BTCUSDT", simcore.PositionBoth, dec("97000")))
	e.place(market(a, simcore.Sell, "0.25"))
	_, p = e.view(a)
	e.equal("isolated wallet of three quarters", p.IsolatedWallet, "2625")
	e.place(market(a, simcore.Sell, "0.75"))
	v, p = e.view(a)
	e.equal("isolated wallet of a closed position", p.IsolatedWallet, "0")
	e.equal("realised", p.RealizedPnL, "-100")
	// 100 000 - 100 loss - fees of 60 000 and 59 900 at 0.0005.
	e.equal("wallet", v.Wallet, "99840.05")
}

func TestHedgeMode(t *testing.T) {
	e := newEngine(t)
	hedge := simcore.Hedge
	a := e.account(simcore.AccountRequest{Mode: &hedge})
	long := market(a, simcore.Buy, "1")
	long.PosSide = simcore.PositionLong
	short := market(a, simcore.Sell, "0.4")
	short.PosSide = simcore.PositionShort
	e.place(long)
	e.place(short)
	v, err := e.Account(a)
	e.must(err)
	positions := v.Holdings[0].Positions
	e.equal("long", positions[0].Qty, "1")
	e.equal("short", positions[1].Qty, "-0.4")
	closing := market(a, simcore.Sell, "2")
	closing.PosSide = simcore.PositionLong
	o := e.place(closing)
	if !o.ReduceOnly {
		t.Error("a closing order of hedge mode is not reduce-only, want reduce-only")
	}
	e.equal("filled, up to the position", o.FilledQty(), "1")
	_, err = e.Place(closing)
	e.rejected(simcore.ReasonReduceOnly, err)
	_, err = e.Place(market(a, simcore.Buy, "1"))
	e.rejected(simcore.ReasonPositionSide, err)
}

func TestFunding(t *testing.T) {
	e := newEngine(t)
	long, short := e.trader(), e.trader()
	e.place(market(long, simcore.Buy, "1"))
	e.place(market(short, simcore.Sell, "1"))
	before, _ := e.view(long)
	beforeShort, _ := e.view(short)
	e.advance(time.Minute)
	after, _ := e.view(long)
	afterShort, _ := e.view(short)
	e.equal("paid by the long", after.Wallet.Sub(before.Wallet), "-6")
	e.equal("received by the short", afterShort.Wallet.Sub(beforeShort.Wallet), "6")
	e.advance(time.Minute)
	again, _ := e.view(long)
	e.equal("paid once", again.Wallet.Sub(after.Wallet), "0")
	e.clock.SetOffset(24 * time.Hour)
	e.advance(0)
	jumped, _ := e.view(long)
	e.equal("paid once after a jump", jumped.Wallet.Sub(again.Wallet), "-6")
}

func TestLiquidation(t *testing.T) {
	t.Run("cross", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "30"))
		resting := e.place(limit(a, simcore.Sell, "1", "61000"))
		_, p := e.view(a)
		e.must(e.SetMark("BTCUSDT", p.LiquidationPrice.Add(dec("1"))))
		if _, p = e.view(a); p.Qty.IsZero() {
			t.Fatal("no position above the liquidation price, want one")
		}
		e.must(e.SetMark("BTCUSDT", p.LiquidationPrice.Sub(dec("1"))))
		v, p := e.view(a)
		e.equal("position", p.Qty, "0")
		if v.Wallet.IsNegative() {
			t.Errorf("wallet = %s, want zero or more", v.Wallet)
		}
		calls := 0
		for _, event := range e.events {
			if call, ok := event.Body.(simcore.MarginCallEvent); ok {
				calls++
				e.equal("position of the margin call", call.Positions[0].Qty, "30")
			}
		}
		if calls != 1 {
			t.Errorf("%d margin calls, want 1", calls)
		}
		simtest.Equal(t, "resting order", e.current(resting).Status, simcore.StatusCancelled)
	})
	t.Run("isolated loses its own margin only", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.must(e.SetMarginMode(a, "BTCUSDT", true))
		e.place(market(a, simcore.Buy, "1"))
		e.must(e.SetMark("BTCUSDT", dec("57200")))
		v, p := e.view(a)
		e.equal("position", p.Qty, "0")
		if v.Wallet.LessThan(dec("95000")) {
			t.Errorf("wallet = %s, want at least 95000", v.Wallet)
		}
	})
	t.Run("the insurance fund covers a deficit", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "30"))
		e.must(e.SetMark("BTCUSDT", dec("30000")))
		v, _ := e.view(a)
		e.equal("wallet", v.Wallet, "0")
		last := e.events[len(e.events)-1].Body
		if event, ok := last.(simcore.AccountEvent); !ok || event.Reason != simcore.AccountInsurance {
			t.Errorf("last event = %#v, want an AccountEvent of the insurance", last)
		}
	})
}
