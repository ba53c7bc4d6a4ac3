package delivery

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// beginAttempts tries what is due, as far as there is room.
func (s *state) beginAttempts(m moment) {
	if m.now.Before(s.restUntil) {
		return
	}
	for s.running < ConcurrencyMax && len(s.window.queue) > 0 && !s.window.queue[0].DueAt.After(m.now) {
		d := s.window.queue[0].Delivery
		s.window.hold(d)
		s.running++
		s.do(sendEvent{eventID: d.EventID, attempt: d.Attempts + 1})
	}
}

// attempted records what an attempt came to and plans the next one.
func (s *state) attempted(m moment, in attempted) {
	s.running--
	x := s.window.byEvent[in.eventID]
	if in.unread != nil {
		// Nothing was tried: the store is asked again, the row stays as it is.
		x.DueAt = venues.At(m.now.Add(storeRetry))
		s.window.release(x)
		return
	}
	d := &x.Delivery
	d.UpdatedAt = venues.At(in.end)
	switch {
	case in.lost:
		d.LastError = lapsedEvent
		s.undelivered(m, d)
	case in.attempt.Throttled && s.rest(m, d, in):
	default:
		d.Attempts++
		s.judge(m, d, in)
	}
	s.store(x)
}

// rest leaves the other end alone as long as it asks, and puts the delivery off
// until then. It says whether that spends no attempt.
func (s *state) rest(m moment, d *persistence.Delivery, in attempted) bool {
	wait := time.Duration(in.attempt.RetryAfterSec) * time.Second
	s.restUntil = later(s.restUntil, wholeMilliseconds(in.end.Add(min(max(wait, restMin), RetryAfterMax))))
	if in.end.Sub(d.CreatedAt.Time) > throttledMax {
		return false
	}
	d.DueAt, d.LastError = venues.At(s.restUntil), clip(in.attempt.Err.Error(), errorCharsMax)
	s.note(s.attemptRow(m, d, in))
	return true
}

func (s *state) judge(m moment, d *persistence.Delivery, in attempted) {
	if in.attempt.Err == nil {
		d.Status, d.LastError = persistence.DeliveryDelivered, ""
		s.note(s.attemptRow(m, d, in))
		return
	}
	d.LastError = clip(in.attempt.Err.Error(), errorCharsMax)
	due, again := s.schedule.next(d.Attempts, in.end, time.Duration(in.attempt.RetryAfterSec)*time.Second)
	if again {
		d.DueAt = venues.At(due)
	}
	s.note(s.attemptRow(m, d, in))
	if !again {
		s.undelivered(m, d)
	}
	if in.attempt.Gone != "" {
		s.end(m, in.attempt.Gone)
	}
}

func (s *state) undelivered(m moment, d *persistence.Delivery) {
	d.Status = persistence.DeliveryUndelivered
	s.note(s.undeliveredRow(m, d))
}

// end stops the queue; the customer marks the record and starts it anew.
func (s *state) end(m moment, why string) {
	if !s.sending {
		return
	}
	s.sending = false
	e := s.endpoint
	e.Disabled = why
	s.gone = &disable{e, s.disabledRow(m, why)}
	s.out.after = append(s.out.after, *s.gone)
}

// store commits a delivery that is in hand; it stays in hand until then.
func (s *state) store(x *item) {
	s.put(x.Delivery)
	s.touch(x.EventID)
	s.out.after = append(s.out.after, stored{x.EventID})
}

// stored goes on once a delivery is durable.
func (s *state) stored(m moment, eventID string) {
	x := s.window.byEvent[eventID]
	if waiting := x.resend; len(waiting) > 0 {
		x.resend = nil
		s.begin(m, x.Delivery)
		s.answer(waiting)
		return
	}
	if x.Status == persistence.DeliveryPending {
		s.window.release(x)
		return
	}
	s.window.forget(x)
}
