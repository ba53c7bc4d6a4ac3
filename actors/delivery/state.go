package delivery

import (
	"slices"
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// ConcurrencyMax bounds the concurrent attempts at one endpoint.
	ConcurrencyMax = 4
	// pageMax bounds the events that are read, and turned into deliveries, at a time.
	pageMax = 64
	// readAheadMax bounds the due deliveries while more events are read.
	readAheadMax = 2 * pageMax
	// storeRetry is the delay before a failed read is repeated, and before the load is
	// repeated while the store accepts no commits.
	storeRetry = time.Second
)

// state is the state of a queue. It is pure: time and ids come in with a step.Context.
type state struct {
	endpoint persistence.Endpoint
	fence    persistence.Fence
	schedule Schedule

	// accepting reports whether events become deliveries, sending whether these are
	// attempted. Both are false before the load and during a stop. For a paused or
	// disabled endpoint sending is false, for a removed one both are.
	accepting, sending bool
	cursor             persistence.EndpointCursor
	// behind: the store may have events after the cursor. late: it has had some for a
	// poll period, so they are read however many deliveries are due.
	behind, late bool
	reading      bool
	// retryAt delays reads after one has failed.
	retryAt time.Time
	// throttledUntil delays attempts: the endpoint has reported a rate limit.
	throttledUntil time.Time
	// disabling is how the end of the endpoint was reported, or nil.
	disabling *disable

	window    *window
	counts    *Counts
	running   int
	refilling bool
	// reads counts the reads of deliveries under way; changed are the events whose
	// deliveries were changed meanwhile, so that what is read of them is out of date.
	reads   int
	changed map[string]bool
	testing bool
	// expiring: a search for expired deliveries is under way; expireAt delays one.
	// finished: nothing is left of a removed endpoint.
	expiring, finished bool
	expireAt           time.Time

	out step.Output[effect]
}

func newState(e persistence.Endpoint, f persistence.Fence, s Schedule) *state {
	return &state{endpoint: e, fence: f, schedule: s, window: newWindow(), counts: &Counts{}, changed: map[string]bool{}}
}

// loaded starts the work of an incarnation.
func (s *state) loaded(in loaded) {
	s.cursor = in.cursor
	if s.isRemoved() {
		s.expire()
		return
	}
	if !in.hasCursor {
		s.put(s.cursor)
	}
	s.accepting = true
	s.sending = !s.endpoint.Paused && s.endpoint.Disabled == ""
	s.behind = true
	if s.sending {
		s.fill(in.rows)
	} else {
		s.expire()
	}
}

// halt starts nothing more.
func (s *state) halt() { s.accepting, s.sending = false, false }

// polled looks for events whose wake was lost.
func (s *state) polled() {
	s.late, s.behind = s.behind, true
	if s.accepting && !s.sending {
		s.expire()
	}
	if s.disabling != nil {
		s.now(*s.disabling)
	}
}

func (s *state) woken(seq uint64) { s.behind = s.behind || seq > s.cursor.Seq }

// fill fills the window with the earliest pending deliveries of the store, and returns
// how many were added.
func (s *state) fill(rows []persistence.Delivery) (added int) {
	if len(rows) == windowMax {
		s.window.noteOutside(rows[windowMax-1].DueAt.Time)
	}
	for _, d := range rows {
		if s.window.byEvent[d.EventID] == nil && !s.changed[d.EventID] {
			s.window.add(d)
			added++
		}
	}
	return added
}

// refilled adds what was read from the store.
func (s *state) refilled(m step.Context, in pendingRead) {
	s.refilling = false
	defer s.readDone()
	if in.err != nil {
		s.retryAt = m.Now.Add(storeRetry)
		s.window.noteOutside(m.Now)
		return
	}
	if added := s.fill(in.rows); added == 0 && len(in.rows) == windowMax {
		// All of them are busy. Those behind them can be read when these are
		// committed.
		s.window.outside = m.Now.Add(storeRetry)
	}
}

// eventsRead creates deliveries of the events that the endpoint accepts.
func (s *state) eventsRead(m step.Context, in eventsRead) {
	if in.err != nil {
		s.reading, s.behind = false, true
		s.retryAt = m.Now.Add(storeRetry)
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
		if !accepts(&s.endpoint, e.Type) {
			continue
		}
		d := persistence.Delivery{
			Customer: s.endpoint.Customer, Endpoint: s.endpoint.ID, EventID: e.ID, EventSeq: e.Seq, Type: e.Type,
			Status: persistence.DeliveryPending, DueAt: venues.At(m.Now), CreatedAt: venues.At(m.Now), UpdatedAt: venues.At(m.Now),
		}
		s.put(d)
		stored.rows = append(stored.rows, d)
	}
	s.put(stored.cursor)
	s.out.After = append(s.out.After, stored)
}

// pageStored continues once a page is durable.
func (s *state) pageStored(in pageStored) {
	s.reading = false
	s.cursor = in.cursor
	s.behind = s.behind || in.more
	s.late = s.late && in.more
	if !s.sending {
		return // they stay in the store
	}
	for _, d := range in.rows {
		s.window.add(d)
	}
}

// accepts reports whether an endpoint accepts events of a type.
func accepts(e *persistence.Endpoint, t persistence.EventType) bool {
	return e.Kind.Receives(t) && (len(e.Types) == 0 || slices.Contains(e.Types, t))
}

// advance starts everything that can start now.
func (s *state) advance(m step.Context) {
	if s.expireDue(m.Now) {
		s.expire()
	}
	if !s.accepting {
		return
	}
	if s.sending {
		s.beginAttempts(m)
	}
	if m.Now.Before(s.retryAt) || (!s.behind && s.window.outside.IsZero()) {
		return
	}
	ready := s.window.ready(m.Now)
	if outside := s.window.outside; s.sending && !s.refilling && !outside.IsZero() && !outside.After(m.Now) && ready <= windowMax/2 {
		s.refilling = true
		s.reads++
		s.window.outside = time.Time{}
		s.now(readPending{})
	}
	if s.behind && !s.reading && (ready <= readAheadMax || s.late) {
		s.behind, s.reading = false, true
		s.now(readEvents{s.cursor.Seq})
	}
}

// nextDue returns when advance must be called again if nothing happens, or zero.
func (s *state) nextDue(now time.Time) time.Time {
	var next time.Time
	earlier := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if s.expireAt.After(now) {
		earlier(s.expireAt)
	}
	if !s.accepting {
		return next
	}
	if s.sending && len(s.window.queue) > 0 && s.running < ConcurrencyMax {
		earlier(later(s.window.queue[0].DueAt.Time, s.throttledUntil))
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

func (s *state) put(r persistence.Record) { s.out.Batch.Puts = append(s.out.Batch.Puts, r) }
func (s *state) now(e effect)             { s.out.Now = append(s.out.Now, e) }
func (s *state) journal(e persistence.JournalEntry) {
	s.out.Batch.Journal = append(s.out.Batch.Journal, e)
}

// markChanged records that the reads under way have an old state of a delivery.
func (s *state) markChanged(eventID string) {
	if s.reads > 0 {
		s.changed[eventID] = true
	}
}

// readDone ends a read. With the last one the marks of markChanged are cleared.
func (s *state) readDone() {
	if s.reads--; s.reads == 0 {
		clear(s.changed)
	}
}

// finish ends a step and returns its output.
func (s *state) finish(m step.Context) step.Output[effect] {
	s.advance(m)
	out := s.out
	out.Batch.Fence = s.fence
	s.out = step.Output[effect]{}
	return out
}
