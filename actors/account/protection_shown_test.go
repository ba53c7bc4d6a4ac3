package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// held is the position of the bench, as readers see it.
func (b *bench) held() venues.Position {
	b.t.Helper()
	list := b.state.currentFunds().Positions
	if len(list) != 1 {
		b.t.Fatalf("%+v", list)
	}
	return list[0]
}

// toldStops are the last stop loss and take profit that the stream has told of a
// position in the last step; "" where it has told none.
func (b *bench) toldStops() (stop, profit string) {
	for _, e := range b.asked {
		if p, ok := e.(publishPosition); ok {
			stop, profit = optionalText(p.position.StopLoss), optionalText(p.position.TakeProfit)
		}
	}
	return stop, profit
}

func optionalText(d venues.Optional) string {
	if !d.Valid {
		return "none"
	}
	return venues.FormatDecimal(d.Decimal)
}

func (b *bench) wantStops(when, stop, profit string) {
	b.t.Helper()
	p := b.held()
	if gotStop, gotProfit := optionalText(p.StopLoss), optionalText(p.TakeProfit); gotStop != stop || gotProfit != profit {
		b.t.Errorf("%s: stop loss %s, take profit %s, want %s, %s", when, gotStop, gotProfit, stop, profit)
	}
}

func TestPositionTellsWhatProtectsIt(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.holds("1")
	b.wantStops("before the legs live", "none", "none")
	legs := b.legs(time.Second)
	b.live(legs...)
	b.wantStops("once they live", "58000", "65000")
	if stop, profit := b.toldStops(); stop != "58000" || profit != "65000" {
		t.Errorf("the stream told %q, %q", stop, profit)
	}
	b.readsFunds()
	b.step(func(m moment) {
		b.state.takePositions(m, []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: o.Qty}}, b.now)
	})
	b.wantStops("after a reading that says nothing of them", "58000", "65000")
	b.executes(legs[0], "57990")
	b.wantStops("once the stop loss is triggered", "none", "65000")
	b.cancels(legs[1])
	b.wantStops("without legs", "none", "none")
}

// TestPositionTellsTheNearestStop: of several entries the first trigger on the way
// counts.
func TestPositionTellsTheNearestStop(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.protectedEntry("1")
	nearer := protectedOrder()
	nearer.cmd.RequestID, nearer.cmd.StopLoss, nearer.cmd.TakeProfit = "r2", venues.Some(venues.MustDecimal("59000")), venues.Some(venues.MustDecimal("67000"))
	second := b.open(nearer, venues.StatusOpen)
	b.fillMore(second, "t2", "1")
	b.live(b.legs(time.Second)...)
	b.wantStops("with two entries", "59000", "65000")
}

// TestStopOfAnotherHandIsKept: what the venue tells and is no leg of ours stays.
func TestStopOfAnotherHandIsKept(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.step(func(m moment) {
		b.state.position(m, venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1"), StopLoss: venues.Some(venues.MustDecimal("50000"))})
	})
	b.fillEntry("0.4")
	b.wantStops("while ours is on its way", "50000", "none")
	b.step(func(m moment) { b.state.position(m, venues.Position{Symbol: "BTCUSDT", Side: venues.Long}) })
	if n := len(b.state.currentFunds().Positions); n != 0 {
		t.Errorf("%d positions", n)
	}
}

// TestPositionIsToldWithItsMarkPrice: an event of a venue that does not tell the
// mark price is completed with the market's.
func TestPositionIsToldWithItsMarkPrice(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.prices = map[string]string{"BTCUSDT": "60100"}
	b.holds("1")
	if mark := b.held().MarkPrice; optionalText(mark) != "60100" {
		t.Errorf("mark price %v", mark)
	}
	b.step(func(m moment) {
		b.state.position(m, venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2"), MarkPrice: venues.Some(venues.MustDecimal("60200"))})
	})
	if mark := b.held().MarkPrice; optionalText(mark) != "60200" {
		t.Errorf("the venue's own mark price became %v", mark)
	}
}
