package simcore_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func d(s string) decimal.Decimal { return decimal.RequireFromString(s) }

func TestSmoke(t *testing.T) {
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	x, err := simcore.New(simcore.Options{Clock: simcore.NewClock(func() time.Time { return now }), Instruments: []simcore.Instrument{{
		Symbol: "BTCUSDT", Base: "BTC", Quote: "USDT", TickSize: d("0.10"), StepSize: d("0.001"), QtyMin: d("0.001"), QtyMax: d("1000"), MarketQtyMax: d("120"),
		NotionalMin: d("100"), PriceBand: d("0.05"), MarketBound: d("0.05"), StartPrice: d("65000"), FundingRate: d("0.0001"), LiquidationFee: d("0.0125"),
		Brackets: []simcore.Bracket{{LeverageMax: 125, NotionalCap: d("50000"), MaintenanceRate: d("0.004")}, {LeverageMax: 100, NotionalCap: d("1000000"), MaintenanceRate: d("0.005"), MaintenanceCum: d("50")}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	x.Subscribe(func(e simcore.Event) {
		switch b := e.Body.(type) {
		case simcore.BookEvent:
			n["book"] += len(b.Changes)
		case simcore.TradeEvent:
			n["trade"]++
		case simcore.MarkEvent:
			n["mark"]++
		case simcore.OrderEvent:
			n["order "+b.Kind.String()]++
		case simcore.CandleEvent:
			n["candle"]++
		}
	})
	a, _ := x.CreateAccount(simcore.AccountRequest{})
	o, err := x.Place(simcore.OrderRequest{Account: a.ID, Symbol: "BTCUSDT", Side: simcore.Buy, Type: simcore.Market, Qty: d("1")})
	t.Log(o.Status, o.AvgPrice(), err)
	for range 20 * 600 {
		now = now.Add(50 * time.Millisecond)
		x.Tick()
	}
	v, _ := x.Account(a.ID)
	b, _ := x.Book("BTCUSDT", 1000)
	t.Log(n, len(b.Bids), len(b.Asks), b.Bids[:3], b.Asks[:3], b.Bids[len(b.Bids)-1], b.Asks[len(b.Asks)-1])
	t.Logf("%+v", v.Balance)
	t.Logf("%+v", v.Holdings[0].Positions[0])
	t.Log(x.Candles("BTCUSDT", "5m", time.Time{}, time.Time{}, 3))
}
