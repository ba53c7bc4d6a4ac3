package delivery

import (
	"time"

	"venuegate/venues"
)

// A queue that does not send gives up what will not be sent: of an endpoint that
// is paused or disabled what waits for an event that is no longer kept, of one
// that was removed everything. Each delivery ends as undelivered, with its row.

// Why a delivery is given up, as its last error.
const (
	lapsedEvent   = "the event is no longer kept"
	lapsedRemoved = "the endpoint was removed"
)

// lapse begins a search, unless one is under way.
func (s *state) lapse() {
	if s.lapsing {
		return
	}
	s.lapsing = true
	s.reads++
	s.do(findLapsed{s.isRemoved()})
}

func (s *state) isRemoved() bool { return !s.endpoint.RemovedAt.IsZero() }

// lapsedRead gives up what was found, and looks for more once that is durable.
func (s *state) lapsedRead(m moment, in lapsedRead) {
	s.lapsing = false
	defer s.readEnds()
	if in.err != nil {
		s.lapseAt = m.now.Add(storeRetry)
		return
	}
	why := lapsedEvent
	if s.isRemoved() {
		why = lapsedRemoved
	}
	for _, d := range in.rows {
		if x := s.window.byEvent[d.EventID]; s.touched[d.EventID] || x != nil && x.busy {
			continue // it was changed meanwhile
		}
		x := s.window.hold(d)
		x.LastError, x.UpdatedAt = why, venues.At(m.now)
		s.undelivered(m, &x.Delivery)
		s.store(x)
	}
	switch {
	case len(in.rows) > 0:
		s.out.after = append(s.out.after, lapseMore{})
	case s.isRemoved():
		s.over = true
	}
}

// lapseDue says once that a search which could not be made is to be made again.
func (s *state) lapseDue(now time.Time) bool {
	due := !s.lapseAt.IsZero() && !s.lapseAt.After(now)
	if due {
		s.lapseAt = time.Time{}
	}
	return due
}
