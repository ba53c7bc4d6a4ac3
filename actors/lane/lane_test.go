package lane

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

// The picture of the package comment.
func TestTicketsAreCalledInOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		lanes := NewClient(kit.Start(Child()))
		var called []string
		take := func(holder, id string, exchange venues.Venue, symbol string) {
			lanes.Enter(holder, id, exchange, symbol, start, func(error) { called = append(called, id) })
		}
		expect := func(want string) {
			t.Helper()
			kit.Settle()
			if got := strings.Join(called, " "); got != want {
				t.Errorf("called %q, want %q", got, want)
			}
		}
		take("a", "1", venues.Binance, "BTCUSDT")
		take("a", "2", venues.Binance, "ETHUSDT")
		take("b", "3", venues.Binance, "")
		take("b", "4", venues.Binance, "BTCUSDT")
		take("c", "5", venues.OKX, "BTCUSDT")
		expect("1 2 5")
		lanes.GiveBack("a", "1")
		expect("1 2 5")
		lanes.GiveBack("x", "2") // of somebody else
		expect("1 2 5")
		lanes.GiveBack("a", "2")
		expect("1 2 5 3")
		take("c", "6", "", "")
		lanes.Retain("b", nil) // 3, which was called, and 4, which was not
		expect("1 2 5 3")
		lanes.GiveBack("c", "5")
		expect("1 2 5 3 6")
	})
}

// A holder that starts anew keeps the places of what it still has to do, and
// loses the others.
func TestAHolderThatStartsAnewKeepsItsPlaces(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		lanes := NewClient(kit.Start(Child()))
		var called []string
		take := func(holder, id, name string) {
			lanes.Enter(holder, id, venues.Binance, "BTCUSDT", start, func(error) { called = append(called, name) })
		}
		take("a", "1", "1")
		take("a", "2", "2")
		take("b", "3", "3")
		take("a", "4", "4")
		take("a", "1", "1 again") // while it was called
		take("a", "4", "4 again")
		kit.Settle()
		lanes.GiveBack("a", "1")
		lanes.Retain("a", []string{"4"}) // 2 has been done
		kit.Settle()
		lanes.GiveBack("b", "3")
		kit.Settle()
		if got := strings.Join(called, ", "); got != "1, 1 again, 2, 3, 4 again" {
			t.Errorf("called %q", got)
		}
	})
}

// What was received earlier goes first, even if its holder comes later with it;
// what is under way already is waited for.
func TestTheReceiptDecides(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		lanes := NewClient(kit.Start(Child("a", "b", "c")))
		var called []string
		take := func(holder, id string, received int) {
			lanes.Enter(holder, id, venues.Binance, "BTCUSDT", start.Add(time.Duration(received)*time.Second), func(error) { called = append(called, id) })
		}
		expect := func(want string) {
			t.Helper()
			kit.Settle()
			if got := strings.Join(called, " "); got != want {
				t.Errorf("called %q, want %q", got, want)
			}
		}
		lanes.Retain("a", nil)
		take("a", "5", 5)
		lanes.Retain("b", []string{"2"})
		take("b", "2", 2)
		expect("") // c may have an earlier one
		lanes.Retain("c", nil)
		expect("2")
		take("c", "1", 1)
		take("c", "3", 3)
		expect("2")
		lanes.GiveBack("b", "2")
		expect("2 1")
		lanes.GiveBack("c", "1")
		expect("2 1 3")
		lanes.GiveBack("c", "3")
		expect("2 1 3 5")
	})
	actortest.Run(t, func(kit *actortest.Kit) { // a holder that never comes is not waited for
		lanes := NewClient(kit.Start(Child("a")))
		var called time.Duration
		begun := time.Now()
		lanes.Enter("b", "1", "", "", start, func(error) { called = time.Since(begun) })
		kit.Advance(holdersWaitMax + time.Second)
		kit.Settle()
		if called != holdersWaitMax {
			t.Errorf("called after %s", called)
		}
	})
}

func TestTicketsAreLimited(t *testing.T) {
	var s state
	for n := range ticketsMax {
		if _, taken := s.enter(enter{ticket: ticket{id: fmt.Sprint(n)}}); !taken {
			t.Fatalf("ticket %d was refused", n)
		}
	}
	if _, taken := s.enter(enter{}); taken {
		t.Error("one ticket too many was taken")
	}
}

// Two tickets that overlap are never called at the same time, the earlier one is
// called first, and in the end everyone is.
func TestOverlappingTicketsTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s state
		var running, done []*place
		total := rapid.IntRange(1, 30).Draw(t, "tickets")
		start := func(calls []*place) {
			for _, p := range calls {
				for _, r := range running {
					if r.ticket.overlaps(&p.ticket) {
						t.Fatalf("%+v runs while %+v does", p.ticket, r.ticket)
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
			start(s.end(func(ticket *ticket) bool { return ticket.id == p.ticket.id }))
		}
		for n := range total {
			calls, _ := s.enter(enter{ticket: ticket{
				id:       fmt.Sprintf("%03d", n),
				exchange: rapid.SampledFrom([]venues.Venue{"", venues.Binance, venues.OKX}).Draw(t, "exchange"),
				symbol:   rapid.SampledFrom([]string{"", "BTCUSDT", "ETHUSDT"}).Draw(t, "symbol"),
			}})
			start(calls)
			if len(running) > 0 && rapid.Bool().Draw(t, "finish") {
				finish()
			}
		}
		for len(running) > 0 {
			finish()
		}
		if len(done) != total {
			t.Fatalf("%d of %d were called", len(done), total)
		}
		for i, later := range done {
			for _, other := range done[i+1:] {
				if other.ticket.overlaps(&later.ticket) && other.ticket.id < later.ticket.id {
					t.Fatalf("%+v was called before %+v", later.ticket, other.ticket)
				}
			}
		}
	})
}
