package book

import (
	"testing"

	"venuegate/venues"
)

// After a change of the tick size or the quantity step, open or not, the book is published
// and read with the new scale: the numbers of its levels are multiples of it.
func TestRescaledBookHasTheNewScale(t *testing.T) {
	m := newMachine(false, false)
	expect := func(step string, scale venues.Scale) {
		t.Helper()
		m.state.book.update(m.now, parseUpdate(t, []string{"snapshot", "10", "b", "100:1", "a", "101:1"}))
		m.step()
		if read, published := m.state.summary().scale, m.state.encoder.book.Scale; read != scale || published != scale {
			t.Errorf("%s: scale read = %+v, published = %+v, want %+v", step, read, published, scale)
		}
	}
	m.state.rescale(m.now, venues.Scale{PriceDecimals: 1, QtyDecimals: 3})
	m.subscribe(t, "A", "book:binance:BTCUSDT:5")
	expect("before the first snapshot", venues.Scale{PriceDecimals: 1, QtyDecimals: 3})
	for step, scale := range map[string]venues.Scale{
		"tick size":     {PriceDecimals: 2, QtyDecimals: 3},
		"quantity step": {PriceDecimals: 2, QtyDecimals: 4},
	} {
		m.state.rescale(m.now, scale)
		m.step()
		if m.state.book.phase != PhaseStale {
			t.Errorf("%s: phase = %s, want %s", step, m.state.book.phase, PhaseStale)
		}
		expect(step, scale)
	}
}
