package simcore_test

import (
	"testing"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func number(text string) *simcore.Decimal { return &simcore.Decimal{Decimal: dec(text)} }

func TestControlMarket(t *testing.T) {
	e := newEngine(t)
	c := simcore.NewControl(e.Exchange, &simcore.FaultInjector{})
	yes, levels := true, 5
	page, err := c.Market(simcore.MarketRequest{
		Symbol: "ETHUSDT", Price: number("3100"), Depth: &levels, Halt: &yes, Pause: &yes, Mark: number("3111.5"), FundingRate: number("-0.0002"),
	})
	e.must(err)
	e.equal("last", page.LastPrice, "3100")
	e.equal("mark", page.MarkPrice, "3111.5")
	if page.BidLevels != 5 || page.AskLevels != 5 {
		t.Errorf("market = %+v, want 5 levels on each side", page)
	}
	mark, _ := e.Mark("ETH-SWAP")
	e.equal("rate", mark.FundingRate, "-0.0002")
	if i, _ := e.Instrument("ETH-SWAP"); !i.Halted {
		t.Error("ETH-SWAP is not halted, want halted")
	}
	_, err = c.Market(simcore.MarketRequest{Symbol: "ETH-SWAP"})
	e.rejected(simcore.ReasonUnknownSymbol, err)
}

func TestControlTradeIsInBaseCoin(t *testing.T) {
	e := newEngine(t)
	e.must(e.SetDepth("ETHUSDT", 0))
	c := simcore.NewControl(e.Exchange, &simcore.FaultInjector{})
	o := e.place(simcore.OrderRequest{
		Account: e.trader(), Symbol: "ETH-SWAP", Side: simcore.Buy, Type: simcore.Limit, Price: dec("2990"), Qty: dec("20"),
	})
	page, err := c.Trade(simcore.TradeRequest{Symbol: "ETHUSDT", Side: "sell", Qty: *number("0.5")})
	e.must(err)
	e.equal("filled in base coin", page.FilledQty.Decimal, "0.5")
	e.equal("filled in contracts", e.current(o).FilledQty(), "5")
	market, err := c.Market(simcore.MarketRequest{Symbol: "ETHUSDT"})
	e.must(err)
	e.equal("best bid in base coin", market.BidQty, "1.5")
	e.equal("no ask", market.AskQty, "0")
	_, err = c.Trade(simcore.TradeRequest{Symbol: "ETHUSDT", Side: "long", Qty: *number("1")})
	e.rejected(simcore.ReasonBadRequest, err)
	limited, err := c.Trade(simcore.TradeRequest{Symbol: "ETHUSDT", Side: "sell", Qty: *number("1"), Price: number("2990.01")})
	e.must(err)
	e.equal("beyond the limit", limited.FilledQty.Decimal, "0")
}

func TestControlAccounts(t *testing.T) {
	e := newEngine(t)
	c := simcore.NewControl(e.Exchange, &simcore.FaultInjector{})
	created, err := c.CreateAccount(simcore.AccountBody{PositionMode: "hedge"})
	e.must(err)
	if len(created.APIKey) != 64 || len(created.APISecret) != 64 || created.PositionMode != "hedge" {
		t.Errorf("account = %+v, want key and secret of 64 characters and mode hedge", created)
	}
	e.equal("balance", created.Balance, "100000")
	updated, err := c.UpdateAccount(created.ID, simcore.AccountBody{
		Balance: number("5"), PositionMode: "one_way", Permissions: &simcore.Permissions{Read: true},
	})
	e.must(err)
	e.equal("balance", updated.Balance, "5")
	if updated.Permissions.Trade || updated.APIKey != created.APIKey || updated.PositionMode != "one_way" {
		t.Errorf("account = %+v, want the same key, read only, one_way", updated)
	}
	_, err = c.UpdateAccount("unknown", simcore.AccountBody{})
	e.rejected(simcore.ReasonUnknownAccount, err)
	_, err = c.CreateAccount(simcore.AccountBody{PositionMode: "sideways"})
	e.rejected(simcore.ReasonBadRequest, err)
	simtest.Equal(t, "accounts", len(c.Accounts().Accounts), 1)
	// The same seed gives the same credentials after a restart.
	again := simcore.NewControl(newEngine(t).Exchange, &simcore.FaultInjector{})
	same, err := again.CreateAccount(simcore.AccountBody{})
	e.must(err)
	if same.Credentials != created.Credentials {
		t.Error("credentials differ with an equal seed, want equal")
	}
}

func TestControlClockAndFaults(t *testing.T) {
	e := newEngine(t)
	c := simcore.NewControl(e.Exchange, &simcore.FaultInjector{})
	if page := c.SetClock(simcore.ClockBody{OffsetMs: -2500}); page.OffsetMs != -2500 || page.Time != "2026-09-01T07:58:57.500Z" {
		t.Errorf("clock = %+v, want -2500 ms, 2026-09-01T07:58:57.500Z", page)
	}
	if got := e.clock.Now(); !got.Equal(e.now.Add(-2500 * time.Millisecond)) {
		t.Errorf("time = %s, want %s", got, e.now.Add(-2500*time.Millisecond))
	}
	page, err := c.AddFault(simcore.FaultRequest{Do: simcore.FaultStalled})
	e.must(err)
	if len(page.InjectedFaults) != 1 {
		t.Errorf("faults = %+v, want 1", page)
	}
	if _, err := c.AddFault(simcore.FaultRequest{Do: "unknown"}); err == nil {
		t.Error("an unknown action is accepted, want an error")
	}
	if page := c.ClearFaults(); len(page.InjectedFaults) != 0 {
		t.Errorf("faults = %+v, want none", page)
	}
}
