package account

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// foreignReport returns a report of an order that was made elsewhere, with one execution.
func (b *fixture) foreignReport(n int, side venues.Side, qty, price string) venues.ExecutionReport {
	id := fmt.Sprintf("x%d", n)
	return venues.ExecutionReport{
		Symbol: "BTCUSDT", ClientOrderID: id, VenueOrderID: "v" + id, Side: side, Type: venues.TypeMarket,
		Status: venues.StatusFilled, Qty: venues.MustDecimal(qty), FilledQty: venues.MustDecimal(qty), VenueTime: b.now,
		Fill: &venues.Fill{
			Symbol: "BTCUSDT", Side: side, Qty: venues.MustDecimal(qty), Price: venues.MustDecimal(price),
			Fee: venues.Some(venues.MustDecimal("0.5")), FeeCurrency: "USDT",
			VenueTradeID: fmt.Sprint(n), VenueOrderID: "v" + id, ExecutedAt: venues.At(b.now),
		},
	}
}

// adoptForeign adopts the order of foreignReport, after change was applied to the report.
func (b *fixture) adoptForeign(n int, side venues.Side, qty, price string, change func(*venues.ExecutionReport)) {
	r := b.foreignReport(n, side, qty, price)
	if change != nil {
		change(&r)
	}
	b.step(func(step stepContext) { b.state.orderLookedUp(step, lookedUp{report: r}) })
}

// streamPosition reports a position by the stream.
func (b *fixture) streamPosition(side venues.PositionSide, qty string) []effect {
	return b.step(func(step stepContext) {
		b.state.positionReported(step, venues.Position{Symbol: "BTCUSDT", Side: side, Qty: venues.MustDecimal(qty), EntryPrice: venues.Some(venues.MustDecimal("100"))})
	})
}

// later advances the time by more than ClockSkewMax.
func (b *fixture) later() { b.now = b.now.Add(position.ClockSkewMax + time.Millisecond) }

// openLong opens a long position elsewhere: it reports the execution and the position.
func (b *fixture) openLong(n int, qty string) {
	b.adoptForeign(n, venues.Buy, qty, "100", nil)
	b.streamPosition(venues.Long, qty)
	b.later()
}

func (b *fixture) closings() []map[string]any {
	b.t.Helper()
	var list []map[string]any
	for _, e := range b.events {
		if e.Type != persistence.EventPositionClosed {
			continue
		}
		var payload map[string]any
		if err := json.Unmarshal(e.Data, &payload); err != nil {
			b.t.Fatal(err)
		}
		list = append(list, payload)
	}
	return list
}

func (b *fixture) onlyClosing() map[string]any {
	b.t.Helper()
	list := b.closings()
	if len(list) != 1 {
		b.t.Fatalf("%d closings, want 1", len(list))
	}
	return list[0]
}

func (b *fixture) wantClosing(n int, want map[string]any) {
	b.t.Helper()
	list := b.closings()
	if len(list) <= n {
		b.t.Fatalf("%d closings, want more than %d", len(list), n)
	}
	for field, value := range want {
		if got := list[n][field]; got != value {
			b.t.Errorf("%s of closing %d = %v, want %v", field, n+1, got, value)
		}
	}
}

func (b *fixture) wantNoClosing() {
	b.t.Helper()
	if got := b.closings(); len(got) != 0 {
		b.t.Fatalf("published closings %v, want none", got)
	}
}

func isClosedPosition(e effect) bool {
	p, ok := e.(publishPosition)
	return ok && p.position.Qty.IsZero()
}

// restart returns a new account, restored from what this one has stored.
func (b *fixture) restart() *fixture {
	again := newFixture(b.t, b.state.caps)
	again.now, again.nextID = b.now, b.nextID
	again.state.ready = false
	again.puts, again.prices = b.puts, b.prices
	in := loadDone{today: risk.NewDay(b.now)}
	fills := []persistence.FillRecord{}
	for _, r := range b.puts {
		switch r := r.(type) {
		case persistence.FillRecord:
			fills = append(fills, r)
			if !r.ExecutedAt.Before(in.today.Start) {
				in.today.Add(&r)
			}
		case persistence.RiskRecord:
			in.risk = r
		case persistence.VenueAccount:
			in.control = r
		}
	}
	for _, r := range b.puts {
		if p, ok := r.(persistence.PositionRecord); ok {
			in.positions = append(in.positions, loadedPosition{record: p, fills: fills})
		}
	}
	again.step(func(step stepContext) { again.state.loaded(step, in) })
	again.state.ready = true
	return again
}

// truePositions is the reference for property tests: the positions of a one-way account,
// computed without the package under test.
type truePositions struct {
	// net is the open quantity, negative if it is short; entered is the quantity that has
	// entered the open position, cash what its executions have paid so far.
	net, entered, cash decimal.Decimal
	closed             []trueClose
}

type trueClose struct {
	side     venues.PositionSide
	qty, pnl decimal.Decimal
}

func (p *truePositions) trade(side venues.Side, qty, price decimal.Decimal) {
	signed := qty
	if side == venues.Sell {
		signed = qty.Neg()
	}
	if p.net.Sign()*signed.Sign() < 0 {
		closes := decimal.Min(qty, p.net.Abs())
		if side == venues.Buy {
			closes = closes.Neg()
		}
		held := venues.Long
		if p.net.IsNegative() {
			held = venues.Short
		}
		p.net, p.cash = p.net.Sub(closes), p.cash.Add(closes.Mul(price))
		signed = signed.Add(closes)
		if p.net.IsZero() {
			p.closed = append(p.closed, trueClose{held, p.entered, p.cash})
			p.entered, p.cash = decimal.Zero, decimal.Zero
		}
	}
	p.net, p.entered, p.cash = p.net.Add(signed), p.entered.Add(signed.Abs()), p.cash.Sub(signed.Mul(price))
}

// open returns the open quantity of a side.
func (p *truePositions) open(side venues.PositionSide) decimal.Decimal {
	if (side == venues.Long) == p.net.IsPositive() {
		return p.net.Abs()
	}
	return decimal.Zero
}
