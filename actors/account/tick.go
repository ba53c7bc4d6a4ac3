package account

import (
	"time"

	"venuegate/actors/account/deadline"
)

// nextDue returns when tick has something to do; zero for never.
func (s *state) nextDue() time.Time {
	due := deadline.Earliest(s.recon.due, s.positions.Due(s.positionPort), s.risk.Due(s.riskPort), s.halt.nextDue(s.ready),
		s.funds.due(), s.absence.due, s.orderList.due())
	for _, o := range s.watched {
		due = deadline.Earlier(due, o.nextDue())
	}
	return due
}

// tick does everything that is due.
func (s *state) tick(step stepContext) {
	for _, o := range s.watchedInOrder() {
		if deadline.Passed(o.heldDue, step.now) {
			s.releaseHeld(step, o)
		}
		s.warnUnknownIfDue(step, o)
		if deadline.Passed(o.query.due, step.now) {
			s.sendQuery(step, o)
		}
		switch {
		case !deadline.Passed(o.replyDue, step.now):
		case o.storing: // it is answered with its commit
			o.replyDue = step.now.Add(replyWithin)
		default:
			s.reply(o)
			s.markDirty(o) // what callers receive must be durable
		}
		if deadline.Passed(o.change.replyDue, step.now) {
			s.replyChange(o, nil) // with the change still pending
			s.markDirty(o)
		}
		s.protection(step).Tick(&o.protectedOrder)
		if deadline.Passed(o.streamDue, step.now) {
			s.streamMissed(step, o)
		}
		s.watch(o)
	}
	if deadline.Passed(s.absence.due, step.now) {
		s.startAbsenceCheck()
	}
	s.positions.Tick(s.forPositions(step))
	s.haltTick(step)
	s.orderListTick(step)
	s.fundsTick(step)
	if deadline.Passed(s.recon.due, step.now) {
		s.reconcile(step)
		s.evictClosed(step.now)
		s.positions.EvictUnattributed(step.now)
	}
}
