package account

import (
	"encoding/json"
	"fmt"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// strangerReport tells of an order that someone else made, with one execution.
func (b *bench) strangerReport(n int, side venues.Side, qty, price string) venues.ExecutionReport {
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

// stranger adopts such an order.
func (b *bench) stranger(n int, side venues.Side, qty, price string, change func(*venues.ExecutionReport)) {
	r := b.strangerReport(n, side, qty, price)
	if change != nil {
		change(&r)
	}
	b.step(func(m moment) { b.state.lookedUp(m, lookedUp{report: r}) })
}

// lists is the venue's word on a position, by the stream.
func (b *bench) lists(side venues.PositionSide, qty string) []effect {
	return b.step(func(m moment) {
		b.state.position(m, venues.Position{Symbol: "BTCUSDT", Side: side, Qty: venues.MustDecimal(qty), EntryPrice: venues.Some(venues.MustDecimal("100"))})
	})
}

// later lets more time pass than two clocks differ by.
func (b *bench) later() { b.now = b.now.Add(endSkewMax + time.Millisecond) }

// opensLong hears of a long position that somebody has opened, by its execution and
// by the venue.
func (b *bench) opensLong(n int, qty string) {
	b.stranger(n, venues.Buy, qty, "100", nil)
	b.lists(venues.Long, qty)
	b.later()
}

func (b *bench) closings() []map[string]any {
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

func (b *bench) onlyClosing() map[string]any {
	b.t.Helper()
	list := b.closings()
	if len(list) != 1 {
		b.t.Fatalf("%d events position.closed", len(list))
	}
	return list[0]
}

func (b *bench) wantClosing(n int, want map[string]any) {
	b.t.Helper()
	list := b.closings()
	if len(list) <= n {
		b.t.Fatalf("%d events position.closed", len(list))
	}
	for field, value := range want {
		if got := list[n][field]; got != value {
			b.t.Errorf("%s of end %d is %v, want %v", field, n+1, got, value)
		}
	}
}

func (b *bench) wantNoEnd() {
	b.t.Helper()
	if got := b.closings(); len(got) != 0 {
		b.t.Fatalf("told as ended: %v", got)
	}
}

func isClosedPosition(e effect) bool {
	p, ok := e.(publishPosition)
	return ok && p.position.Qty.IsZero()
}

// restart is an account that has read what this one has stored.
func (b *bench) restart() *bench {
	again := newBench(b.t, b.state.caps)
	again.now, again.nextID = b.now, b.nextID
	again.state.ready = false
	again.puts, again.prices = b.puts, b.prices
	in := loadDone{today: dayResult{day: dayOf(b.now)}}
	fills := []persistence.FillRecord{}
	for _, r := range b.puts {
		switch r := r.(type) {
		case persistence.FillRecord:
			fills = append(fills, r)
			if !r.ExecutedAt.Before(in.today.day) {
				in.today.add(&r)
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
	again.step(func(m moment) { again.state.loaded(m, in) })
	again.state.ready = true
	return again
}
