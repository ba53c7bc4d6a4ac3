package signalqueue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/actors/actortest"
	"venuegate/venues"
)

var start = time.Date(2026, 11, 20, 9, 19, 0, 0, time.UTC)

// The example of the package comment.
func TestSlotsAreGrantedInOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		queue := NewClient(kit.Start(Child()))
		var granted []string
		enterSlot := func(channel, id string, exchange venues.Venue, symbol string) {
			queue.Enter(channel, id, exchange, symbol, start, func(error) { granted = append(granted, id) })
		}
		expect := func(want string) {
			t.Helper()
			kit.Settle()
			if got := strings.Join(granted, " "); got != want {
				t.Errorf("granted %q, want %q", got, want)
			}
		}
		enterSlot("a", "1", venues.Binance, "BTCUSDT")
		enterSlot("a", "2", venues.Binance, "ETHUSDT")
		enterSlot("b", "3", venues.Binance, "")
		enterSlot("b", "4", venues.Binance, "BTCUSDT")
		enterSlot("c", "5", venues.OKX, "BTCUSDT")
		expect("1 2 5")
		queue.Release("a", "1")
		expect("1 2 5")
		queue.Release("x", "2") // of another channel
		expect("1 2 5")
		queue.Release("a", "2")
		expect("1 2 5 3")
		enterSlot("c", "6", "", "")
		queue.Retain("b", nil) // 3, which is granted, and 4, which is not
		expect("1 2 5 3")
		queue.Release("c", "5")
		expect("1 2 5 3 6")
	})
}

// A restarted channel keeps the slots of its unfinished signals and loses the
// others.
func TestRestartedChannelKeepsItsSlots(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		queue := NewClient(kit.Start(Child()))
		var granted []string
		enterSlot := func(channel, id, name string) {
			queue.Enter(channel, id, venues.Binance, "BTCUSDT", start, func(error) { granted = append(granted, name) })
		}
		enterSlot("a", "1", "1")
		enterSlot("a", "2", "2")
		enterSlot("b", "3", "3")
		enterSlot("a", "4", "4")
		enterSlot("a", "1", "1 again") // while it is granted
		enterSlot("a", "4", "4 again")
		kit.Settle()
		queue.Release("a", "1")
		queue.Retain("a", []string{"4"}) // 2 has been done
		kit.Settle()
		queue.Release("b", "3")
		kit.Settle()
		if got, want := strings.Join(granted, ", "), "1, 1 again, 2, 3, 4 again"; got != want {
			t.Errorf("granted %q, want %q", got, want)
		}
	})
}

// The signal that was received first is granted first, even if its slot is entered
// later; a slot that is granted already is not revoked.
func TestSlotsAreGrantedInOrderOfReceipt(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		queue := NewClient(kit.Start(Child("a", "b", "c")))
		var granted []string
		enterSlot := func(channel, id string, received int) {
			queue.Enter(channel, id, venues.Binance, "BTCUSDT", start.Add(time.Duration(received)*time.Second), func(error) { granted = append(granted, id) })
		}
		expect := func(want string) {
			t.Helper()
			kit.Settle()
			if got := strings.Join(granted, " "); got != want {
				t.Errorf("granted %q, want %q", got, want)
			}
		}
		queue.Retain("a", nil)
		enterSlot("a", "5", 5)
		queue.Retain("b", []string{"2"})
		enterSlot("b", "2", 2)
		expect("") // c may have an earlier one
		queue.Retain("c", nil)
		expect("2")
		enterSlot("c", "1", 1)
		enterSlot("c", "3", 3)
		expect("2")
		queue.Release("b", "2")
		expect("2 1")
		queue.Release("c", "1")
		expect("2 1 3")
		queue.Release("c", "3")
		expect("2 1 3 5")
	})
	actortest.Run(t, func(kit *actortest.Kit) { // a channel that never calls Retain
		queue := NewClient(kit.Start(Child("a")))
		var granted time.Duration
		begun := time.Now()
		queue.Enter("b", "1", "", "", start, func(error) { granted = time.Since(begun) })
		kit.Advance(channelsWaitMax + time.Second)
		kit.Settle()
		if granted != channelsWaitMax {
			t.Errorf("granted after %s, want %s", granted, channelsWaitMax)
		}
	})
}

func TestSlotsAreLimited(t *testing.T) {
	var s state
	for n := range slotsMax {
		if _, ok := s.enter(enter{slot: slot{id: fmt.Sprint(n)}}); !ok {
			t.Fatalf("slot %d was rejected, want %d slots", n, slotsMax)
		}
	}
	if _, ok := s.enter(enter{}); ok {
		t.Errorf("slot %d was accepted, want it rejected", slotsMax)
	}
}

// Two slots that overlap are never granted at the same time, the earlier one is
// granted first, and in the end all are.
func TestOverlappingSlotsAreGrantedOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s state
		var running, done []*entry
		total := rapid.IntRange(1, 30).Draw(t, "slots")
		start := func(granted []*entry) {
			for _, p := range granted {
				for _, r := range running {
					if r.slot.overlaps(&p.slot) {
						t.Fatalf("%+v and %+v are granted at the same time, want one at a time", p.slot, r.slot)
					}
				}
				running = append(running, p)
			}
		}
		finish := func() {
			i := rapid.IntRange(0, len(running)-1).Draw(t, "finished")
			p := running[i]
			running = slices.Delete(running, i, i+1)
			done = append(done, p)
			start(s.release(func(slot *slot) bool { return slot.id == p.slot.id }))
		}
		for n := range total {
			granted, _ := s.enter(enter{slot: slot{
				id:       fmt.Sprintf("%03d", n),
				exchange: rapid.SampledFrom([]venues.Venue{"", venues.Binance, venues.OKX}).Draw(t, "exchange"),
				symbol:   rapid.SampledFrom([]string{"", "BTCUSDT", "ETHUSDT"}).Draw(t, "symbol"),
			}})
			start(granted)
			if len(running) > 0 && rapid.Bool().Draw(t, "finish") {
				finish()
			}
		}
		for len(running) > 0 {
			finish()
		}
		if len(done) != total {
			t.Fatalf("%d slots were granted, want %d", len(done), total)
		}
		for i, later := range done {
			for _, other := range done[i+1:] {
				if other.slot.overlaps(&later.slot) && other.slot.id < later.slot.id {
					t.Fatalf("%+v was granted before %+v, want the reverse", later.slot, other.slot)
				}
			}
		}
	})
}
