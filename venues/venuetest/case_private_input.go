package venuetest

import (
	"regexp"
	"strings"
	"sync/atomic"

	"venuegate/venues"
)

var privateInputCases = []conformanceCase{
	{number: 380, name: "an order event cut short: a loss, nothing in its place, and the order is found", run: orderEventCut},
	{number: 381, name: "order events with a state, side, type or quantity of a wrong type, unknown or empty: a loss, never a guess", run: orderEventSpoilt},
	{number: 382, name: "order events whose descriptions are empty or unknown are told", run: orderEventUndescribed},
	{number: 383, name: "executions with figures of a wrong type, no numbers or empty: never a wrong fill", run: fillEventSpoilt},
	{number: 384, name: "a position event cut short: a loss, nothing in its place, and the position is found", run: positionEventCut},
	{number: 385, name: "position events with a side or quantity of a wrong type, unknown or empty: a loss, never a guess", run: positionEventSpoilt},
	{number: 386, name: "position events whose descriptions are empty are told, without them", run: positionEventUndescribed},
	{number: 387, name: "wallet events cut short, of a wrong type or empty: told as a change or a loss, and the funds are read right", run: walletEventSpoilt},
	{number: 388, name: "HTML instead of events: losses, and the stream goes on", run: htmlForEvents},
	{number: 389, name: "unknown members of events change nothing", run: unknownMembersOfEvents},
}

// Values that stand for what no member may be.
const (
	wrongTyped  = `[7]`
	unknownWord = `"novel"`
	emptyWord   = `""`
)

// with puts a value in the place of every value of a member; objects and lists
// stay.
func with(member, value string) func(string) string {
	values := regexp.MustCompile(regexp.QuoteMeta(`"`+member+`":`) + `("[^"]*"|[-0-9.]+|true|false|null)`)
	return func(message string) string {
		return values.ReplaceAllLiteralString(message, `"`+member+`":`+value)
	}
}

// cutShort is the first half of a message.
func cutShort(message string) string { return message[:len(message)/2] }

// spoiling changes the events of a kind while do runs, which must meet one.
func (s *stage) spoiling(kind Event, change func(string) string, do func()) {
	s.t.Helper()
	var spoilt atomic.Bool
	s.streams.tamper(func(message string) string {
		if !strings.Contains(message, kind.Mark) {
			return message
		}
		changed := change(message)
		if changed != message {
			spoilt.Store(true)
		}
		return changed
	})
	defer s.streams.tamper(nil)
	do()
	s.eventually("a message with "+kind.Mark+" to change", spoilt.Load)
}

// spoilings runs do on events with each member of a list spoilt in each way.
func (s *stage) spoilings(kind Event, members []string, values []string, do func(what string)) {
	s.t.Helper()
	for _, member := range members {
		for _, value := range values {
			s.spoiling(kind, with(member, value), func() { do(member + "=" + value) })
		}
	}
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

// unheardOrder places an order of which the stream must tell nothing but a loss.
func (s *stage) unheardOrder(what string) {
	s.t.Helper()
	var order venues.OrderRequest
	reports, _ := s.loses(what, func() { order = s.place() })
	for _, r := range reports {
		if r.ClientOrderID == order.ClientOrderID && r.Status != venues.StatusUnknown {
			s.t.Errorf("%s: guessed %+v", what, r)
		}
	}
	s.streams.tamper(nil)
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%s: %+v", what, found)
	}
	s.cancel(order)
}

func orderEventCut(s *stage) {
	s.warm()
	s.spoiling(s.harness.Wire.OrderEvent, cutShort, func() { s.unheardOrder("half an event") })
}

func orderEventSpoilt(s *stage) {
	s.warm()
	event := s.harness.Wire.OrderEvent
	s.spoilings(event, event.Words, []string{wrongTyped, unknownWord, emptyWord}, s.unheardOrder)
	s.spoilings(event, event.Figures, []string{wrongTyped, unknownWord, emptyWord}, s.unheardOrder)
}

func orderEventUndescribed(s *stage) {
	s.warm()
	event := s.harness.Wire.OrderEvent
	for value, members := range map[string][]string{emptyWord: event.Descriptions, unknownWord: event.Labels} {
		s.spoilings(event, members, []string{value}, func(string) { s.cancel(s.resting()) })
	}
	s.lostNothing()
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

// fillEventSpoilt lets the stream tell the end of each order, or a loss, and holds
// its fills against the query's.
func fillEventSpoilt(s *stage) {
	s.warm()
	event, side := s.harness.Wire.FillEvent, venues.Buy
	s.spoilings(event, event.Figures, []string{wrongTyped, unknownWord, emptyWord}, func(what string) {
		s.heard.mu.Lock()
		losses := len(s.heard.lost)
		s.heard.mu.Unlock()
		order := s.place(market(side, "0.01"))
		side = side.Opposite()
		s.await("the end or a loss for "+what, func(h *heard) bool {
			return len(h.lost) > losses || h.last(order.ClientOrderID).Status == venues.StatusFilled
		})
		s.streams.tamper(nil)
		s.fillsAreTheVenues(what, order)
	})
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
func (s *stage) unheardPosition(what string) {
	s.t.Helper()
	_, positions := s.loses(what, func() { s.place(market(venues.Buy, "0.01")) })
	if len(positions) > 0 {
		s.t.Errorf("%s: guessed %+v", what, positions)
	}
	s.streams.tamper(nil)
	if positions := s.positions(); len(positions) != 1 || positions[0].Side != venues.Long || !positions[0].Qty.Equal(d("0.01")) {
		s.t.Errorf("%s: %+v", what, positions)
	}
	s.heard.mu.Lock()
	told := len(s.heard.positions)
	s.heard.mu.Unlock()
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("the end of the position", func(h *heard) bool { return len(h.positions) > told && h.holds(venues.Long, "0") })
}

func positionEventCut(s *stage) {
	s.spoiling(s.harness.Wire.PositionEvent, cutShort, func() { s.unheardPosition("half an event") })
}

func positionEventSpoilt(s *stage) {
	event := s.harness.Wire.PositionEvent
	s.spoilings(event, event.Words, []string{wrongTyped, unknownWord, emptyWord}, s.unheardPosition)
	s.spoilings(event, event.Figures, []string{wrongTyped, unknownWord, emptyWord}, s.unheardPosition)
}

func positionEventUndescribed(s *stage) {
	event := s.harness.Wire.PositionEvent
	s.spoilings(event, event.Descriptions, []string{emptyWord}, func(what string) {
		s.filled(market(venues.Buy, "0.01"))
		s.await("the position without "+what, func(h *heard) bool { return h.holds(venues.Long, "0.01") })
		s.filled(market(venues.Sell, "0.01"), reduceOnly)
		s.await("its end", func(h *heard) bool { return h.holds(venues.Long, "0") })
	})
	s.spoiling(event, with(event.Entry, emptyWord), func() {
		s.filled(market(venues.Buy, "0.01"))
		s.await("the position without its entry", func(h *heard) bool {
			p, told := h.position(venues.Long)
			return told && p.Qty.IsPositive() && !p.EntryPrice.Valid
		})
	})
	s.lostNothing()
}

func walletEventSpoilt(s *stage) {
	event, side := s.harness.Wire.WalletEvent, venues.Buy
	told := func(what string) {
		s.heard.mu.Lock()
		before := s.heard.balances + len(s.heard.lost)
		s.heard.mu.Unlock()
		order := s.place(market(side, "0.01"))
		side = side.Opposite()
		s.await("news of the funds for "+what, func(h *heard) bool { return h.balances+len(h.lost) > before })
		s.eventually("the fill", func() bool { return s.find(order).Status == venues.StatusFilled })
	}
	s.spoiling(event, cutShort, func() { told("half an event") })
	s.spoilings(event, event.Figures, []string{wrongTyped, unknownWord, emptyWord}, told)
	if b := s.usdt(); !b.Equity.IsPositive() || !b.Equity.LessThan(d("100000")) {
		s.t.Errorf("after fees: %+v", b)
	}
}

func htmlForEvents(s *stage) {
	s.warm()
	s.spoiling(s.harness.Wire.OrderEvent, func(string) string { return page }, func() { s.unheardOrder("a page") })
	s.cancel(s.resting())
}

func unknownMembersOfEvents(s *stage) {
	s.streams.tamper(novel)
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	s.trade(venues.Sell, "0.03")
	s.lived(order, venues.StatusOpen, venues.StatusFilled)
	s.await("the fill", func(h *heard) bool { return sumOf(h.fillsOf(order.ClientOrderID)).Equal(order.Qty) })
	s.await("the position and the funds", func(h *heard) bool { return h.holds(venues.Long, "0.03") && h.balances > 0 })
	s.lostNothing()
}
