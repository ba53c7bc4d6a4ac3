package position

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

// tradedAccount has the ledgers of some instruments, and the trades that they have made.
type tradedAccount struct {
	ledgers map[instrument]*ledger
	forward map[instrument]*netting
	fills   []persistence.FillRecord
	trades  []Trade
	// realized is the sum of what each execution has realized.
	realized decimal.Decimal
}

func newTradedAccount(instruments ...instrument) *tradedAccount {
	a := &tradedAccount{ledgers: map[instrument]*ledger{}, forward: map[instrument]*netting{}}
	for _, in := range instruments {
		a.ledgers[in], a.forward[in] = newLedger(in.symbol), &netting{}
	}
	return a
}

// execute counts a fill that was executed after all others.
func (a *tradedAccount) execute(f persistence.FillRecord) {
	in := instrument{f.Exchange, f.Symbol}
	a.fills = append(a.fills, f)
	e := ExecutionOf(&f.Fill, causeFrom(&f), f.ExecutedAt.Time)
	a.realized = a.realized.Add(a.forward[in].realized(e).Decimal)
	a.ledgers[in].add(e)
	for _, c := range a.forward[in].apply(e) {
		a.trades = append(a.trades, Trade{in.exchange, in.symbol, c, e.At})
	}
}

func (a *tradedAccount) records() (records []persistence.PositionRecord) {
	for in, l := range a.ledgers {
		if !l.isNew() {
			records = append(records, l.record("c1", in.exchange))
		}
	}
	return records
}

// history returns the trades that a History derives from the fills, until those that were
// closed before from; and the number of fills that it has taken.
func (a *tradedAccount) history(from time.Time) (trades []Trade, read int) {
	h := NewHistory(a.records())
	fills := slices.Clone(a.fills)
	// A store orders the fills of a millisecond by their ids.
	slices.SortFunc(fills, func(x, y persistence.FillRecord) int {
		return cmp.Or(y.ExecutedAt.Compare(x.ExecutedAt.Time), cmp.Compare(x.FillID, y.FillID))
	})
	for len(fills) > 0 {
		at := fills[0].ExecutedAt
		n := 1
		for n < len(fills) && fills[n].ExecutedAt.Equal(at.Time) {
			n++
		}
		h.Add(fills[:n])
		read, fills = read+n, fills[n:]
		if at.Before(from) && !h.NeedsBefore(at.Time, from) {
			return h.Take(), read
		}
	}
	h.End()
	return h.Take(), read
}

func (t Trade) text() string {
	p := t.Position
	return fmt.Sprintf("%s %s %s, %s until %s, %s %q, missing %s", t.Exchange, t.Symbol, t.Closing.text(),
		p.OpenedAt.Format(time.StampMilli), t.ClosedAt.Format(time.StampMilli), p.Reason, p.Comment, p.UnpricedEntry)
}

// sortedTexts returns the trades that were closed at from or later.
func sortedTexts(trades []Trade, from time.Time) []string {
	list := make([]string, 0, len(trades))
	for _, t := range trades {
		if !t.ClosedAt.Before(from) {
			list = append(list, t.text())
		}
	}
	slices.Sort(list)
	return list
}

// fill returns a fill n milliseconds after the start.
func fill(n int, in instrument, side venues.Side, qty, price string) persistence.FillRecord {
	return persistence.FillRecord{Fill: venues.Fill{
		FillID: fmt.Sprint("fil_", n), Exchange: in.exchange, Symbol: in.symbol, Side: side,
		Qty: venues.MustDecimal(qty), Price: venues.MustDecimal(price),
		Fee: venues.Some(venues.MustDecimal("0.1")), FeeCurrency: "USDT",
		VenueTradeID: fmt.Sprint(n), VenueOrderID: "v", ExecutedAt: venues.At(ledgerStart.Add(time.Duration(n) * time.Millisecond)),
	}}
}

// drawFills executes random fills: partial closes, reversals, both modes, several in one
// millisecond.
func drawFills(t *rapid.T, a *tradedAccount, instruments []instrument) {
	at := 0
	hedged := rapid.Bool().Draw(t, "hedged")
	for n := range rapid.IntRange(1, 60).Draw(t, "fills") {
		at += rapid.IntRange(0, 2).Draw(t, "later")
		in := rapid.SampledFrom(instruments).Draw(t, "instrument")
		side := rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(t, "side")
		qty := decimal.New(rapid.Int64Range(1, 4).Draw(t, "qty"), -1)
		f := fill(n, in, side, qty.String(), decimal.New(rapid.Int64Range(9000, 11000).Draw(t, "price"), -2).String())
		f.ExecutedAt = venues.At(ledgerStart.Add(time.Duration(at) * time.Millisecond))
		f.FillID = fmt.Sprint("fil_", rapid.IntRange(0, 1000).Draw(t, "id"))
		f.Comment = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "comment")
		f.Closes = rapid.SampledFrom([]venues.CloseReason{"", venues.ClosedStopLoss}).Draw(t, "closes")
		f.Fee.Valid = rapid.Bool().Draw(t, "fee")
		if hedged {
			f.PositionSide = side.Opens()
			if opposite := side.Reduces(); OpenQty(a.forward[in].of(opposite)).GreaterThanOrEqual(qty) {
				f.PositionSide = opposite
			}
		}
		a.execute(f)
		if l := a.ledgers[in]; len(l.recent) > 0 && rapid.Bool().Draw(t, "finalize") {
			l.finalize(rapid.IntRange(1, len(l.recent)).Draw(t, "final"))
		}
	}
}

// A History derives exactly the positions that the account has closed, and reads no further
// back than the oldest of them was opened.
func TestHistoryHasTheTradesThatTheAccountClosed(t *testing.T) {
	instruments := []instrument{{venues.Binance, "BTCUSDT"}, {venues.Bybit, "BTCUSDT"}, {venues.OKX, "ETHUSDT"}}
	rapid.Check(t, func(t *rapid.T) {
		a := newTradedAccount(instruments...)
		drawFills(t, a, instruments)
		for _, from := range []time.Time{{}, a.fills[rapid.IntRange(0, len(a.fills)-1).Draw(t, "from")].ExecutedAt.Time} {
			trades, _ := a.history(from)
			if got, want := sortedTexts(trades, from), sortedTexts(a.trades, from); !slices.Equal(got, want) {
				t.Fatalf("trades since %s:\n%q\nwant\n%q", from, got, want)
			}
			for _, older := range sortedTexts(trades, time.Time{}) {
				if all := sortedTexts(a.trades, time.Time{}); !slices.Contains(all, older) {
					t.Fatalf("trade %s, want only trades among\n%q", older, all)
				}
			}
		}
	})
}

// Once everything is flat, the trades have realized what the executions have.
func TestTradesRealizeWhatTheExecutionsDo(t *testing.T) {
	in := instrument{venues.OKX, "BTCUSDT"}
	rapid.Check(t, func(t *rapid.T) {
		a := newTradedAccount(in)
		drawFills(t, a, []instrument{in})
		for _, side := range Sides() {
			if open := OpenQty(a.forward[in].of(side)); open.IsPositive() {
				last := fill(1000, in, venues.Sell, open.String(), "100.5")
				if side == venues.Short {
					last = fill(1001, in, venues.Buy, open.String(), "99.5")
				}
				if a.fills[0].PositionSide != "" {
					last.PositionSide = side
				}
				a.execute(last)
			}
		}
		trades, _ := a.history(time.Time{})
		sum := decimal.Zero
		for i := range trades {
			sum = sum.Add(Pnl(trades[i].Side, &trades[i].Position).Decimal)
		}
		// The executions divide the cost, with AvgPriceDecimals.
		if off := sum.Sub(a.realized).Abs(); off.GreaterThan(decimal.New(int64(len(a.fills)), -AvgPriceDecimals+1)) {
			t.Fatalf("trades realized %s, want %s as the executions", sum, a.realized)
		}
	})
}

func TestHistoryReadsNoFurtherThanItMust(t *testing.T) {
	in := instrument{venues.Binance, "BTCUSDT"}
	a := newTradedAccount(in)
	for n := range 10 {
		side := venues.Buy
		if n%2 == 1 {
			side = venues.Sell
		}
		a.execute(fill(n, in, side, "1", "100"))
	}
	a.ledgers[in].finalize(8)
	trades, read := a.history(ledgerStart.Add(9 * time.Millisecond))
	if len(trades) == 0 || read != 3 { // the two of the trade, and the first before it
		t.Errorf("%d trades from %d fills, want at least one from 3", len(trades), read)
	}
}

// The quantity of a position whose first executions are missing is known, its result is not.
func TestHistoryWithMissingExecutions(t *testing.T) {
	in := instrument{venues.Bybit, "BTCUSDT"}
	a := newTradedAccount(in)
	l := a.ledgers[in]
	a.execute(fill(1, in, venues.Buy, "1", "100"))
	l.adjust(len(l.recent), venues.Long, venues.MustDecimal("3"), venues.Some(venues.MustDecimal("90")), ledgerStart.Add(2*time.Millisecond))
	for n, qty := range []string{"1", "2"} {
		f := fill(10+n, in, venues.Sell, qty, "110")
		a.fills = append(a.fills, f)
		l.add(ExecutionOf(&f.Fill, causeFrom(&f), ledgerStart))
	}
	trades, _ := a.history(time.Time{})
	if len(trades) != 1 {
		t.Fatalf("%d trades, want 1", len(trades))
	}
	got := trades[0]
	if p := got.Position; !p.UnpricedEntry.Equal(venues.MustDecimal("3")) || !p.ExitQty.Equal(p.UnpricedEntry) || !p.OpenedAt.IsZero() || Pnl(got.Side, &p).Valid {
		t.Errorf("trade %s, want 3 with a missing entry and an unknown result", got.text())
	}
}
