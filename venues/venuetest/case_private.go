package venuetest

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// short is the silence limit of streams that are expected to send a message.
const short = 300 * time.Millisecond

var privateCases = []conformanceCase{
	{number: 170, name: "the steps of a filled order are published with its fills", run: lifeIsPublished},
	{number: 171, name: "an amendment made elsewhere is published", run: changeElsewhereIsPublished},
	{number: 172, name: "position and balance events follow a fill", run: positionAndBalanceArePublished},
	{number: 173, name: "a cut connection is reported, reconnected, and continues", run: privateReconnects},
	{number: 174, name: "changes during an outage of the stream are found by query", run: privateOutage},
	{number: 175, name: "duplicate events do no harm", run: privateDuplicates},
	{number: 176, name: "events out of order lead to the same end", run: privateReorder},
	{number: 177, name: "a lost event is found by query", run: privateGap},
	{number: 178, name: "a stream that stays silent after an acknowledged order is replaced", under: Conditions{SilenceMax: short}, run: privateStalled},
	{number: 179, name: "delayed events are published", run: privateDelay},
	{number: 180, name: "a connection that the venue drops is reconnected", run: privateDropped},
	{number: 181, name: "after Close the sink receives nothing", run: privateClose},
	{number: 182, name: "a stream with a wrong key never counts as connected", run: privateWrongKey},
	{number: 183, name: "a rejected handshake of the private stream is repeated", run: privateHandshakeRejected},
	{number: 184, name: "two streams of one account publish the same", run: privateTwice},
	{number: 185, name: "the steps of a stop are published in order", needs: OrderedEvents, run: stopInOrder},
}

func lifeIsPublished(s *env) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.trade(venues.Sell, "0.01")
	s.awaitStatus(order, venues.StatusPartiallyFilled)
	s.trade(venues.Sell, "0.02")
	s.awaitSteps(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
	s.await("the fills", func(h *sink) bool { return sumOf(h.fillsOf(order.ClientOrderID)).Equal(order.Qty) })
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	before := d("0")
	for _, r := range s.sink.reports {
		if r.FilledQty.LessThan(before) || r.VenueOrderID == "" || r.VenueTime.IsZero() {
			s.t.Errorf("report = %+v after %v were filled, want at least as much, an id and a time", r, before)
		}
		before = r.FilledQty
	}
	if fills := s.sink.fillsOf(order.ClientOrderID); len(fills) != 2 {
		s.t.Errorf("%d fills, want 2: %+v", len(fills), fills)
	}
}

func changeElsewhereIsPublished(s *env) {
	order := s.resting()
	elsewhere := s.open(s.sim.DemoAccount().Credentials)
	amend := venues.AmendRequest{OrderRef: refOf(order), Side: order.Side, Qty: d("0.02"), Price: some("64600"), Deadline: order.Deadline}
	if _, err := elsewhere.Amend(s.t.Context(), amend); err != nil {
		s.t.Fatal(err)
	}
	s.await("the amendment", func(h *sink) bool {
		last := h.last(order.ClientOrderID)
		return last.Qty.Equal(d("0.02")) && venues.EqualOptional(last.Price, some("64600"))
	})
	if _, err := elsewhere.Cancel(s.t.Context(), refOf(order)); err != nil {
		s.t.Fatal(err)
	}
	s.awaitStatus(order, venues.StatusCancelled)
}

func positionAndBalanceArePublished(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	s.await("the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0.01") && h.balances > 0 })
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	p, _ := s.sink.position(venues.Long)
	if p.Exchange != s.connector.Venue() || !venues.EqualOptional(p.EntryPrice, some("65000.1")) {
		s.t.Errorf("position = %+v, want entry price 65000.1", p)
	}
}

// awaitReconnect waits until the stream has reported a loss and is connected again.
func (s *env) awaitReconnect() {
	s.t.Helper()
	s.await("the loss and a new connection", func(h *sink) bool { return len(h.lost) > 0 && h.connected > len(h.lost) })
}

func privateReconnects(s *env) {
	order := s.resting()
	s.streams.cut()
	s.awaitReconnect()
	s.cancel(order)
}

func privateOutage(s *env) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"))
	s.fault(simcore.FaultStatus, Route{"GET", s.harness.Wire.PrivateStream}, 2, simcore.FaultArgs{Status: 503})
	s.streams.cut()
	s.await("the loss", func(h *sink) bool { return len(h.lost) > 0 })
	s.trade(venues.Sell, "0.01")
	s.checkStatus(order, venues.StatusFilled)
	s.awaitReconnect()
	s.cancel(s.resting())
}

func (s *env) privateFault(do simcore.FaultAction, topic string, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.streamFault(do, s.harness.Wire.PrivateStream, topic, times, args)
}

func privateDuplicates(s *env) {
	s.privateFault(simcore.FaultDuplicate, "", 0, simcore.FaultArgs{})
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.trade(venues.Sell, "0.01")
	s.trade(venues.Sell, "0.02")
	s.awaitSteps(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
	s.await("the fills", func(h *sink) bool {
		trades := map[string]venues.Fill{}
		for _, f := range h.fillsOf(order.ClientOrderID) {
			trades[f.VenueTradeID] = f
		}
		return len(trades) == 2
	})
	if s.faultsApplied() == 0 {
		s.t.Error("no event was duplicated, want some")
	}
	s.checkPosition(venues.Long, "0.03")
}

func privateReorder(s *env) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.sink.mu.Lock()
	s.sink.anyOrder = true
	s.sink.mu.Unlock()
	s.privateFault(simcore.FaultReorder, s.harness.Wire.OrderTopic, 1, simcore.FaultArgs{})
	s.trade(venues.Sell, "0.01")
	s.trade(venues.Sell, "0.02")
	s.await("the last fill", func(h *sink) bool {
		most := d("0")
		for _, r := range h.reports {
			if r.ClientOrderID == order.ClientOrderID && r.FilledQty.GreaterThan(most) {
				most = r.FilledQty
			}
		}
		return most.Equal(order.Qty)
	})
	if found := s.find(order); found.Status != venues.StatusFilled || s.faultsApplied() != 1 {
		s.t.Errorf("order = %+v with %d faults, want it filled with 1", found, s.faultsApplied())
	}
}

func privateGap(s *env) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.privateFault(simcore.FaultGap, s.harness.Wire.OrderTopic, 1, simcore.FaultArgs{})
	s.trade(venues.Sell, "0.01")
	for late := time.Now().Add(waitMax); s.faultsApplied() == 0 && time.Now().Before(late); {
		if found := s.find(order); found.Status != venues.StatusPartiallyFilled || !found.FilledQty.Equal(d("0.01")) {
			s.t.Fatalf("order = %+v, want 0.01 filled", found)
		}
	}
	s.trade(venues.Sell, "0.02")
	s.awaitStatus(order, venues.StatusFilled)
	if fills := s.fills(symbol); len(fills) != 2 || s.faultsApplied() != 1 {
		s.t.Errorf("fills = %+v with %d faults, want 2 with 1", fills, s.faultsApplied())
	}
}

func privateStalled(s *env) {
	s.privateFault(simcore.FaultStalled, "", 0, simcore.FaultArgs{})
	order := s.place()
	s.await("the loss", func(h *sink) bool { return len(h.lost) > 0 })
	s.sim.Control().ClearFaults()
	s.awaitReconnect()
	s.checkStatus(order, venues.StatusOpen)
	s.awaitEvents()
}

// awaitEvents places orders until the stream publishes one: with a short silence limit
// and on a slow machine the connection may be replaced once more.
func (s *env) awaitEvents() {
	s.t.Helper()
	for late := time.Now().Add(waitMax); time.Now().Before(late); {
		order, reported := s.place(), false
		s.sink.mu.Lock()
		lost := len(s.sink.lost)
		s.sink.mu.Unlock()
		s.await("an event or another loss", func(h *sink) bool {
			reported = h.last(order.ClientOrderID).Status != ""
			return reported || len(h.lost) > lost
		})
		if reported {
			return
		}
	}
	s.t.Error("the stream publishes no event after the outage, want one")
}

func privateDelay(s *env) {
	s.privateFault(simcore.FaultDelay, "", 2, simcore.FaultArgs{DelayMs: 200})
	order := s.filled(market(venues.Buy, "0.01"))
	s.await("the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0.01") })
	if s.faultsApplied() == 0 {
		s.t.Errorf("no event of %s was delayed, want some", order.ClientOrderID)
	}
}

func privateDropped(s *env) {
	s.privateFault(simcore.FaultDropConnection, s.harness.Wire.OrderTopic, 1, simcore.FaultArgs{})
	order := s.place()
	s.awaitReconnect()
	s.checkStatus(order, venues.StatusOpen)
	s.cancel(order)
}

func privateClose(s *env) {
	other := newSink()
	feed := s.account.OpenPrivate(other)
	other.await(s.t, "the second stream", func(h *sink) bool { return h.connected > 0 })
	feed.Close()
	other.mu.Lock()
	before := len(other.reports) + len(other.positions) + other.balances + other.connected + len(other.lost)
	other.mu.Unlock()
	s.filled(market(venues.Buy, "0.01"))
	s.streams.cut()
	s.awaitReconnect()
	other.mu.Lock()
	defer other.mu.Unlock()
	if after := len(other.reports) + len(other.positions) + other.balances + other.connected + len(other.lost); after != before {
		s.t.Errorf("%d calls of the sink after Close, want 0", after-before)
	}
}

func privateWrongKey(s *env) {
	keys := s.sim.DemoAccount().Credentials
	keys.APIKey = reversed(keys.APIKey)
	h := newSink()
	feed := s.open(keys).OpenPrivate(h)
	s.filled(market(venues.Buy, "0.01")) // meanwhile the stream with the wrong key has tried to connect
	feed.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.connected != 0 || len(h.reports) != 0 || len(h.positions) != 0 {
		s.t.Errorf("connected %d times with %d reports, want neither", h.connected, len(h.reports))
	}
}

func privateHandshakeRejected(s *env) {
	s.fault(simcore.FaultMaintenance, Route{"GET", s.harness.Wire.PrivateStream}, 2, simcore.FaultArgs{})
	_, h := s.listen(s.open(s.sim.DemoAccount().Credentials))
	h.await(s.t, "the connection in the end", func(h *sink) bool { return h.connected == 1 })
	s.checkFaults(2)
}

func privateTwice(s *env) {
	_, other := s.listen(s.open(s.sim.DemoAccount().Credentials))
	other.await(s.t, "the second stream", func(h *sink) bool { return h.connected > 0 })
	order := s.filled(market(venues.Buy, "0.01"))
	other.await(s.t, "the same end", func(h *sink) bool { return h.last(order.ClientOrderID).Status == venues.StatusFilled })
}

func stopInOrder(s *env) {
	for range racesMax {
		order := s.place(stop(venues.Buy, "66000"))
		s.awaitStatus(order, venues.StatusUntriggered)
		s.move("66010")
		s.awaitSteps(order, venues.StatusUntriggered, venues.StatusFilled)
		s.awaitStatus(order, venues.StatusFilled)
		s.move("65000")
	}
}
