package position

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
)

var ledgerStart = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// exec returns an execution n seconds after the start.
func exec(n int, side venues.Side, qty, price string) Execution {
	return Execution{
		Key:  Key{ledgerStart.Add(time.Duration(n) * time.Second), fmt.Sprintf("%d/v", n)},
		Side: side, Qty: venues.MustDecimal(qty), Price: venues.MustDecimal(price),
		Fee: venues.Some(venues.MustDecimal("0.1")), FeeCurrency: "USDT", Cause: Cause{Reason: venues.ClosedManual}, KnownAt: ledgerStart,
	}
}

func ledgerOf(list ...Execution) *ledger {
	l := newLedger("BTCUSDT")
	for _, e := range list {
		l.add(e)
	}
	return l
}

func (c Closing) text() string {
	return fmt.Sprintf("%s in %s for %s, out %s for %s, fee %s", c.Side, c.Position.EntryQty, c.Position.EntryNotional,
		c.Position.ExitQty, c.Position.ExitNotional, c.Position.Fee.Decimal)
}

func texts(closings []Closing) []string {
	list := make([]string, 0, len(closings))
	for _, c := range closings {
		list = append(list, c.text())
	}
	return list
}

func TestExecutionsAreNettedInAnyOrderOfArrival(t *testing.T) {
	for name, c := range map[string]struct {
		list        []Execution
		closed      []string
		long, short string
	}{
		"opened and closed": {
			[]Execution{exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "1", "110")},
			[]string{"long in 1 for 100, out 1 for 110, fee 0.2"},
			"0", "0",
		},
		"closed in parts": {
			[]Execution{exec(1, venues.Sell, "3", "100"), exec(2, venues.Buy, "1", "90"), exec(3, venues.Buy, "2", "80")},
			[]string{"short in 3 for 300, out 3 for 250, fee 0.3"},
			"0", "0",
		},
		"reversed by one execution": {
			[]Execution{exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "4", "110")},
			[]string{"long in 1 for 100, out 1 for 110, fee 0.125"},
			"0", "3",
		},
		"reversed twice": {
			[]Execution{exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "2", "110"), exec(3, venues.Buy, "2", "120")},
			[]string{"long in 1 for 100, out 1 for 110, fee 0.15", "short in 1 for 110, out 1 for 120, fee 0.1"},
			"1", "0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				random.Shuffle(len(c.list), func(i, j int) { c.list[i], c.list[j] = c.list[j], c.list[i] })
				l := ledgerOf(c.list...)
				if got := texts(l.closings); fmt.Sprint(got) != fmt.Sprint(c.closed) {
					t.Errorf("closed %q, want %q", got, c.closed)
				}
				if long, short := OpenQty(l.now.long), OpenQty(l.now.short); long.String() != c.long || short.String() != c.short {
					t.Errorf("open long %s and short %s, want %s and %s", long, short, c.long, c.short)
				}
			}
		})
	}
}

func TestHedgeModeKeepsTwoPositions(t *testing.T) {
	on := func(p venues.PositionSide, e Execution) Execution {
		e.PositionSide = p
		return e
	}
	l := ledgerOf(
		on(venues.Long, exec(1, venues.Buy, "1", "100")), on(venues.Short, exec(2, venues.Sell, "2", "100")),
		on(venues.Long, exec(3, venues.Sell, "1", "90")),
	)
	if len(l.closings) != 1 || l.closings[0].Side != venues.Long || l.now.long != nil || !OpenQty(l.now.short).Equal(venues.MustDecimal("2")) {
		t.Fatalf("closed %q with short %s open, want one long closed and short 2 open", texts(l.closings), OpenQty(l.now.short))
	}
}

// TestSumsEqualThoseOfTheExecutions: the quantities, notionals and fees of all positions,
// closed and open, add up exactly to those of the executions, in any order of arrival and
// over any cut and restart.
func TestSumsEqualThoseOfTheExecutions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []Execution
		qty, notional, fee := decimal.Zero, decimal.Zero, decimal.Zero // bought less sold
		for n := range rapid.IntRange(1, 60).Draw(rt, "executions") {
			e := exec(n, rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side"),
				decimal.New(int64(rapid.IntRange(1, 30).Draw(rt, "qty")), -1).String(),
				decimal.New(int64(rapid.IntRange(1, 9999).Draw(rt, "price")), -2).String())
			e.Fee.Decimal = decimal.New(int64(rapid.IntRange(-99, 99).Draw(rt, "fee")), -3)
			sign := decimal.NewFromInt(1)
			if e.Side == venues.Sell {
				sign = sign.Neg()
			}
			qty, notional = qty.Add(sign.Mul(e.Qty)), notional.Add(sign.Mul(e.Qty).Mul(e.Price))
			fee = fee.Add(e.Fee.Decimal)
			list = append(list, e)
		}
		inOrder := ledgerOf(list...)
		l := newLedger("BTCUSDT")
		var closed []Closing
		for _, e := range rapid.Permutation(list).Draw(rt, "arrival") {
			closed = append(closed, l.add(e)...)
			if len(l.recent) > 0 && rapid.IntRange(0, 9).Draw(rt, "cut") == 0 {
				n := rapid.IntRange(1, len(l.recent)).Draw(rt, "n")
				for _, c := range l.closings {
					if c.by < n {
						closed = append(closed, c)
					}
				}
				l.finalize(n)
				l = restarted(l)
			}
		}
		closed = append(closed, l.closings...)
		gotQty, gotNotional, gotFee := sums(l, closed)
		if !gotQty.Equal(qty) || !gotNotional.Equal(notional) || !gotFee.Equal(fee) {
			rt.Fatalf("sums are %s %s %s, want %s %s %s", gotQty, gotNotional, gotFee, qty, notional, fee)
		}
		if got, want := texts(l.closings), texts(inOrder.closings); l.cut.Trade == "" && fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("closed %q, want %q as in the order of execution", got, want)
		}
		for _, c := range closed {
			if !OpenQty(&c.Position).IsZero() || !c.Position.EntryQty.IsPositive() {
				rt.Fatalf("closed %s, want a flat position", c.text())
			}
		}
	})
}

// restarted returns the ledger that is restored from the record of another and the
// executions after its cut.
func restarted(l *ledger) *ledger {
	again, record := newLedger(l.symbol), l.record("c1", venues.Binance)
	again.restore(&record, l.recent)
	return again
}

func sums(l *ledger, closed []Closing) (qty, notional, fee decimal.Decimal) {
	add := func(side venues.PositionSide, p *Position) {
		if p == nil {
			return
		}
		q, n := p.EntryQty.Sub(p.ExitQty), p.EntryNotional.Sub(p.ExitNotional)
		if side == venues.Short {
			q, n = q.Neg(), n.Neg()
		}
		qty, notional, fee = qty.Add(q), notional.Add(n), fee.Add(p.Fee.Decimal)
	}
	for i := range closed {
		add(closed[i].Side, &closed[i].Position)
	}
	add(venues.Long, l.now.long)
	add(venues.Short, l.now.short)
	return qty, notional, fee
}

func TestFeesInTwoCurrenciesAreNotAdded(t *testing.T) {
	second := exec(2, venues.Sell, "1", "110")
	second.FeeCurrency = "BNB"
	l := ledgerOf(exec(1, venues.Buy, "3", "100"), second, exec(3, venues.Sell, "1", "110"), exec(4, venues.Sell, "1", "110"))
	if fee := l.closings[0].Position.Fee; fee.Valid {
		t.Fatalf("fee = %s, want none", fee.Decimal)
	}
}

func TestExecutionWithoutAFeeChangesNone(t *testing.T) {
	without := exec(2, venues.Buy, "1", "100")
	without.Fee, without.FeeCurrency = venues.Optional{}, ""
	l := ledgerOf(without)
	if fee := l.now.long.Fee; fee.Valid {
		t.Errorf("fee = %s, want none", fee.Decimal)
	}
	l.add(exec(1, venues.Buy, "1", "100"))
	if p := l.now.long; p.Fee.Decimal.String() != "0.1" || p.FeeCurrency != "USDT" {
		t.Errorf("fee = %v %s, want 0.1 USDT", p.Fee, p.FeeCurrency)
	}
}

// The first cut is before the first known execution, and the next ones do not move it.
func TestFirstCut(t *testing.T) {
	l := ledgerOf(exec(0, venues.Buy, "1", "100"), exec(100, venues.Buy, "1", "100"))
	for _, found := range []struct {
		at     int
		recent int
	}{{-59, 3}, {-61, 3}} {
		l.add(exec(found.at, venues.Buy, "1", "100"))
		if len(l.recent) != found.recent {
			t.Errorf("%d recent executions after one at %d s, want %d", len(l.recent), found.at, found.recent)
		}
	}
	if got, want := l.record("c1", venues.Binance).CutAt, venues.At(ledgerStart.Add(-recentSpan)); got != want {
		t.Errorf("cut at %s, want %s", got, want)
	}
}

// What an execution that has reversed a position has opened comes after executions that are
// found later.
func TestExecutionFoundBeforeAFinalReversal(t *testing.T) {
	l := ledgerOf(exec(1, venues.Buy, "1", "100"), exec(3, venues.Sell, "4", "110"))
	l.finalize(2)
	l.add(exec(2, venues.Buy, "1", "105"))
	if got, want := fmt.Sprint(texts(l.closings)), "[long in 1 for 105, out 1 for 110, fee 0.125]"; got != want {
		t.Errorf("closed %s, want %s", got, want)
	}
	if short := OpenQty(l.now.short); short.String() != "2" {
		t.Errorf("open short %s, want 2", short)
	}
}

func TestAdjustTakesTheQuantityOfTheVenue(t *testing.T) {
	l := newLedger("BTCUSDT")
	l.adjust(len(l.recent), venues.Long, venues.MustDecimal("2"), venues.Some(venues.MustDecimal("50")), ledgerStart)
	l.add(exec(-5, venues.Buy, "2", "50")) // it is what made the position
	l.add(exec(5, venues.Sell, "2", "60"))
	if got, want := fmt.Sprint(texts(l.closings)), "[long in 2 for 100, out 2 for 120, fee 0.1]"; got != want {
		t.Fatalf("closed %s, want %s", got, want)
	}
	if opened := l.closings[0].Position.OpenedAt; !opened.IsZero() {
		t.Errorf("opened at %s, want an unknown time", opened)
	}
	if gain := Pnl(venues.Long, &l.closings[0].Position); gain.Decimal.String() != "20" {
		t.Errorf("P&L = %v, want 20", gain)
	}
	l = ledgerOf(exec(1, venues.Buy, "2", "50"))
	closed := l.adjust(len(l.recent), venues.Long, decimal.Zero, venues.Optional{}, ledgerStart.Add(time.Minute))
	if len(closed) != 1 || Pnl(venues.Long, &closed[0].Position).Valid {
		t.Fatalf("closed %+v, want one position of unknown P&L", closed)
	}
}

// An adjustment between executions closes what is before it only, and what comes after it is
// counted again after a restart.
func TestAdjustBetweenExecutions(t *testing.T) {
	for through, want := range map[int]struct {
		closed      string // the quantity that has left without a price
		long, short string
	}{1: {"1", "0", "1"}, 2: {"0", "0", "0"}, 3: {"0", "0", "1"}} {
		l := ledgerOf(
			exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "1", "110"), exec(3, venues.Buy, "1", "100"), exec(4, venues.Sell, "1", "110"),
		)
		closed := l.adjust(through, venues.Long, decimal.Zero, venues.Optional{}, ledgerStart.Add(time.Minute))
		if through == 3 { // the second position too
			if len(closed) != 2 || closed[1].Position.UnpricedExit.String() != "1" {
				t.Fatalf("closed %+v, want two positions, the second without a price", closed)
			}
			closed = closed[:1]
		}
		if len(closed) != 1 || closed[0].Position.UnpricedExit.String() != want.closed {
			t.Errorf("adjusted after %d: closed %+v, want one position with %s out without a price", through, closed, want.closed)
		}
		for name, l := range map[string]*ledger{"adjusted": l, "restarted": restarted(l)} {
			if long, short := OpenQty(l.now.long), OpenQty(l.now.short); long.String() != want.long || short.String() != want.short {
				t.Errorf("%s after %d: open long %s and short %s, want %s and %s", name, through, long, short, want.long, want.short)
			}
		}
	}
}

// TestExecutionsOfOneMillisecondFollowTheirTradeNumbers, not the numbers of their orders:
// the order matters when they reverse a position and close it.
func TestExecutionsOfOneMillisecondFollowTheirTradeNumbers(t *testing.T) {
	at := func(trade string, side venues.Side, qty, price string) Execution {
		e := exec(1, side, qty, price)
		e.Trade = trade
		return e
	}
	list := []Execution{
		at("9/1985341921689600002", venues.Sell, "1", "100"), at("10/294668480", venues.Buy, "3", "110"), at("11/1985341921689600003", venues.Sell, "2", "120"),
	}
	want := []string{"short in 1 for 100, out 1 for 110, fee 0.133333333333", "long in 2 for 220, out 2 for 240, fee 0.166666666667"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		l := newLedger("BTCUSDT")
		for _, i := range order {
			l.add(list[i])
		}
		if got := texts(l.closings); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("arrival %v: closed %q, want %q", order, got, want)
		}
	}
}
