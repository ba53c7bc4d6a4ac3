package simcore_test

import (
	"testing"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func byTiers(o *simcore.Options) { o.LiquidationByTiers = true }

// liquidations returns for each liquidation order filled since mark whether it was
// partial.
func (e *engine) liquidations(mark int) (partial []bool) {
	for _, event := range e.events[mark:] {
		if body, ok := event.Body.(simcore.OrderEvent); ok && body.Order.Liquidation && body.Kind == simcore.OrderFilled {
			partial = append(partial, body.Order.Partial)
		}
	}
	return partial
}

func TestLiquidationByTiers(t *testing.T) {
	t.Run("cross", func(t *testing.T) {
		e := newEngine(t, byTiers)
		a := e.trader()
		e.place(market(a, simcore.Buy, "30"))
		resting := e.place(limit(a, simcore.Sell, "1", "61000"))
		_, p := e.view(a)
		mark := len(e.events)
		price := p.LiquidationPrice.Sub(dec("1"))
		e.must(e.SetMark("BTCUSDT", price))
		_, p = e.view(a)
		e.equal("position at the cap of the lowest tier", p.Qty, dec("50000").Div(price).Truncate(3).String())
		if got := e.liquidations(mark); len(got) != 1 || !got[0] {
			t.Errorf("partial = %v, want [true]", got)
		}
		simtest.Equal(t, "resting order", e.current(resting).Status, simcore.StatusCancelled)
		mark = len(e.events)
		e.must(e.SetMark("BTCUSDT", dec("100")))
		_, p = e.view(a)
		e.equal("position", p.Qty, "0")
		if got := e.liquidations(mark); len(got) != 1 || got[0] {
			t.Errorf("partial = %v, want [false]", got)
		}
	})
	t.Run("too late for a part", func(t *testing.T) {
		e := newEngine(t, byTiers)
		a := e.trader()
		e.place(market(a, simcore.Buy, "30"))
		mark := len(e.events)
		e.must(e.SetMark("BTCUSDT", dec("30000")))
		if got := e.liquidations(mark); len(got) != 1 || got[0] {
			t.Errorf("partial = %v, want [false]", got)
		}
	})
	t.Run("isolated", func(t *testing.T) {
		e := newEngine(t, byTiers)
		a := e.trader()
		e.must(e.SetMarginMode(a, "BTCUSDT", true))
		e.place(market(a, simcore.Sell, "30"))
		_, p := e.view(a)
		mark := len(e.events)
		e.must(e.SetMark("BTCUSDT", p.LiquidationPrice.Add(dec("1"))))
		if got := e.liquidations(mark); len(got) == 0 || !got[0] {
			t.Errorf("partial = %v, want true first", got)
		}
	})
}

// With LiquidationIncludesFee the liquidation price is reached earlier.
func TestLiquidationPriceIncludesClosingFee(t *testing.T) {
	price := func(options ...func(*simcore.Options)) string {
		e := newEngine(t, options...).empty()
		e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec("60000"), dec("2")))
		a := e.trader()
		wallet := dec("3060")
		e.must(e.SetLeverage(a, "BTCUSDT", 100))
		e.place(market(a, simcore.Buy, "2"))
		_, err := e.UpdateAccount(a, simcore.AccountRequest{Balance: &wallet})
		e.must(err)
		_, p := e.view(a)
		e.must(e.SetMark("BTCUSDT", p.LiquidationPrice.Add(dec("0.01"))))
		if _, held := e.view(a); held.Qty.IsZero() {
			t.Error("no position above the liquidation price, want one")
		}
		e.must(e.SetMark("BTCUSDT", p.LiquidationPrice.Sub(dec("0.01"))))
		if _, held := e.view(a); !held.Qty.IsZero() {
			t.Errorf("position below the liquidation price = %s, want 0", held.Qty)
		}
		return p.LiquidationPrice.Round(4).String()
	}
	// (120000 - 3060 - 50) / (2 * (1 - 0.005)), and with the fee 0.0005 more in the divisor.
	simtest.Equal(t, "liquidation price without the fee", price(), "58738.6935")
	simtest.Equal(t, "liquidation price with the fee", price(func(o *simcore.Options) { o.LiquidationIncludesFee = true }), "58768.2252")
}
