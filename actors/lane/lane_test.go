package lane

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"venuegate/actors/actortest"
	"venuegate/venues"
)

// The picture of the package comment.
func TestTicketsAreCalledInOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		lanes := NewClient(kit.Start(Child()))
		var called []string
		take := func(holder, id string, exchange venues.Venue, symbol string) {
			lanes.Enter(holder, id, exchange, symbol, func(error) { called = append(called, id) })
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
		lanes.Leave("b") // 3, which was called, and 4, which was not
		expect("1 2 5 3")
		lanes.GiveBack("c", "5")
		expect("1 2 5 3 6")
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
