package venuetest

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// short is a patience for streams that owe a message.
const short = 300 * time.Millisecond

var privateCases = []conformanceCase{
	{number: 170, name: "the life of a filled order is told step by step with its fills", run: lifeIsTold},
	{number: 171, name: "an amendment made elsewhere is told", run: changeElsewhereIsTold},
	{number: 172, name: "position and balance events follow a fill", run: positionAndBalanceAreTold},
	{number: 173, name: "a cut connection is told, mended, and goes on", run: privateReconnects},
	{number: 174, name: "what happened while the stream was away is found by query", run: privateOutage},
	{number: 175, name: "events told twice do no harm", run: privateDuplicates},
	{number: 176, name: "events out of order leave the same end", run: privateReorder},
	{number: 177, name: "a swallowed event is found by query", run: privateGap},
	{number: 178, name: "a stream that stays mute after an acknowledged order is replaced", under: Conditions{SilenceMax: short}, run: privateMute},
	{number: 179, name: "late events are told all the same", run: privateDelay},
	{number: 180, name: "a connection that the venue drops in the middle is mended", run: privateDropped},
	{number: 181, name: "after Close the sink is silent", run: privateClose},
	{number: 182, name: "a wrong key never counts as connected", run: privateWrongKey},
	{number: 183, name: "a venue that does not let the stream in is asked again", run: privateHandshakeRefused},
	{number: 184, name: "two streams of one account hear the same", run: privateTwice},
	{number: 185, name: "the steps of a stop come in their order", needs: OrderedEvents, run: stopInOrder},
}

func lifeIsTold(s *stage) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.trade(venues.Sell, "0.01")
	s.reaches(order, venues.StatusPartiallyFilled)
	s.trade(venues.Sell, "0.02")
	s.lived(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
	s.await("the fills", func(h *heard) bool { return sumOf(h.fillsOf(order.ClientOrderID)).Equal(order.Qty) })
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	before := d("0")
	for _, r := range s.heard.reports {
		if r.FilledQty.LessThan(before) || r.VenueOrderID == "" || r.VenueTime.IsZero() {
			s.t.Errorf("%+v after %v were filled", r, before)
		}
		before = r.FilledQty
	}
	if fills := s.heard.fillsOf(order.ClientOrderID); len(fills) != 2 {
		s.t.Errorf("%+v", fills)
	}
}

func changeElsewhereIsTold(s *stage) {
	order := s.resting()
	elsewhere := s.open(s.sim.DemoAccount().Credentials)
	amend := venues.AmendRequest{OrderRef: refOf(order), Side: order.Side, Qty: d("0.02"), Price: some("64600"), Deadline: order.Deadline}
	if _, err := elsewhere.Amend(s.t.Context(), amend); err != nil {
		s.t.Fatal(err)
	}
	s.await("the amendment", func(h *heard) bool {
		last := h.last(order.ClientOrderID)
		return last.Qty.Equal(d("0.02")) && venues.EqualOptional(last.Price, some("64600"))
	})
	if _, err := elsewhere.Cancel(s.t.Context(), refOf(order)); err != nil {
		s.t.Fatal(err)
	}
	s.reaches(order, venues.StatusCancelled)
}

func positionAndBalanceAreTold(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	s.await("the position", func(h *heard) bool { return h.holds(venues.Long, "0.01") && h.balances > 0 })
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	p, _ := s.heard.position(venues.Long)
	if p.Exchange != s.connector.Venue() || !venues.EqualOptional(p.EntryPrice, some("65000.1")) {
		s.t.Errorf("%+v", p)
	}
}

// mended waits until the stream has told of a loss and is back.
func (s *stage) mended() {
	s.t.Helper()
	s.await("the loss and the return", func(h *heard) bool { return len(h.lost) > 0 && h.connected > len(h.lost) })
}

func privateReconnects(s *stage) {
	order := s.resting()
	s.streams.cut()
	s.mended()
	s.cancel(order)
}

func privateOutage(s *stage) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"))
	s.fault(simcore.FaultStatus, Route{"GET", s.harness.Wire.PrivateStream}, 2, simcore.FaultArgs{Status: 503})
	s.streams.cut()
	s.await("the loss", func(h *heard) bool { return len(h.lost) > 0 })
	s.trade(venues.Sell, "0.01")
	if found := s.find(order); found.Status != venues.StatusFilled {
		s.t.Errorf("%+v", found)
	}
	s.mended()
	s.cancel(s.resting())
}

func (s *stage) privateFault(do simcore.FaultAction, topic string, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.streamFault(do, s.harness.Wire.PrivateStream, topic, times, args)
}

func privateDuplicates(s *stage) {
	s.privateFault(simcore.FaultDuplicate, "", 0, simcore.FaultArgs{})
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.trade(venues.Sell, "0.01")
	s.trade(venues.Sell, "0.02")
	s.lived(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
	s.await("the fills", func(h *heard) bool {
		trades := map[string]venues.Fill{}
		for _, f := range h.fillsOf(order.ClientOrderID) {
			trades[f.VenueTradeID] = f
		}
		return len(trades) == 2
	})
	if s.struck() == 0 {
		s.t.Error("nothing was told twice")
	}
	s.holding(venues.Long, "0.03")
}

func privateReorder(s *stage) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.heard.mu.Lock()
	s.heard.disordered = true
	s.heard.mu.Unlock()
	s.privateFault(simcore.FaultReorder, s.harness.Wire.OrderTopic, 1, simcore.FaultArgs{})
	s.trade(venues.Sell, "0.01")
	s.trade(venues.Sell, "0.02")
	s.await("the end in whatever order", func(h *heard) bool {
		most := d("0")
		for _, r := range h.reports {
			if r.ClientOrderID == order.ClientOrderID && r.FilledQty.GreaterThan(most) {
				most = r.FilledQty
			}
		}
		return most.Equal(order.Qty)
	})
	if found := s.find(order); found.Status != venues.StatusFilled || s.struck() != 1 {
		s.t.Errorf("%d events were held back, %+v", s.struck(), found)
	}
}

func privateGap(s *stage) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.privateFault(simcore.FaultGap, s.harness.Wire.OrderTopic, 1, simcore.FaultArgs{})
	s.trade(venues.Sell, "0.01")
	for late := time.Now().Add(patience); s.struck() == 0 && time.Now().Before(late); {
		if found := s.find(order); found.Status != venues.StatusPartiallyFilled || !found.FilledQty.Equal(d("0.01")) {
			s.t.Fatalf("%+v", found)
		}
	}
	s.trade(venues.Sell, "0.02")
	s.reaches(order, venues.StatusFilled)
	if fills := s.fills(symbol); len(fills) != 2 || s.struck() != 1 {
		s.t.Errorf("%d events were swallowed, %+v", s.struck(), fills)
	}
}

func privateMute(s *stage) {
	s.privateFault(simcore.FaultStalled, "", 0, simcore.FaultArgs{})
	order := s.place()
	s.await("the loss", func(h *heard) bool { return len(h.lost) > 0 })
	s.sim.Control().ClearFaults()
	s.mended()
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
	s.hearsAgain()
}

// hearsAgain places orders until the stream tells of one: where it has little
// patience and the machine is slow, it may be replaced once more.
func (s *stage) hearsAgain() {
	s.t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		order, told := s.place(), false
		s.heard.mu.Lock()
		lost := len(s.heard.lost)
		s.heard.mu.Unlock()
		s.await("an event or another loss", func(h *heard) bool {
			told = h.last(order.ClientOrderID).Status != ""
			return told || len(h.lost) > lost
		})
		if told {
			return
		}
	}
	s.t.Error("no event came any more")
}

func privateDelay(s *stage) {
	s.privateFault(simcore.FaultDelay, "", 2, simcore.FaultArgs{DelayMs: 200})
	order := s.filled(market(venues.Buy, "0.01"))
	s.await("the position", func(h *heard) bool { return h.holds(venues.Long, "0.01") })
	if s.struck() == 0 {
		s.t.Errorf("nothing was late of %s", order.ClientOrderID)
	}
}

func privateDropped(s *stage) {
	s.privateFault(simcore.FaultDropConnection, s.harness.Wire.OrderTopic, 1, simcore.FaultArgs{})
	order := s.place()
	s.mended()
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
	s.cancel(order)
}

func privateClose(s *stage) {
	other := newHeard()
	feed := s.account.OpenPrivate(other)
	other.await(s.t, "the second stream", func(h *heard) bool { return h.connected > 0 })
	feed.Close()
	other.mu.Lock()
	before := len(other.reports) + len(other.positions) + other.balances + other.connected + len(other.lost)
	other.mu.Unlock()
	s.filled(market(venues.Buy, "0.01"))
	s.streams.cut()
	s.mended()
	other.mu.Lock()
	defer other.mu.Unlock()
	if after := len(other.reports) + len(other.positions) + other.balances + other.connected + len(other.lost); after != before {
		s.t.Errorf("%d calls after Close", after-before)
	}
}

func privateWrongKey(s *stage) {
	keys := s.sim.DemoAccount().Credentials
	keys.APIKey = reversed(keys.APIKey)
	h := newHeard()
	feed := s.open(keys).OpenPrivate(h)
	s.filled(market(venues.Buy, "0.01")) // meanwhile the stranger has tried
	feed.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.connected != 0 || len(h.reports) != 0 || len(h.positions) != 0 {
		s.t.Errorf("connected %d, %d reports", h.connected, len(h.reports))
	}
}

func privateHandshakeRefused(s *stage) {
	s.fault(simcore.FaultMaintenance, Route{"GET", s.harness.Wire.PrivateStream}, 2, simcore.FaultArgs{})
	_, h := s.listen(s.open(s.sim.DemoAccount().Credentials))
	h.await(s.t, "the connection in the end", func(h *heard) bool { return h.connected == 1 })
	if s.struck() != 2 {
		s.t.Errorf("%d attempts were refused", s.struck())
	}
}

func privateTwice(s *stage) {
	_, other := s.listen(s.open(s.sim.DemoAccount().Credentials))
	other.await(s.t, "the second stream", func(h *heard) bool { return h.connected > 0 })
	order := s.filled(market(venues.Buy, "0.01"))
	other.await(s.t, "the same end", func(h *heard) bool { return h.last(order.ClientOrderID).Status == venues.StatusFilled })
}

func stopInOrder(s *stage) {
	for range racesMax {
		order := s.place(stop(venues.Buy, "66000"))
		s.reaches(order, venues.StatusUntriggered)
		s.move("66010")
		s.lived(order, venues.StatusUntriggered, venues.StatusFilled)
		s.reaches(order, venues.StatusFilled)
		s.move("65000")
	}
}
