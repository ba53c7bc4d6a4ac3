package venuetest

import (
	"fmt"
	"strings"
	"sync/atomic"

	"venuegate/venues"
)

var badEventCases = []conformanceCase{
	{number: 380, name: "truncated private events: a loss, no event, and the state is found", run: badEvents(cutShort)},
	{number: 388, name: "HTML instead of private events: losses, and the stream continues", run: badEvents(inHTML)},
	{number: 381, name: "private events with members of a wrong type: a loss, never a guess", run: badEvents(mistyped)},
	{number: 385, name: "private events with unknown values or invalid numbers: a loss, never a guess", run: badEvents(unknown)},
	{number: 384, name: "private events with empty or missing members: a loss, never a guess", run: badEvents(missing)},
	{number: 382, name: "private events with empty or unknown descriptions are published without them", run: badEvents(described)},
	{number: 386, name: "a position without an entry price is published without it", run: positionWithoutEntry},
	{number: 389, name: "unknown members of private events are ignored", run: badEvents(novel)},
}

// eventCheck has the venue publish a kind of private event and checks what the sink
// receives, while the event is corrupted or while it has a harmless change. confirm, if
// not nil, is called after the corruption has ended. The account is afterwards as
// before, and none of its events is outstanding.
type eventCheck struct {
	corrupt, harmless func(s *env, what string) (confirm func())
}

var privateEvents = map[string]eventCheck{
	"orders":    {(*env).orderLost, (*env).orderReceived},
	"stops":     {(*env).stopLost, (*env).stopReceived},
	"fills":     {(*env).fillOrLoss, (*env).fillOrLoss},
	"positions": {(*env).positionLost, (*env).positionReceived},
	"funds":     {(*env).fundsOrLoss, (*env).fundsOrLoss},
	"settings":  {(*env).settingsOrLoss, (*env).settingsOrLoss},
}

// badEvents returns a case that corrupts every private event of the table in a way.
func badEvents(w way) func(*env) {
	return func(s *env) {
		s.warmUp()
		for n := range s.harness.Wire.Events {
			e := &s.harness.Wire.Events[n]
			check, private := privateEvents[e.Kind]
			if !private {
				continue
			}
			publish := check.corrupt
			if w.harmless {
				publish = check.harmless
			}
			for _, c := range w.corrupt(e.Members) {
				var confirm func()
				s.whileCorrupted(e, c, func() { confirm = publish(s, fmt.Sprintf("%s, %s", e.row(), c.what)) })
				s.seen.recordCorrupted(e.row(), w)
				if confirm != nil {
					confirm()
				}
			}
		}
		if w.harmless {
			s.checkNoLoss()
		}
		if b := s.usdt(); !b.Equity.IsPositive() || !b.Equity.LessThan(d("100000")) {
			s.t.Errorf("balance = %+v, want an equity below 100000 by the fees", b)
		}
	}
}

// corruptEvents corrupts the events of a kind from now on; met reports whether there was
// one.
func (s *env) corruptEvents(kind *Event, by corruption) (met func() bool) {
	var corrupted atomic.Bool
	s.streams.tamper(func(message string) string {
		if !strings.Contains(message, kind.Mark) {
			return message
		}
		changed := by.apply(message)
		if changed != message {
			corrupted.Store(true)
		}
		return changed
	})
	return corrupted.Load
}

// whileCorrupted corrupts the events of a kind while do runs; at least one must come.
func (s *env) whileCorrupted(kind *Event, by corruption, do func()) {
	s.t.Helper()
	met := s.corruptEvents(kind, by)
	do()
	s.eventually("a message with "+kind.Mark+" to corrupt: "+by.what, met)
	s.streams.tamper(nil)
}

// awaitLoss waits until the stream has reported one more loss than before do, and
// returns the reports and positions that it published meanwhile.
func (s *env) awaitLoss(what string, do func()) (reports []venues.ExecutionReport, positions []venues.Position) {
	s.t.Helper()
	s.sink.mu.Lock()
	losses, reported, held := len(s.sink.lost), len(s.sink.reports), len(s.sink.positions)
	s.sink.mu.Unlock()
	do()
	s.await("a loss for "+what, func(h *sink) bool { return len(h.lost) > losses && h.connected > len(h.lost) })
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	return s.sink.reports[reported:], s.sink.positions[held:]
}

// placeWithLoss places an order of which the stream must publish only a loss. confirm
// checks that the order is found.
func (s *env) placeWithLoss(what string, status venues.OrderStatus, changes ...change) (confirm func()) {
	s.t.Helper()
	var order venues.OrderRequest
	reports, _ := s.awaitLoss(what, func() { order = s.place(changes...) })
	for _, r := range reports {
		if r.ClientOrderID == order.ClientOrderID && r.Status != venues.StatusUnknown {
			s.t.Errorf("%s: report = %+v, want a loss alone", what, r)
		}
	}
	return func() {
		s.t.Helper()
		if found := s.find(order); found.Status != status {
			s.t.Errorf("%s: status = %s, want %s: %+v", what, found.Status, status, found)
		}
		s.cancel(order)
	}
}

func (s *env) orderLost(what string) func() {
	s.t.Helper()
	return s.placeWithLoss(what, venues.StatusOpen)
}

func (s *env) stopLost(what string) func() {
	s.t.Helper()
	return s.placeWithLoss(what, venues.StatusUntriggered, stop(venues.Buy, "66000"))
}

func (s *env) orderReceived(string) func() {
	s.t.Helper()
	s.cancel(s.resting())
	return nil
}

func (s *env) stopReceived(string) func() {
	s.t.Helper()
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.cancel(order)
	return nil
}

// checkNoLoss fails the case if the stream has reported a loss.
func (s *env) checkNoLoss() {
	s.t.Helper()
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if len(s.sink.lost) != 0 {
		s.t.Errorf("losses = %v, want none", s.sink.lost)
	}
}

// fillOrLoss waits until the stream publishes the end of an order, or a loss, and
// compares its fills with those of the query.
func (s *env) fillOrLoss(what string) func() {
	s.t.Helper()
	s.sink.mu.Lock()
	losses := len(s.sink.lost)
	s.sink.mu.Unlock()
	order := s.place(market(venues.Buy, "0.01"))
	s.await("the end or a loss for "+what, func(h *sink) bool {
		return len(h.lost) > losses || h.last(order.ClientOrderID).Status == venues.StatusFilled
	})
	return func() {
		s.t.Helper()
		s.closePosition(what)
		s.compareFills(what, order)
	}
}

// compareFills compares the fills of an order on the stream with those of the query.
func (s *env) compareFills(what string, order venues.OrderRequest) {
	s.t.Helper()
	id := s.find(order).VenueOrderID
	queried := map[string]venues.Fill{}
	for _, f := range s.fills(symbol) {
		if f.VenueOrderID == id {
			queried[f.VenueTradeID] = f
		}
	}
	if len(queried) == 0 {
		s.t.Errorf("%s: the query returns no fill of order %s, want some", what, id)
	}
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	for _, reported := range s.sink.fillsOf(order.ClientOrderID) {
		if f := queried[reported.VenueTradeID]; !f.Qty.Equal(reported.Qty) || !f.Price.Equal(reported.Price) {
			s.t.Errorf("%s: fill of the stream = %+v, want that of the query %+v", what, reported, f)
		}
	}
}

// positionLost changes the position, of which the stream must publish only a loss.
func (s *env) positionLost(what string) func() {
	s.t.Helper()
	_, positions := s.awaitLoss(what, func() { s.place(market(venues.Buy, "0.01")) })
	if len(positions) > 0 {
		s.t.Errorf("%s: positions = %+v, want a loss alone", what, positions)
	}
	return func() { s.closePosition(what) }
}

// closePosition closes a position of 0.01, which the stream need not have published, and
// waits for its end. All earlier events have been received then.
func (s *env) closePosition(what string) {
	s.t.Helper()
	var open []venues.Position
	s.eventually("the position: "+what, func() bool {
		open = s.positions()
		return len(open) > 0
	})
	if len(open) != 1 || open[0].Side != venues.Long || !open[0].Qty.Equal(d("0.01")) {
		s.t.Errorf("%s: positions = %+v, want 0.01 long", what, open)
	}
	s.sink.mu.Lock()
	reported := len(s.sink.positions)
	s.sink.mu.Unlock()
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("the end of the position: "+what, func(h *sink) bool { return len(h.positions) > reported && h.hasPosition(venues.Long, "0") })
}

func (s *env) positionReceived(what string) func() {
	s.t.Helper()
	s.filled(market(venues.Buy, "0.01"))
	s.await("the position: "+what, func(h *sink) bool { return h.hasPosition(venues.Long, "0.01") })
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("its end: "+what, func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	return nil
}

func positionWithoutEntry(s *env) {
	for n := range s.harness.Wire.Events {
		e := &s.harness.Wire.Events[n]
		if e.Kind != "positions" {
			continue
		}
		s.whileCorrupted(e, with(emptyWord)(s.harness.Wire.PositionEntry), func() {
			s.filled(market(venues.Buy, "0.01"))
			s.await("the position without its entry", func(h *sink) bool {
				p, reported := h.position(venues.Long)
				return reported && p.Qty.IsPositive() && !p.EntryPrice.Valid
			})
		})
	}
	s.checkNoLoss()
}

// awaitFundsOrLoss waits until the stream reports a change of the funds, or a loss.
func (s *env) awaitFundsOrLoss(what string, do func()) {
	s.t.Helper()
	s.sink.mu.Lock()
	before := s.sink.balances + len(s.sink.lost)
	s.sink.mu.Unlock()
	do()
	s.await("a change of the funds for "+what, func(h *sink) bool { return h.balances+len(h.lost) > before })
}

func (s *env) fundsOrLoss(what string) func() {
	s.t.Helper()
	s.awaitFundsOrLoss(what, func() { s.place(market(venues.Buy, "0.01")) })
	return func() { s.closePosition(what) }
}

func (s *env) settingsOrLoss(what string) func() {
	s.t.Helper()
	s.leverageChanged = !s.leverageChanged
	leverage := d("7")
	if s.leverageChanged {
		leverage = d("8")
	}
	s.awaitFundsOrLoss(what, func() {
		if _, err := s.account.SetLeverage(s.t.Context(), symbol, leverage); err != nil {
			s.t.Fatal(err)
		}
	})
	return nil
}
