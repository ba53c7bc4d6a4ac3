package venuetest

import (
	"slices"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var snapshotCases = []conformanceCase{
	{number: 186, name: "positions that closed during an outage are published closed, the others unchanged", needs: StreamPositions, run: positionsAfterOutage},
	{number: 187, name: "a lost part of the positions closes none", needs: StreamPositions, run: positionsInPart},
	{number: 188, name: "a surplus stream does not count as connected until another has ended", needs: StreamLimits, under: Conditions{StreamsMax: 1}, run: streamTooMany},
}

// severalSymbols are the instruments in which a case has positions, with their
// quantities.
var severalSymbols = map[string]string{symbol: "0.02", "ETHUSDT": "1", "SOLUSDT": "10"}

// holdSeveral opens a position in each instrument and waits until the stream has
// published them.
func (s *env) holdSeveral() {
	s.t.Helper()
	for name, qty := range severalSymbols {
		s.filled(market(venues.Buy, qty), in(name))
	}
	s.await("the positions", func(h *sink) bool {
		for name, qty := range severalSymbols {
			if !h.hasPositionIn(name, qty) {
				return false
			}
		}
		return true
	})
}

func in(name string) change { return func(r *venues.OrderRequest) { r.Symbol = name } }

// hasPositionIn reports whether the newest state of an instrument's long side is qty.
func (h *sink) hasPositionIn(name, qty string) bool {
	for _, p := range slices.Backward(h.positions) {
		if p.Symbol == name && p.Side == venues.Long {
			return p.Qty.Equal(d(qty))
		}
	}
	return false
}

func positionsAfterOutage(s *env) {
	s.holdSeveral()
	s.fault(simcore.FaultStatus, Route{"GET", s.harness.Wire.PrivateStream}, 2, simcore.FaultArgs{Status: 503})
	s.sink.mu.Lock()
	before := len(s.sink.positions)
	s.sink.mu.Unlock()
	s.streams.cut()
	s.await("the loss", func(h *sink) bool { return len(h.lost) > 0 })
	s.place(market(venues.Sell, severalSymbols["ETHUSDT"]), in("ETHUSDT"), reduceOnly)
	s.awaitReconnect()
	s.await("the remaining positions", func(h *sink) bool {
		return h.hasPositionIn("ETHUSDT", "0") && len(h.positions) >= before+len(severalSymbols)
	})
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	for _, name := range []string{symbol, "SOLUSDT"} {
		if !s.sink.hasPositionIn(name, severalSymbols[name]) {
			s.t.Errorf("positions = %+v, want %s of %s", s.sink.positions, severalSymbols[name], name)
		}
	}
}

func positionsInPart(s *env) {
	s.holdSeveral()
	// The start of the stream and the first changes may publish the same position twice.
	s.filled(market(venues.Buy, "0.01"))
	s.await("a change", func(h *sink) bool { return h.hasPositionIn(symbol, "0.03") })
	s.privateFault(simcore.FaultGap, s.harness.Wire.PositionTopic, 1, simcore.FaultArgs{})
	s.streams.cut()
	s.awaitReconnect()
	s.filled(market(venues.Buy, "0.01"))
	s.await("the next change", func(h *sink) bool { return h.hasPositionIn(symbol, "0.04") })
	if positions := s.positions(); len(positions) != len(severalSymbols) || s.faultsApplied() != 1 {
		s.t.Errorf("positions = %+v with %d faults, want %d with 1", positions, s.faultsApplied(), len(severalSymbols))
	}
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	for _, p := range s.sink.positions {
		if p.Qty.IsZero() {
			s.t.Errorf("position = %+v, want it open", p)
		}
	}
}

func streamTooMany(s *env) {
	surplus, h := s.listen(s.open(s.sim.DemoAccount().Credentials))
	defer surplus.Close()
	order := s.resting()
	s.filled(market(venues.Buy, "0.01")) // meanwhile the surplus stream has tried to connect
	h.mu.Lock()
	if h.connected != 0 || len(h.reports) != 0 {
		s.t.Errorf("surplus stream connected %d times with reports %+v, want neither", h.connected, h.reports)
	}
	h.mu.Unlock()
	s.private.Close()
	h.await(s.t, "the surplus stream", func(h *sink) bool { return h.connected > 0 })
	if _, err := s.account.Cancel(s.t.Context(), refOf(order)); err != nil {
		s.t.Fatal(err)
	}
	h.await(s.t, "the end of the order", func(h *sink) bool { return h.last(order.ClientOrderID).Status == venues.StatusCancelled })
}
