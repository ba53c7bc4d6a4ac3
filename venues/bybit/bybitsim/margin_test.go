package bybitsim_test

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// funded starts a venue without limits where the demo account has leverage 10 in
// BTCUSDT.
func funded(t *testing.T) *venue {
	t.Helper()
	v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1, QueryPerSecond: -1}})
	v.post("/v5/position/set-leverage", `{"category":"linear","symbol":"BTCUSDT","buyLeverage":"10","sellLeverage":"10"}`).result(t)
	return v
}

// wallet returns the account's wallet with the row of its coin.
func (v *venue) wallet() (wallet, coin map[string]any) {
	v.Helper()
	wallet = v.get("/v5/account/wallet-balance", "accountType=UNIFIED").rows(v)[0]
	return wallet, wallet["coin"].([]any)[0].(map[string]any)
}

// only reduces the simulated book of BTCUSDT to one level.
func (v *venue) only(side simcore.Side, price, qty string) {
	v.Helper()
	x := v.sim.Exchange()
	if err := x.SetDepth("BTCUSDT", 0); err != nil {
		v.Fatal(err)
	}
	if err := x.HouseLevel("BTCUSDT", side, simtest.Num(price), simtest.Num(qty)); err != nil {
		v.Fatal(err)
	}
}

// An open order requires its value divided by the leverage plus both fees: of
// opening, and of closing at the bankruptcy price.
func TestOrderMargin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		for _, test := range []struct{ side, price, margin string }{
			{"Buy", "60000", "60.627"},   // 600 x (0.1 + 0.00055 x 1.9)
			{"Sell", "66000", "66.7623"}, // 660 x (0.1 + 0.00055 x 2.1)
		} {
			s := v.private("wallet")
			id := v.placed(order("side="+test.side, "price="+test.price))
			published := s.data("wallet")
			wallet, coin := v.wallet()
			expect(t, wallet, "totalInitialMargin="+test.margin, "totalAvailableBalance="+simtest.Num("100000").Sub(simtest.Num(test.margin)).String())
			expect(t, coin, "totalOrderIM="+test.margin, "totalPositionIM=0")
			expect(t, published["coin"].([]any)[0].(map[string]any), "totalOrderIM="+test.margin)
			v.post("/v5/order/cancel", cancelOf(id)).result(t)
		}
		v.post("/v5/order/create", order("qty=16.495")).expectCode(t, 110007)
		v.placed(order("qty=16.494"))
	})
}

// A position requires its value at the mark price divided by the leverage plus the
// closing fee, which the maintenance margin contains, too.
func TestPositionMargin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		s := v.private("position")
		v.placed(market())
		// 650 / 10 and 650.001 x 0.9 x 0.00055; 650 x 0.005 and the same.
		const initial, maintenance = "65.3217505", "3.5717505"
		expect(t, v.position(), "avgPrice=65000.1", "markPrice=65000", "positionValue=650.001", "positionIM="+initial, "positionMM="+maintenance)
		expect(t, s.data("position"), "positionIM="+initial, "positionMM="+maintenance)
		wallet, coin := v.wallet()
		expect(t, wallet, "totalInitialMargin="+initial, "totalMaintenanceMargin="+maintenance, "accountIMRate=0.0006", "accountMMRate=0")
		expect(t, coin, "totalPositionIM="+initial, "totalPositionMM="+maintenance, "totalOrderIM=0")
		if free := simtest.Num(wallet["totalMarginBalance"]).Sub(simtest.Num(initial)); !free.Equal(simtest.Num(wallet["totalAvailableBalance"])) {
			t.Errorf("%v, want %s available", wallet, free)
		}
	})
}

// Fees are rounded half up to eight decimals: 122.5299 x 0.00055 is 0.067391445.
func TestFeesAreRounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		v.move("122530")
		v.only(simcore.Sell, "122529.9", "0.001")
		s := v.private("execution", "order")
		id := v.placed(market("qty=0.001"))
		const fee = "0.06739145"
		expect(t, s.data("execution"), "execValue=122.5299", "feeRate=0.00055", "execFee="+fee)
		published := s.data("order")
		expect(t, published, "orderId="+id, "cumExecFee="+fee, "closedPnl=0")
		expect(t, published["cumFeeDetail"].(map[string]any), "USDT="+fee)
		expect(t, v.position(), "curRealisedPnl=-"+fee, "cumRealisedPnl=-"+fee)
		_, coin := v.wallet()
		expect(t, coin, "walletBalance=99999.93260855", "cumRealisedPnl=-"+fee)
	})
}

// Closing realizes the difference of the values less the fees of opening and
// closing, and the result starts from zero with the next position.
func TestResultOfAPosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		v.placed(market("qty=0.02"))
		// The fee is 1300.002 x 0.00055, and 1300.7170011 / (0.02 x (1 - 0.00055)) is the
		// break-even price.
		expect(t, v.position(), "avgPrice=65000.1", "curRealisedPnl=-0.7150011", "breakEvenPrice=65071.6394567")
		v.move("65100")
		half := v.placed(market("side=Sell", "qty=0.01", "reduceOnly=true"))
		// 650.999 - 650.001 - 0.35750055 - 650.999 x 0.00055.
		expect(t, v.found(half), "avgPrice=65099.9", "closedPnl=0.28245")
		expect(t, v.position(), "curRealisedPnl=-0.07505055", "cumRealisedPnl=-0.07505055")
		v.placed(market("side=Sell", "qty=0.02"))
		p := v.position()
		expect(t, p, "side=Sell", "size=0.01", "curRealisedPnl=-0.35804945", "cumRealisedPnl=0.20685055")
		if price := simtest.Num(p["breakEvenPrice"]); !price.LessThan(simtest.Num("65099.9")) {
			t.Errorf("breakEvenPrice = %s, want less than 65099.9", price)
		}
	})
}

// A market order is an immediate limit order with a cap of X above the mark price.
func TestMarketOrderHasACap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		expect(t, v.found(v.placed(market())), "orderStatus=Filled", "price=65650")
		expect(t, v.found(v.placed(market("side=Sell"))), "orderStatus=Filled", "price=64350")
		v.only(simcore.Sell, "65650", "0.004")
		if err := v.sim.Exchange().HouseLevel("BTCUSDT", simcore.Sell, decimal.NewFromInt(65_651), decimal.NewFromInt(1)); err != nil {
			t.Fatal(err)
		}
		expect(t, v.found(v.placed(market())), "orderStatus=Cancelled", "cumExecQty=0.004", "rejectReason=EC_NoImmediateQtyToFill")
		v.post("/v5/order/create", market()).expectCode(t, 10001)
	})
}

// The band is X of the mark price, wider towards the index and the premium, and
// never more than Y.
func TestBandFollowsIndexAndPremium(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		band := func() (high, low string) {
			r := v.get("/v5/market/price-limit", "category=linear&symbol=BTCUSDT").result(t)
			return r["buyLmt"].(string), r["sellLmt"].(string)
		}
		if high, low := band(); high != "65650.00" || low != "64350.00" {
			t.Errorf("band = %s to %s, want 64350.00 to 65650.00", low, high)
		}
		set := func(price string) { v.Script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","mark":"`+price+`"}`) }
		// The book stays around 65000, which makes a premium of 300.
		set("64700")
		v.WaitFor("the premium", func() bool {
			high, low := band()
			return simtest.Num(high).GreaterThan(simtest.Num("65347")) && low == "64053.00"
		})
		set("50000")
		v.WaitFor("the widest band", func() bool {
			high, low := band()
			return high == "51000.00" && low == "49500.00"
		})
		expect(t, v.found(v.placed(order("price=64500"))), "price=51000")
		id := v.placed(order("price=49000"))
		v.amends(id, "price=65000")
		expect(t, v.found(id), "price=51000", "orderStatus=New")
	})
}

// The results of all positions equal the change of the wallet and, once all are
// closed, the sum of the closed profits.
func TestResultsAddUpToTheWallet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		ids := []string{}
		for n, change := range []string{"0.03", "-0.01", "-0.07", "0.02", "0.1", "-0.013", "-0.057"} {
			v.move(strconv.Itoa(65000 + 37*n*n%300))
			side, qty := "Buy", change
			if change[0] == '-' {
				side, qty = "Sell", change[1:]
			}
			ids = append(ids, v.placed(market("side="+side, "qty="+qty)))
			_, coin := v.wallet()
			brought := simtest.Num(coin["walletBalance"]).Sub(simtest.Num("100000"))
			if p := v.position(); !simtest.Num(p["cumRealisedPnl"]).Equal(brought) || !simtest.Num(coin["cumRealisedPnl"]).Equal(brought) {
				t.Errorf("%s: realised profit %v of the position and %v of the wallet, want %s", change, p["cumRealisedPnl"], coin["cumRealisedPnl"], brought)
			}
		}
		expect(t, v.position(), "size=0", "curRealisedPnl=0")
		closed := decimal.Zero
		for _, id := range ids {
			closed = closed.Add(simtest.Num(v.found(id)["closedPnl"]))
		}
		if rest := simtest.Num(v.position()["cumRealisedPnl"]).Sub(closed).Abs(); rest.GreaterThan(decimal.New(1, -7)) {
			t.Errorf("realised profit differs by %s from that of the closing orders, want at most 0.0000001", rest)
		}
	})
}
