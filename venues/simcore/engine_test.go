package simcore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// dec parses a constant of a test.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

// engine is a quiet exchange with a clock that the test advances.
type engine struct {
	testing.TB
	*simcore.Exchange
	clock  *simcore.Clock
	now    time.Time
	events []simcore.Event
}

var testStart = time.Date(2026, 9, 1, 7, 59, 0, 0, time.UTC)

func testInstruments() []simcore.Instrument {
	brackets := []simcore.Bracket{
		{LeverageMax: 125, NotionalCap: dec("50000"), MaintenanceRate: dec("0.004")},
		{LeverageMax: 100, NotionalFloor: dec("50000"), NotionalCap: dec("600000"), MaintenanceRate: dec("0.005"), MaintenanceCum: dec("50")},
		{LeverageMax: 20, NotionalFloor: dec("600000"), NotionalCap: dec("5000000"), MaintenanceRate: dec("0.025"), MaintenanceCum: dec("12050")},
	}
	btc := simcore.Instrument{
		Symbol: "BTCUSDT", Base: "BTC", Quote: "USDT", TickSize: dec("0.10"), StepSize: dec("0.001"),
		PriceMin: dec("500"), PriceMax: dec("4000000"), QtyMin: dec("0.001"), QtyMax: dec("1000"), MarketQtyMax: dec("120"),
		NotionalMin: dec("100"), PriceBand: dec("0.05"), MarketBound: dec("0.05"), OpenOrdersMax: 200, Brackets: brackets,
		LiquidationFee: dec("0.0125"), StartPrice: dec("60000"), FundingRate: dec("0.0001"),
	}
	eth := btc
	eth.Symbol, eth.Base, eth.TickSize, eth.StartPrice, eth.PriceMin = "ETH-SWAP", "ETH", dec("0.01"), dec("3000"), dec("1")
	eth.Canonical, eth.ContractSize, eth.StepSize = "ETHUSDT", dec("0.1"), dec("0.01")
	halted := eth
	halted.Symbol, halted.Canonical, halted.Halted = "OMG-SWAP", "OMGUSDT", true
	return []simcore.Instrument{btc, eth, halted}
}

func newEngine(t testing.TB, change ...func(*simcore.Options)) *engine {
	t.Helper()
	e := &engine{TB: t, now: testStart}
	e.clock = simcore.NewClock(func() time.Time { return e.now })
	options := simcore.Options{Instruments: testInstruments(), Seed: 7, Quiet: true, Clock: e.clock}
	for _, apply := range change {
		apply(&options)
	}
	x, err := simcore.New(options)
	if err != nil {
		t.Fatal(err)
	}
	e.Exchange = x
	x.Subscribe(func(event simcore.Event) { e.events = append(e.events, event) })
	return e
}

// empty removes the liquidity of the house from the BTC book.
func (e *engine) empty() *engine {
	e.Helper()
	e.must(e.SetDepth("BTCUSDT", 0))
	return e
}

func (e *engine) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e *engine) account(request simcore.AccountRequest) string {
	e.Helper()
	info, err := e.CreateAccount(request)
	e.must(err)
	return info.ID
}

func (e *engine) trader() string {
	e.Helper()
	return e.account(simcore.AccountRequest{})
}

func limit(account string, side simcore.Side, qty, price string) simcore.OrderRequest {
	return simcore.OrderRequest{
		Account: account, Symbol: "BTCUSDT", Side: side, Type: simcore.Limit, Qty: dec(qty), Price: dec(price),
	}
}

func market(account string, side simcore.Side, qty string) simcore.OrderRequest {
	return simcore.OrderRequest{Account: account, Symbol: "BTCUSDT", Side: side, Type: simcore.Market, Qty: dec(qty)}
}

func (e *engine) place(request simcore.OrderRequest) simcore.Order {
	e.Helper()
	o, err := e.Place(request)
	if err != nil {
		e.Fatalf("place %v %s @ %s: %v", request.Side, request.Qty, request.Price, err)
	}
	return o
}

// current returns the current state of an order.
func (e *engine) current(o simcore.Order) simcore.Order {
	e.Helper()
	found, err := e.Order(o.Account, o.Symbol, simcore.OrderRef{ID: o.ID})
	e.must(err)
	return found
}

func (e *engine) rejected(want simcore.Reason, err error) {
	e.Helper()
	var rejection *simcore.Rejection
	if !errors.As(err, &rejection) || rejection.Reason != want {
		e.Errorf("error = %v, want rejection %s", err, want)
	}
}

func (e *engine) equal(what string, got decimal.Decimal, want string) {
	e.Helper()
	if !got.Equal(dec(want)) {
		e.Errorf("%s = %s, want %s", what, got, want)
	}
}

// view returns an account with its first position in BTC.
func (e *engine) view(account string) (simcore.AccountView, simcore.PositionView) {
	e.Helper()
	v, err := e.Account(account)
	e.must(err)
	for _, h := range v.Holdings {
		if h.Instrument.Symbol == "BTCUSDT" {
			return v, h.Positions[0]
		}
	}
	return v, simcore.PositionView{}
}

func (e *engine) advance(d time.Duration) {
	e.now = e.now.Add(d)
	e.Tick()
}
