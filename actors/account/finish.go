package account

import (
	"time"

	"venuegate/venues"
)

// stop answers the callers with what is known, because no outcome is resolved after it.
func (s *state) stop() {
	s.stopping = true
	for _, o := range s.unfinished() {
		if len(o.change.waiters) > 0 {
			s.replyChange(o, nil) // with the change still pending
			s.markDirty(o)        // what callers receive must be durable
		}
		if len(o.waiters) > 0 && !o.storing {
			s.reply(o)
			s.markDirty(o)
		}
	}
}

// finish ends a step and returns its output. Changed orders are stored and published, and
// callers are answered where the outcome is known.
func (s *state) finish(step stepContext) output {
	if s.out.Creates == "" { // a batch with the intent of a command has nothing else: the store may reject it
		s.positions.Finish(s.forPositions(step))
		s.risk.Check(s.forRisk(step))
	}
	for i := 0; i < len(s.dirty); i++ { // the loop may append: a replaced order adds its successor
		s.advanceChange(step, s.dirty[i])
		s.resolveRepeated(step, s.dirty[i])
		s.protection(step).EndIfFlat(&s.dirty[i].protectedOrder)
		if s.dirty[i].EntryOrderID != "" {
			s.legChanged(step, s.dirty[i])
		}
	}
	for _, o := range s.dirty {
		o.dirty = false
		s.updateStops(step, o)
		s.updateActivity(step.now, o)
		if o.storing && o.OrderID != s.out.Creates {
			continue // the order's intent is not durable yet
		}
		if o.defersCommit() {
			s.replyIfSettled(step, o)
			s.watch(o)
			if o.defersCommit() {
				continue
			}
		}
		s.out.Batch.Journal = append(s.out.Batch.Journal, o.journalRows...)
		o.journalRows = nil
		o.Amend = o.change.amendment
		if o.changed() {
			if o.Status != o.storedRecord().Status && !o.storing {
				s.counts.order(o.Status)
			}
			o.UpdatedAt = venues.At(step.now)
			o.storeSeenOpen()
			o.stored = o.OrderRecord
			s.funds.balancesChanges++ // the margin in use may have changed
			s.out.Batch.Puts = append(s.out.Batch.Puts, o.stored)
			s.after(publishOrder{o.stored})
		}
		s.replyIfSettled(step, o)
		s.watch(o)
	}
	replies := make([]replyOrder, len(s.pendingReplies))
	for i, a := range s.pendingReplies {
		replies[i] = replyOrder{to: a.to, value: a.about.Order, err: a.err}
		if a.about.hasSettled() {
			replies[i].hops = a.about.hops
		}
		s.after(replies[i])
	}
	s.dirty, s.pendingReplies, s.readingBegan = s.dirty[:0], s.pendingReplies[:0], time.Time{}
	out := s.out
	if !out.Batch.Empty() {
		out.Batch.Fence = s.fence
		// What already happened, or reduces exposure, is stored on a full disk too.
		out.Batch.Reserve = out.Batch.Reserve || out.Creates == ""
		if len(replies) > 0 && mayAnswerBeforeSync(&out) {
			// They are also effects, because a merged commit may not be written early. A reply
			// is sent once.
			out.Batch.Written = func() { sendAll(replies) }
		}
	}
	s.out = output{}
	return out
}
