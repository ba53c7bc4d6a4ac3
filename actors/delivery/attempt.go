package delivery

import (
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// beginAttempts attempts the due deliveries, up to ConcurrencyMax at a time.
func (s *state) beginAttempts(m step.Context) {
	if m.Now.Before(s.throttledUntil) {
		return
	}
	for s.running < ConcurrencyMax && len(s.window.queue) > 0 && !s.window.queue[0].DueAt.After(m.Now) {
		d := s.window.queue[0].Delivery
		s.window.markBusy(d)
		s.running++
		s.now(sendEvent{eventID: d.EventID, attempt: d.Attempts + 1})
	}
}

// attemptDone records the outcome of an attempt and schedules the next one.
func (s *state) attemptDone(m step.Context, in attemptDone) {
	s.running--
	x := s.window.byEvent[in.eventID]
	if in.unread != nil {
		// Nothing was attempted: the event is read again, the row is unchanged.
		x.DueAt = venues.At(m.Now.Add(storeRetry))
		s.window.release(x)
		return
	}
	d := &x.Delivery
	d.UpdatedAt = venues.At(in.end)
	d.LastCode, d.LastMS = in.attempt.Code, int(in.end.Sub(in.began).Milliseconds())
	switch {
	case in.lost:
		d.LastError = reasonEventPurged
		s.undelivered(m, d)
	case in.attempt.Throttled && s.throttle(m, d, in):
	default:
		d.Attempts++
		s.classify(m, d, in)
	}
	s.store(x)
}

// throttle postpones the delivery, and all attempts, for the time that the endpoint
// requests. It returns false if the attempt counts, because the delivery has been
// pending for too long.
func (s *state) throttle(m step.Context, d *persistence.Delivery, in attemptDone) bool {
	wait := time.Duration(in.attempt.RetryAfterSec) * time.Second
	s.throttledUntil = later(s.throttledUntil, wholeMilliseconds(in.end.Add(min(max(wait, throttleMin), RetryAfterMax))))
	if in.end.Sub(d.CreatedAt.Time) > throttledMax {
		return false
	}
	d.DueAt, d.LastError = venues.At(s.throttledUntil), clip(in.attempt.Err.Error(), errorCharsMax)
	s.journal(s.attemptRow(m, d, in))
	return true
}

func (s *state) classify(m step.Context, d *persistence.Delivery, in attemptDone) {
	if in.attempt.Err == nil {
		d.Status, d.LastError = persistence.DeliveryDelivered, ""
		s.journal(s.attemptRow(m, d, in))
		return
	}
	d.LastError = clip(in.attempt.Err.Error(), errorCharsMax)
	due, again := s.schedule.next(d.Attempts, in.end, time.Duration(in.attempt.RetryAfterSec)*time.Second)
	if again {
		d.DueAt = venues.At(due)
	}
	s.journal(s.attemptRow(m, d, in))
	if !again {
		s.undelivered(m, d)
	}
	if in.attempt.Gone != "" {
		s.end(m, in.attempt.Gone)
	}
}

func (s *state) undelivered(m step.Context, d *persistence.Delivery) {
	d.Status = persistence.DeliveryUndelivered
	s.journal(s.undeliveredRow(m, d))
	s.out.After = append(s.out.After, warnUndelivered{*d})
}

// end stops the queue. The customer disables the record and starts another queue.
func (s *state) end(m step.Context, why string) {
	if !s.sending {
		return
	}
	s.sending = false
	e := s.endpoint
	e.Disabled = why
	s.disabling = &disable{e, s.disabledRow(m, why)}
	s.out.After = append(s.out.After, *s.disabling)
}

// store commits a busy delivery; it stays busy until the commit is durable.
func (s *state) store(x *item) {
	s.put(x.Delivery)
	s.markChanged(x.EventID)
	s.out.After = append(s.out.After, deliveryStored{x.EventID})
}

// deliveryStored continues with a delivery that is durable.
func (s *state) deliveryStored(m step.Context, eventID string) {
	x := s.window.byEvent[eventID]
	if waiting := x.resend; len(waiting) > 0 {
		x.resend = nil
		s.restart(m, x.Delivery)
		s.answer(waiting)
		return
	}
	switch x.Status {
	case persistence.DeliveryPending:
		s.window.release(x)
		return
	case persistence.DeliveryDelivered:
		s.counts.delivered.Add(1)
	case persistence.DeliveryUndelivered:
		s.counts.undelivered.Add(1)
	}
	s.window.drop(x)
}
