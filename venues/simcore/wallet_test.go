package simcore_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// changes returns the changes of a wallet.
func (e *engine) changes(account string) []simcore.WalletChange {
	return e.WalletChanges(account, func(*simcore.WalletChange) bool { return true })
}

func TestWalletChanges(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.5"))
	e.advance(2 * time.Minute) // over the funding at 8:00
	e.place(market(a, simcore.Sell, "0.2"))
	balance := dec("90000")
	if _, err := e.UpdateAccount(a, simcore.AccountRequest{Balance: &balance}); err != nil {
		t.Fatal(err)
	}
	changes := e.changes(a)
	causes := []simcore.WalletCause{simcore.CauseTrade, simcore.CauseFunding, simcore.CauseTrade, simcore.CauseTransfer}
	if len(changes) != len(causes) {
		t.Fatalf("changes = %+v, want %d", changes, len(causes))
	}
	wallet := dec("100000")
	for n, c := range changes {
		wallet = wallet.Add(c.Amount)
		if c.Cause != causes[n] || !c.Balance.Equal(wallet) || n > 0 && c.ID <= changes[n-1].ID || c.Time.IsZero() {
			t.Errorf("change %d = %+v, want cause %d, balance %s and a greater id than before", n, c, causes[n], wallet)
		}
		if c.Cause != simcore.CauseTrade {
			continue
		}
		if c.Fill == nil || c.Fill.ChangeID != c.ID || !c.Amount.Equal(c.Fill.RealizedPnL.Sub(c.Fill.Fee)) {
			t.Errorf("change %d = %+v, want the profit of its fill less the fee", n, c)
		}
	}
	e.equal("position after opening", changes[0].Qty, "0.5")
	e.equal("position of the funding", changes[1].Qty, "0.5")
	e.equal("amount of the funding", changes[1].Amount, "-3") // 0.5 at 60000 and 0.0001
	e.equal("mark price of the funding", changes[1].Mark, "60000")
	e.equal("position after closing", changes[2].Qty, "0.3")
	e.equal("wallet", wallet, "90000")
}

// A liquidation charges its fee before the fill; a deficit is covered afterwards.
func TestWalletChangesOfALiquidation(t *testing.T) {
	e := newEngine(t)
	balance := dec("310")
	a := e.account(simcore.AccountRequest{Balance: &balance})
	e.place(market(a, simcore.Buy, "0.1"))
	e.must(e.MovePrice("BTCUSDT", dec("50000")))
	var causes []simcore.WalletCause
	for _, c := range e.changes(a) {
		causes = append(causes, c.Cause)
	}
	want := []simcore.WalletCause{simcore.CauseTrade, simcore.CauseLiquidationFee, simcore.CauseTrade, simcore.CauseInsurance}
	if len(causes) != len(want) {
		t.Fatalf("causes = %v, want %v", causes, want)
	}
	for n := range want {
		if causes[n] != want[n] {
			t.Errorf("causes = %v, want %v", causes, want)
		}
	}
}

func TestFundingPayments(t *testing.T) {
	e := newEngine(t)
	if got := e.FundingPayments("BTCUSDT"); len(got) != 0 {
		t.Errorf("payments before the first funding = %v, want none", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	e.advance(2 * time.Minute)
	e.advance(8 * time.Hour)
	payments := e.FundingPayments("BTCUSDT")
	if len(payments) != 2 {
		t.Fatalf("payments = %v, want two", payments)
	}
	for n, hour := range []int{8, 16} {
		p := payments[n]
		e.equal("rate", p.Rate, "0.0001")
		e.equal("mark", p.Mark, "61000")
		if want := time.Date(2026, 9, 1, hour, 0, 0, 0, time.UTC); !p.Time.Equal(want) {
			t.Errorf("payment %d at %v, want %v", n, p.Time, want)
		}
	}
	if halted := e.FundingPayments("OMG-SWAP"); len(halted) != 0 {
		t.Errorf("payments of a halted symbol = %v, want none", halted)
	}
}

// The largest quantity is the largest that an order may have, whatever the account has.
func TestMaxQtyIsAccepted(t *testing.T) {
	for name, prepare := range map[string]func(e *engine, account string){
		"new account":    func(*engine, string) {},
		"long position":  func(e *engine, a string) { e.place(market(a, simcore.Buy, "2")) },
		"resting orders": func(e *engine, a string) { e.place(limit(a, simcore.Sell, "3", "60500")) },
		"low leverage":   func(e *engine, a string) { e.must(e.SetLeverage(a, "BTCUSDT", 3)) },
		"high leverage":  func(e *engine, a string) { e.must(e.SetLeverage(a, "BTCUSDT", 125)) },
		"position near the limit of the leverage": func(e *engine, a string) {
			e.must(e.SetLeverage(a, "BTCUSDT", 125))
			e.place(market(a, simcore.Buy, "0.5"))
		},
		"isolated margin": func(e *engine, a string) { e.must(e.SetMarginMode(a, "BTCUSDT", true)) },
	} {
		for _, side := range []simcore.Side{simcore.Buy, simcore.Sell} {
			e := newEngine(t)
			a := e.trader()
			prepare(e, a)
			price := dec("60000")
			most, err := e.MaxQty(a, "BTCUSDT", simcore.PositionBoth, side, price, 0)
			e.must(err)
			request := limit(a, side, "1", "60000")
			request.DryRun = true
			for _, test := range []struct {
				qty      decimal.Decimal
				accepted bool
			}{{most, true}, {most.Add(dec("0.001")), false}} {
				request.Qty = test.qty
				if _, err := e.Place(request); (err == nil) != test.accepted {
					t.Errorf("%s: %v of %s with a maximum of %s: error %v, want accepted %v", name, side, test.qty, most, err, test.accepted)
				}
			}
		}
	}
}

func TestMaxQtyAtAnotherLeverage(t *testing.T) {
	e := newEngine(t)
	a, fresh := e.trader(), e.trader()
	e.must(e.SetLeverage(a, "BTCUSDT", 20))
	at := func(leverage int) decimal.Decimal {
		most, err := e.MaxQty(a, "BTCUSDT", simcore.PositionBoth, simcore.Buy, dec("60000"), leverage)
		e.must(err)
		return most
	}
	e.equal("at the present leverage of 20", at(0), "33.333")
	e.equal("at a leverage of 5", at(5), "8.333")
	e.equal("at the present leverage again", at(0), "33.333")
	_, err := e.MaxQty(fresh, "BTCUSDT", simcore.PositionBoth, simcore.Buy, dec("60000"), 5)
	e.must(err)
	if v, _ := e.view(fresh); len(v.Holdings) != 0 {
		t.Errorf("holdings = %v, want none of a query", v.Holdings)
	}
	_, err = e.MaxQty(a, "NOPE", simcore.PositionBoth, simcore.Buy, dec("1"), 0)
	e.rejected(simcore.ReasonUnknownSymbol, err)
	_, err = e.MaxQty("nobody", "BTCUSDT", simcore.PositionBoth, simcore.Buy, dec("1"), 0)
	e.rejected(simcore.ReasonUnknownAccount, err)
	_, err = e.MaxQty(a, "BTCUSDT", simcore.PositionBoth, simcore.Buy, dec("0"), 0)
	e.rejected(simcore.ReasonPriceNotPositive, err)
}

// Ids of orders are unique over all symbols; whether they fit a float is a property of
// the symbol.
func TestOrderIDs(t *testing.T) {
	e := newEngine(t, func(o *simcore.Options) { o.Instruments[0].ShortOrderIDs = true })
	a := e.trader()
	wide := limit(a, simcore.Buy, "1", "2990")
	wide.Symbol = "ETH-SWAP"
	const exact = 1 << 53
	seen := map[int64]bool{}
	for range 3 {
		short, long := e.place(limit(a, simcore.Buy, "0.01", "59000")).ID, e.place(wide).ID
		if short >= exact || long <= exact || seen[short] || seen[long] {
			t.Errorf("ids %d and %d, want new ones, the first below and the second above %d", short, long, int64(exact))
		}
		if int64(float64(short)) != short || int64(float64(long)) == long {
			t.Errorf("ids %d and %d as floats are %.0f and %.0f, want only the first unchanged", short, long, float64(short), float64(long))
		}
		seen[short], seen[long] = true, true
	}
}
