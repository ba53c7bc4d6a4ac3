package venuetest

import (
	"slices"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var snapshotCases = []conformanceCase{
	{number: 186, name: "positions that closed while the stream was away are told closed, the others as they are", needs: StreamPositions, run: positionsAfterOutage},
	{number: 187, name: "a swallowed part of the positions closes none", needs: StreamPositions, run: positionsInPart},
	{number: 188, name: "a stream too many never counts as connected, until another has ended", needs: StreamLimits, under: Conditions{StreamsMax: 1}, run: streamTooMany},
}

// severalSymbols are the instruments in which a case holds positions, each its
// quantity.
var severalSymbols = map[string]string{symbol: "0.02", "ETHUSDT": "1", "SOLUSDT": "10"}

// holdSeveral opens a position in each and waits until the stream has told them.
func (s *stage) holdSeveral() {
	s.t.Helper()
	for name, qty := range severalSymbols {
		s.filled(market(venues.Buy, qty), in(name))
	}
	s.await("the positions", func(h *heard) bool {
		for name, qty := range severalSymbols {
			if !h.holdsIn(name, qty) {
				return false
			}
		}
		return true
	})
}

func in(name string) change { return func(r *venues.OrderRequest) { r.Symbol = name } }

// holdsIn says whether the newest state of an instrument's long side is qty.
func (h *heard) holdsIn(name, qty string) bool {
	for _, p := range slices.Backward(h.positions) {
		if p.Symbol == name && p.Side == venues.Long {
			return p.Qty.Equal(d(qty))
		}
	}
	return false
}

func positionsAfterOutage(s *stage) {
	s.holdSeveral()
	s.fault(simcore.FaultStatus, Route{"GET", s.harness.Wire.PrivateStream}, 2, simcore.FaultArgs{Status: 503})
	s.heard.mu.Lock()
	before := len(s.heard.positions)
	s.heard.mu.Unlock()
	s.streams.cut()
	s.await("the loss", func(h *heard) bool { return len(h.lost) > 0 })
	s.place(market(venues.Sell, severalSymbols["ETHUSDT"]), in("ETHUSDT"), reduceOnly)
	s.mended()
	s.await("what is left", func(h *heard) bool {
		return h.holdsIn("ETHUSDT", "0") && len(h.positions) >= before+len(severalSymbols)
	})
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	for _, name := range []string{symbol, "SOLUSDT"} {
		if !s.heard.holdsIn(name, severalSymbols[name]) {
			s.t.Errorf("%s: %+v", name, s.heard.positions)
		}
	}
}

func positionsInPart(s *stage) {
	s.holdSeveral()
	// The beginning of the stream and the first changes may tell the same twice.
	s.filled(market(venues.Buy, "0.01"))
	s.await("a change", func(h *heard) bool { return h.holdsIn(symbol, "0.03") })
	s.privateFault(simcore.FaultGap, s.harness.Wire.PositionTopic, 1, simcore.FaultArgs{})
	s.streams.cut()
	s.mended()
	s.filled(market(venues.Buy, "0.01"))
	s.await("the next change", func(h *heard) bool { return h.holdsIn(symbol, "0.04") })
	if positions := s.positions(); len(positions) != len(severalSymbols) || s.struck() != 1 {
		s.t.Errorf("%d messages were swallowed, %+v", s.struck(), positions)
	}
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	for _, p := range s.heard.positions {
		if p.Qty.IsZero() {
			s.t.Errorf("told closed: %+v", p)
		}
	}
}

func streamTooMany(s *stage) {
	surplus, h := s.listen(s.open(s.sim.DemoAccount().Credentials))
	defer surplus.Close()
	order := s.resting()
	s.filled(market(venues.Buy, "0.01")) // meanwhile the stream too many has tried
	h.mu.Lock()
	if h.connected != 0 || len(h.reports) != 0 {
		s.t.Errorf("the stream too many is connected %d, told %+v", h.connected, h.reports)
	}
	h.mu.Unlock()
	s.private.Close()
	h.await(s.t, "the free place", func(h *heard) bool { return h.connected > 0 })
	if _, err := s.account.Cancel(s.t.Context(), refOf(order)); err != nil {
		s.t.Fatal(err)
	}
	h.await(s.t, "the end of the order", func(h *heard) bool { return h.last(order.ClientOrderID).Status == venues.StatusCancelled })
}
