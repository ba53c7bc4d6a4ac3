package delivery

import (
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// ConcurrencyMax bounds the attempts that run at one endpoint.
	ConcurrencyMax = 4
	// pageMax is how many events are read and made deliveries at a time.
	pageMax = 64
	// readAheadMax is how many may wait to be tried while more are read.
	readAheadMax = 2 * pageMax
	// storeRetry is the wait before a read that failed is done again, and before the
	// load while the store takes no commits.
	storeRetry = time.Second
)

// state is what the queue knows. It is pure: time and ids come in with a moment.
type state struct {
	endpoint persistence.Endpoint
	fence    persistence.Fence
	schedule Schedule

	// taking says that events become deliveries, sending that those are tried.
	// Both are false before the load and in a stop; an endpoint that is paused or
	// disabled takes and sends nothing, one that was removed does neither.
	taking, sending bool
	cursor          persistence.EndpointCursor
	// behind: the store may hold events after the cursor. late: it has done so
	// for a poll's period, whatever waits.
	behind, late bool
	reading      bool
	// retryAt puts reads off after one has failed.
	retryAt time.Time
	// restUntil puts attempts off: the other end has a limit that is reached.
	restUntil time.Time
	// gone is how the end of the endpoint was told; nil while it lives.
	gone *disable

	window    *window
	running   int
	refilling bool
	// reads counts the reads of deliveries under way; touched are the events
	// whose deliveries were changed meanwhile: what is read of them is old.
	reads   int
	touched map[string]bool
	testing bool
	// lapsing: a search for what is given up is under way; lapseAt puts one off.
	// over: of a removed endpoint nothing is left.
	lapsing, over bool
	lapseAt       time.Time

	out output
}

// moment is what a step is given of the world.
type moment struct {
	now   time.Time
	newID func(prefix string) string
}

// output is what a step asks for: the effects of now, which rest on what is
// durable already, and those that follow the commit of the batch.
type output struct {
	now   []effect
	batch persistence.Batch
	after []effect
}

func newState(e persistence.Endpoint, f persistence.Fence, s Schedule) *state {
	return &state{endpoint: e, fence: f, schedule: s, window: newWindow(), touched: map[string]bool{}}
}

// loaded begins the work of an incarnation.
func (s *state) loaded(in loaded) {
	s.cursor = in.cursor
	if s.isRemoved() {
		s.lapse()
		return
	}
	if !in.begun {
		s.put(s.cursor)
	}
	s.taking = true
	s.sending = !s.endpoint.Paused && s.endpoint.Disabled == ""
	s.behind = true
	if s.sending {
		s.take(in.rows)
	} else {
		s.lapse()
	}
}

// halt begins nothing more.
func (s *state) halt() { s.taking, s.sending = false, false }

// polled looks for what may have been lost on its way.
func (s *state) polled() {
	s.late, s.behind = s.behind, true
	if s.taking && !s.sending {
		s.lapse()
	}
	if s.gone != nil {
		s.do(*s.gone)
	}
}

func (s *state) woken(seq uint64) { s.behind = s.behind || seq > s.cursor.Seq }

// take fills the window with the earliest pending deliveries of the store.
func (s *state) take(rows []persistence.Delivery) (added int) {
	if len(rows) == windowMax {
		s.window.leftOutside(rows[windowMax-1].DueAt.Time)
	}
	for _, d := range rows {
		if s.window.byEvent[d.EventID] == nil && !s.touched[d.EventID] {
			s.window.take(d)
			added++
		}
	}
	return added
}

// refilled takes what was read of the store while the window went on.
func (s *state) refilled(m moment, in pendingRead) {
	s.refilling = false
	defer s.readEnds()
	if in.err != nil {
		s.retryAt = m.now.Add(storeRetry)
		s.window.leftOutside(m.now)
		return
	}
	if added := s.take(in.rows); added == 0 && len(in.rows) == windowMax {
		// All of them are in hand; what is behind them shows when they are
		// committed.
		s.window.outside = m.now.Add(storeRetry)
	}
}

// eventsRead makes deliveries of the events that the endpoint takes.
func (s *state) eventsRead(m moment, in eventsRead) {
	if in.err != nil {
		s.reading, s.behind = false, true
		s.retryAt = m.now.Add(storeRetry)
		return
	}
	if len(in.events) == 0 {
		s.reading = false
		return
	}
	last := in.events[len(in.events)-1]
	stored := pageStored{cursor: s.cursor, more: len(in.events) == pageMax}
	stored.cursor.Seq, stored.cursor.Event = last.Seq, last.ID
	for _, e := range in.events {
		if !takes(&s.endpoint, e.Type) {
			continue
		}
		d := persistence.Delivery{
			Customer: s.endpoint.Customer, Endpoint: s.endpoint.ID, EventID: e.ID, EventSeq: e.Seq, Type: e.Type,
			Status: persistence.DeliveryPending, DueAt: venues.At(m.now), CreatedAt: venues.At(m.now), UpdatedAt: venues.At(m.now),
		}
		s.put(d)
		stored.rows = append(stored.rows, d)
	}
	s.put(stored.cursor)
	s.out.after = append(s.out.after, stored)
}

// pageStored goes on once a page is durable.
func (s *state) pageStored(in pageStored) {
	s.reading = false
	s.cursor = in.cursor
	s.behind = s.behind || in.more
	s.late = s.late && in.more
	if !s.sending {
		return // they wait in the store
	}
	for _, d := range in.rows {
		s.window.take(d)
	}
}

// takes says whether events of a type are for an endpoint.
func takes(e *persistence.Endpoint, t persistence.EventType) bool {
	switch e.Kind {
	case persistence.EndpointSheet, persistence.EndpointFile:
		if t != persistence.EventPositionClosed {
			return false
		}
	case persistence.EndpointWebhook:
		if t == persistence.EventNotification {
			return false
		}
	case persistence.EndpointTelegram:
	}
	return len(e.Types) == 0 || slices.Contains(e.Types, t)
}

// advance begins whatever can begin now.
func (s *state) advance(m moment) {
	if s.lapseDue(m.now) {
		s.lapse()
	}
	if !s.taking {
		return
	}
	if s.sending {
		s.beginAttempts(m)
	}
	if m.now.Before(s.retryAt) || (!s.behind && s.window.outside.IsZero()) {
		return
	}
	ready := s.window.ready(m.now)
	if outside := s.window.outside; s.sending && !s.refilling && !outside.IsZero() && !outside.After(m.now) && ready <= windowMax/2 {
		s.refilling = true
		s.reads++
		s.window.outside = time.Time{}
		s.do(readPending{})
	}
	if s.behind && !s.reading && (ready <= readAheadMax || s.late) {
		s.behind, s.reading = false, true
		s.do(readEvents{s.cursor.Seq})
	}
}

// nextDue is when advance should be called again if nothing happens; zero is
// never.
func (s *state) nextDue(now time.Time) time.Time {
	var next time.Time
	earlier := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if s.lapseAt.After(now) {
		earlier(s.lapseAt)
	}
	if !s.taking {
		return next
	}
	if s.sending && len(s.window.queue) > 0 && s.running < ConcurrencyMax {
		earlier(later(s.window.queue[0].DueAt.Time, s.restUntil))
	}
	if outside := s.window.outside; s.sending && !outside.IsZero() && outside.After(now) {
		earlier(outside)
	}
	if s.retryAt.After(now) {
		earlier(s.retryAt)
	}
	return next
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (s *state) put(r persistence.Record) { s.out.batch.Puts = append(s.out.batch.Puts, r) }
func (s *state) do(e effect)              { s.out.now = append(s.out.now, e) }
func (s *state) note(e persistence.JournalEntry) {
	s.out.batch.Journal = append(s.out.batch.Journal, e)
}

// touch remembers that reads under way tell an old state of a delivery.
func (s *state) touch(eventID string) {
	if s.reads > 0 {
		s.touched[eventID] = true
	}
}

// readEnds forgets what was touched when no read can bring it back.
func (s *state) readEnds() {
	if s.reads--; s.reads == 0 {
		clear(s.touched)
	}
}

// finish ends a step.
func (s *state) finish(m moment) output {
	s.advance(m)
	out := s.out
	out.batch.Fence = s.fence
	s.out = output{}
	return out
}
