package account

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

// exec is an execution n seconds after the start.
func exec(n int, side venues.Side, qty, price string) execution {
	return execution{
		executionKey: executionKey{ledgerStart.Add(time.Duration(n) * time.Second), fmt.Sprintf("%d/v", n)},
		side:         side, qty: venues.MustDecimal(qty), price: venues.MustDecimal(price),
		fee: venues.Some(venues.MustDecimal("0.1")), feeCurrency: "USDT", cause: cause{reason: venues.ClosedManual}, heardAt: ledgerStart,
	}
}

func bookOf(list ...execution) *book {
	b := newBook("BTCUSDT")
	for _, e := range list {
		b.add(e)
	}
	return b
}

func (o ended) text() string {
	return fmt.Sprintf("%s in %s for %s, out %s for %s, fee %s", o.side, o.life.EntryQty, o.life.EntryNotional,
		o.life.ExitQty, o.life.ExitNotional, o.life.Fee.Decimal)
}

func TestPositionsOfABook(t *testing.T) {
	for name, c := range map[string]struct {
		list []execution
		over []string
		long string
		// short is what is open at the end.
		short string
	}{
		"opened and closed": {
			[]execution{exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "1", "110")},
			[]string{"long in 1 for 100, out 1 for 110, fee 0.2"},
			"0", "0",
		},
		"closed in parts": {
			[]execution{exec(1, venues.Sell, "3", "100"), exec(2, venues.Buy, "1", "90"), exec(3, venues.Buy, "2", "80")},
			[]string{"short in 3 for 300, out 3 for 250, fee 0.3"},
			"0", "0",
		},
		"turned round by one execution": {
			[]execution{exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "4", "110")},
			[]string{"long in 1 for 100, out 1 for 110, fee 0.125"},
			"0", "3",
		},
		"turned round twice": {
			[]execution{exec(1, venues.Buy, "1", "100"), exec(2, venues.Sell, "2", "110"), exec(3, venues.Buy, "2", "120")},
			[]string{"long in 1 for 100, out 1 for 110, fee 0.15", "short in 1 for 110, out 1 for 120, fee 0.1"},
			"1", "0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 { // whatever the order in which they become known
				random.Shuffle(len(c.list), func(i, j int) { c.list[i], c.list[j] = c.list[j], c.list[i] })
				b := bookOf(c.list...)
				if len(b.over) != len(c.over) {
					t.Fatalf("%d positions ended, want %d", len(b.over), len(c.over))
				}
				for i, over := range b.over {
					if over.text() != c.over[i] {
						t.Errorf("ended %s, want %s", over.text(), c.over[i])
					}
				}
				if long, short := openQty(b.now.long), openQty(b.now.short); long.String() != c.long || short.String() != c.short {
					t.Errorf("open: long %s, short %s", long, short)
				}
			}
		})
	}
}

func TestHedgedPositionsAreTwo(t *testing.T) {
	on := func(p venues.PositionSide, e execution) execution {
		e.position = p
		return e
	}
	b := bookOf(
		on(venues.Long, exec(1, venues.Buy, "1", "100")), on(venues.Short, exec(2, venues.Sell, "2", "100")),
		on(venues.Long, exec(3, venues.Sell, "1", "90")),
	)
	if len(b.over) != 1 || b.over[0].side != venues.Long || b.now.long != nil || !openQty(b.now.short).Equal(venues.MustDecimal("2")) {
		t.Fatalf("over %+v", b.over)
	}
}

// TestSumsAreThoseOfTheExecutions: what entered and left in all positions, ended
// and open, is what was executed, to the last digit, in any order of arrival,
// over any cut and restart.
func TestSumsAreThoseOfTheExecutions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []execution
		qty, notional, fee := decimal.Zero, decimal.Zero, decimal.Zero // bought less sold
		for n := range rapid.IntRange(1, 60).Draw(rt, "executions") {
			e := exec(n, rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side"),
				decimal.New(int64(rapid.IntRange(1, 30).Draw(rt, "qty")), -1).String(),
				decimal.New(int64(rapid.IntRange(1, 9999).Draw(rt, "price")), -2).String())
			e.fee.Decimal = decimal.New(int64(rapid.IntRange(-99, 99).Draw(rt, "fee")), -3)
			sign := decimal.NewFromInt(1)
			if e.side == venues.Sell {
				sign = sign.Neg()
			}
			qty, notional = qty.Add(sign.Mul(e.qty)), notional.Add(sign.Mul(e.qty).Mul(e.price))
			fee = fee.Add(e.fee.Decimal)
			list = append(list, e)
		}
		inOrder := bookOf(list...)
		b := newBook("BTCUSDT")
		var over []ended
		for _, e := range rapid.Permutation(list).Draw(rt, "arrival") {
			over = append(over, b.add(e)...)
			if len(b.recent) > 0 && rapid.IntRange(0, 9).Draw(rt, "cut") == 0 {
				through := rapid.IntRange(0, len(b.recent)-1).Draw(rt, "through")
				for _, o := range b.over {
					if o.by <= through {
						over = append(over, o)
					}
				}
				b.settle(through)
				b = restarted(b)
			}
		}
		over = append(over, b.over...)
		gotQty, gotNotional, gotFee := sums(b, over)
		if !gotQty.Equal(qty) || !gotNotional.Equal(notional) || !gotFee.Equal(fee) {
			rt.Fatalf("sums %s %s %s, executed %s %s %s", gotQty, gotNotional, gotFee, qty, notional, fee)
		}
		if b.cut.trade == "" { // never cut: the order of arrival must not show
			for i := range inOrder.over {
				if b.over[i].text() != inOrder.over[i].text() {
					rt.Fatalf("%s became %s", inOrder.over[i].text(), b.over[i].text())
				}
			}
		}
		for _, o := range over {
			if !openQty(&o.life).IsZero() || !o.life.EntryQty.IsPositive() {
				rt.Fatalf("ended: %s", o.text())
			}
		}
	})
}

// restarted is the book as its record and the executions after the cut give it.
func restarted(b *book) *book {
	again := newBook(b.symbol)
	again.restore(b.record("c1", venues.Binance), b.recent)
	return again
}

func sums(b *book, over []ended) (qty, notional, fee decimal.Decimal) {
	add := func(side venues.PositionSide, l *holding) {
		if l == nil {
			return
		}
		q, n := l.EntryQty.Sub(l.ExitQty), l.EntryNotional.Sub(l.ExitNotional)
		if side == venues.Short {
			q, n = q.Neg(), n.Neg()
		}
		qty, notional, fee = qty.Add(q), notional.Add(n), fee.Add(l.Fee.Decimal)
	}
	for i := range over {
		add(over[i].side, &over[i].life)
	}
	add(venues.Long, b.now.long)
	add(venues.Short, b.now.short)
	return qty, notional, fee
}

func TestFeesInTwoCurrenciesAreNotAdded(t *testing.T) {
	second := exec(2, venues.Sell, "1", "110")
	second.feeCurrency = "BNB"
	b := bookOf(exec(1, venues.Buy, "1", "100"), second)
	if b.over[0].life.Fee.Valid {
		t.Fatalf("fee %s", b.over[0].life.Fee.Decimal)
	}
}

func TestQuantityOfTheVenueIsTaken(t *testing.T) {
	b := newBook("BTCUSDT")
	b.adjust(len(b.recent), venues.Long, venues.MustDecimal("2"), venues.Some(venues.MustDecimal("50")), ledgerStart)
	b.add(exec(-5, venues.Buy, "2", "50")) // it is what made the position
	b.add(exec(5, venues.Sell, "2", "60"))
	if len(b.over) != 1 || b.over[0].text() != "long in 2 for 100, out 2 for 120, fee 0.1" {
		t.Fatalf("%+v", b.over)
	}
	if !b.over[0].life.OpenedAt.IsZero() {
		t.Errorf("opened %s: nobody knows", b.over[0].life.OpenedAt)
	}
	if gain := pnl(venues.Long, &b.over[0].life); gain.Decimal.String() != "20" {
		t.Errorf("brought %v", gain)
	}
	b = bookOf(exec(1, venues.Buy, "2", "50"))
	over := b.adjust(len(b.recent), venues.Long, decimal.Zero, venues.Optional{}, ledgerStart.Add(time.Minute))
	if len(over) != 1 || pnl(venues.Long, &over[0].life).Valid {
		t.Fatalf("%+v: what it brought is not known", over)
	}
}

// TestExecutionsOfOneMillisecond follow their trades, whatever their orders are
// called: a position that turned round and was closed did so in this order.
func TestExecutionsOfOneMillisecond(t *testing.T) {
	at := func(trade string, side venues.Side, qty, price string) execution {
		e := exec(1, side, qty, price)
		e.trade = trade
		return e
	}
	list := []execution{
		at("9/1985341921689600002", venues.Sell, "1", "100"), at("10/294668480", venues.Buy, "3", "110"), at("11/1985341921689600003", venues.Sell, "2", "120"),
	}
	want := []string{"short in 1 for 100, out 1 for 110, fee 0.133333333333", "long in 2 for 220, out 2 for 240, fee 0.166666666667"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		b := newBook("BTCUSDT")
		for _, i := range order {
			b.add(list[i])
		}
		var got []string
		for _, over := range b.over {
			got = append(got, over.text())
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("heard in the order %v: %v", order, got)
		}
	}
}
