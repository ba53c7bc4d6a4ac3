package delivery

import (
	"time"

	"venuegate/actors/step"
	"venuegate/venues"
)

// A queue that does not send expires deliveries that cannot be sent any more: those of
// a paused or disabled endpoint whose event has been purged, and all of a removed
// endpoint. They become undelivered, each with its row in the journal.

// Reasons for an expiry, as the delivery's last error.
const (
	reasonEventPurged = "the event is no longer kept"
	reasonRemoved     = "the endpoint was removed"
)

// expire starts a search, unless one is under way.
func (s *state) expire() {
	if s.expiring {
		return
	}
	s.expiring = true
	s.reads++
	s.now(findExpired{s.isRemoved()})
}

func (s *state) isRemoved() bool { return !s.endpoint.RemovedAt.IsZero() }

// expiredRead makes the deliveries undelivered and continues the search afterwards.
func (s *state) expiredRead(m step.Context, in expiredRead) {
	s.expiring = false
	defer s.readDone()
	if in.err != nil {
		s.expireAt = m.Now.Add(storeRetry)
		return
	}
	why := reasonEventPurged
	if s.isRemoved() {
		why = reasonRemoved
	}
	for _, d := range in.rows {
		if x := s.window.byEvent[d.EventID]; s.changed[d.EventID] || x != nil && x.busy {
			continue // it has been changed meanwhile
		}
		x := s.window.markBusy(d)
		x.LastError, x.UpdatedAt = why, venues.At(m.Now)
		s.undelivered(m, &x.Delivery)
		s.store(x)
	}
	switch {
	case len(in.rows) > 0:
		s.out.After = append(s.out.After, expireMore{})
	case s.isRemoved():
		s.finished = true
	}
}

// expireDue reports, once, that a failed search is to be repeated.
func (s *state) expireDue(now time.Time) bool {
	due := !s.expireAt.IsZero() && !s.expireAt.After(now)
	if due {
		s.expireAt = time.Time{}
	}
	return due
}
