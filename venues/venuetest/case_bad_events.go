package venuetest

import (
	"fmt"
	"strings"
	"sync/atomic"

	"venuegate/venues"
)

var badEventCases = []conformanceCase{
	{number: 380, name: "private events cut short: a loss, nothing in their place, and the state is found", run: badEvents(cutShort)},
	{number: 388, name: "HTML instead of private events: losses, and the stream goes on", run: badEvents(inHTML)},
	{number: 381, name: "private events with members of a wrong type: a loss, never a guess", run: badEvents(mistyped)},
	{number: 385, name: "private events with unknown words or figures that are no numbers: a loss, never a guess", run: badEvents(unknown)},
	{number: 384, name: "private events with members empty or missing: a loss, never a guess", run: badEvents(missing)},
	{number: 382, name: "private events whose descriptions are empty or unknown are told without them", run: badEvents(described)},
	{number: 386, name: "a position whose entry is not told is told without it", run: positionWithoutEntry},
	{number: 389, name: "unknown members of private events change nothing", run: badEvents(novel)},
}

// news is a kind of private event: how a case has the venue tell it, spoilt or
// right, and holds what is heard against what must be. The proof that it gives, if
// any, is for the time after the spoiling. It leaves the account as it was, and
// nothing of it unheard that could be taken for what comes next.
type news struct {
	spoilt, right func(s *stage, what string) (proof func())
}

var privateEvents = map[string]news{
	"orders":    {(*stage).unheardOrder, (*stage).heardOrder},
	"stops":     {(*stage).unheardStop, (*stage).heardStop},
	"fills":     {(*stage).fillOrLoss, (*stage).fillOrLoss},
	"positions": {(*stage).unheardPosition, (*stage).heardPosition},
	"funds":     {(*stage).fundsOrLoss, (*stage).fundsOrLoss},
	"settings":  {(*stage).settingsOrLoss, (*stage).settingsOrLoss},
}

// badEvents spoils every private event of the table in a way.
func badEvents(w way) func(*stage) {
	return func(s *stage) {
		s.warm()
		for n := range s.harness.Wire.Events {
			e := &s.harness.Wire.Events[n]
			told, private := privateEvents[e.Kind]
			if !private {
				continue
			}
			tell := told.spoilt
			if w.harmless {
				tell = told.right
			}
			for _, spoiling := range w.corrupt(e.Members) {
				var proof func()
				s.spoiling(e, spoiling, func() { proof = tell(s, fmt.Sprintf("%s, %s", e.row(), spoiling.what)) })
				s.seen.spoils(e.row(), w)
				if proof != nil {
					proof()
				}
			}
		}
		if w.harmless {
			s.lostNothing()
		}
		if b := s.usdt(); !b.Equity.IsPositive() || !b.Equity.LessThan(d("100000")) {
			s.t.Errorf("after fees: %+v", b)
		}
	}
}

// spoils changes the events of a kind from now on; met reports whether there was one.
func (s *stage) spoils(kind *Event, by corruption) (met func() bool) {
	var spoilt atomic.Bool
	s.streams.tamper(func(message string) string {
		if !strings.Contains(message, kind.Mark) {
			return message
		}
		changed := by.spoil(message)
		if changed != message {
			spoilt.Store(true)
		}
		return changed
	})
	return spoilt.Load
}

// spoiling changes the events of a kind while do runs; at least one must come.
func (s *stage) spoiling(kind *Event, by corruption, do func()) {
	s.t.Helper()
	met := s.spoils(kind, by)
	do()
	s.eventually("a message with "+kind.Mark+" to change: "+by.what, met)
	s.streams.tamper(nil)
}

// loses waits until the stream has told one more loss than before do, and gives
// what was told of orders and positions meanwhile.
func (s *stage) loses(what string, do func()) (reports []venues.ExecutionReport, positions []venues.Position) {
	s.t.Helper()
	s.heard.mu.Lock()
	losses, told, held := len(s.heard.lost), len(s.heard.reports), len(s.heard.positions)
	s.heard.mu.Unlock()
	do()
	s.await("a loss for "+what, func(h *heard) bool { return len(h.lost) > losses && h.connected > len(h.lost) })
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	return s.heard.reports[told:], s.heard.positions[held:]
}

// unheard places an order of which the stream must tell nothing but a loss; it is
// found.
func (s *stage) unheard(what string, status venues.OrderStatus, changes ...change) (proof func()) {
	s.t.Helper()
	var order venues.OrderRequest
	reports, _ := s.loses(what, func() { order = s.place(changes...) })
	for _, r := range reports {
		if r.ClientOrderID == order.ClientOrderID && r.Status != venues.StatusUnknown {
			s.t.Errorf("%s: guessed %+v", what, r)
		}
	}
	return func() {
		s.t.Helper()
		if found := s.find(order); found.Status != status {
			s.t.Errorf("%s: %+v", what, found)
		}
		s.cancel(order)
	}
}

func (s *stage) unheardOrder(what string) func() {
	s.t.Helper()
	return s.unheard(what, venues.StatusOpen)
}

func (s *stage) unheardStop(what string) func() {
	s.t.Helper()
	return s.unheard(what, venues.StatusUntriggered, stop(venues.Buy, "66000"))
}

func (s *stage) heardOrder(string) func() {
	s.t.Helper()
	s.cancel(s.resting())
	return nil
}

func (s *stage) heardStop(string) func() {
	s.t.Helper()
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	s.cancel(order)
	return nil
}

// lostNothing fails the case if the stream has told of a loss.
func (s *stage) lostNothing() {
	s.t.Helper()
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	if len(s.heard.lost) != 0 {
		s.t.Errorf("lost %v", s.heard.lost)
	}
}

// fillOrLoss lets the stream tell the end of an order, or a loss, and holds its
// fills against the query's.
func (s *stage) fillOrLoss(what string) func() {
	s.t.Helper()
	s.heard.mu.Lock()
	losses := len(s.heard.lost)
	s.heard.mu.Unlock()
	order := s.place(market(venues.Buy, "0.01"))
	s.await("the end or a loss for "+what, func(h *heard) bool {
		return len(h.lost) > losses || h.last(order.ClientOrderID).Status == venues.StatusFilled
	})
	return func() {
		s.t.Helper()
		s.sellsAll(what)
		s.fillsAreTheVenues(what, order)
	}
}

// fillsAreTheVenues holds what the stream has told of an order's fills against
// what the query tells.
func (s *stage) fillsAreTheVenues(what string, order venues.OrderRequest) {
	s.t.Helper()
	id := s.find(order).VenueOrderID
	queried := map[string]venues.Fill{}
	for _, f := range s.fills(symbol) {
		if f.VenueOrderID == id {
			queried[f.VenueTradeID] = f
		}
	}
	if len(queried) == 0 {
		s.t.Errorf("%s: the query shows no fill of %s", what, id)
	}
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	for _, told := range s.heard.fillsOf(order.ClientOrderID) {
		if f := queried[told.VenueTradeID]; !f.Qty.Equal(told.Qty) || !f.Price.Equal(told.Price) {
			s.t.Errorf("%s: told %+v, the query %+v", what, told, f)
		}
	}
}

// unheardPosition changes the position, of which the stream must tell nothing but a
// loss.
func (s *stage) unheardPosition(what string) func() {
	s.t.Helper()
	_, positions := s.loses(what, func() { s.place(market(venues.Buy, "0.01")) })
	if len(positions) > 0 {
		s.t.Errorf("%s: guessed %+v", what, positions)
	}
	return func() { s.sellsAll(what) }
}

// sellsAll ends a position of 0.01, which the stream need not have told, and waits
// until it has told the end: what came before was heard then, too.
func (s *stage) sellsAll(what string) {
	s.t.Helper()
	var open []venues.Position
	s.eventually("the position: "+what, func() bool {
		open = s.positions()
		return len(open) > 0
	})
	if len(open) != 1 || open[0].Side != venues.Long || !open[0].Qty.Equal(d("0.01")) {
		s.t.Errorf("%s: %+v", what, open)
	}
	s.heard.mu.Lock()
	told := len(s.heard.positions)
	s.heard.mu.Unlock()
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("the end of the position: "+what, func(h *heard) bool { return len(h.positions) > told && h.holds(venues.Long, "0") })
}

func (s *stage) heardPosition(what string) func() {
	s.t.Helper()
	s.filled(market(venues.Buy, "0.01"))
	s.await("the position: "+what, func(h *heard) bool { return h.holds(venues.Long, "0.01") })
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("its end: "+what, func(h *heard) bool { return h.holds(venues.Long, "0") })
	return nil
}

func positionWithoutEntry(s *stage) {
	for n := range s.harness.Wire.Events {
		e := &s.harness.Wire.Events[n]
		if e.Kind != "positions" {
			continue
		}
		s.spoiling(e, with(emptyWord)(s.harness.Wire.PositionEntry), func() {
			s.filled(market(venues.Buy, "0.01"))
			s.await("the position without its entry", func(h *heard) bool {
				p, told := h.position(venues.Long)
				return told && p.Qty.IsPositive() && !p.EntryPrice.Valid
			})
		})
	}
	s.lostNothing()
}

// newsOrLoss waits until the stream tells that funds have moved, or a loss.
func (s *stage) newsOrLoss(what string, do func()) {
	s.t.Helper()
	s.heard.mu.Lock()
	before := s.heard.balances + len(s.heard.lost)
	s.heard.mu.Unlock()
	do()
	s.await("news of the funds for "+what, func(h *heard) bool { return h.balances+len(h.lost) > before })
}

func (s *stage) fundsOrLoss(what string) func() {
	s.t.Helper()
	s.newsOrLoss(what, func() { s.place(market(venues.Buy, "0.01")) })
	return func() { s.sellsAll(what) }
}

func (s *stage) settingsOrLoss(what string) func() {
	s.t.Helper()
	s.geared = !s.geared
	leverage := d("7")
	if s.geared {
		leverage = d("8")
	}
	s.newsOrLoss(what, func() {
		if _, err := s.account.SetLeverage(s.t.Context(), symbol, leverage); err != nil {
			s.t.Fatal(err)
		}
	})
	return nil
}
