package account

import (
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/position"
	"venuegate/actors/account/protection"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// state is the state of one account as a deterministic machine: messages come in, a
// batch to commit and effects go out. It has no clock and makes no ids: both come in
// with each step.
type state struct {
	customer string
	exchange venues.Venue
	caps     venues.Capabilities
	fence    persistence.Fence

	// isLoaded is false until the store was read, ready until the first
	// reconciliation; new orders are rejected until then.
	isLoaded bool
	ready    bool
	// stopping reports that the account stops: nothing is sent any more.
	stopping bool

	orderIndex
	stepOutput

	fillMarks    fillMarks
	funds        funds
	recon        reconciliation
	absence      absenceCheck
	stream       privateStream
	positions    *position.State
	positionPort *positionPort
	risk         *risk.State
	riskPort     *riskPort
	halt         halting
	openList     openList

	protectionStep *protection.Step
	protectionPort *protectionPort
}

func newState(c Config, fence persistence.Fence) *state {
	s := &state{
		customer: c.Customer, exchange: c.Exchange, caps: c.Capabilities, fence: fence,
		orderIndex: newOrderIndex(clientIDs{c.ClientIDPrefix, c.Customer, c.Exchange}),
		fillMarks:  newFillMarks(c.Customer, c.Exchange),
		positions:  position.NewState(c.Customer, c.Exchange),
	}
	s.positionPort = &positionPort{state: s}
	s.risk, s.riskPort = risk.NewState(c.Customer, c.Exchange, orderLifeMax, s.positions), newRiskPort(s)
	s.protectionStep, s.protectionPort = newProtection(s, c.Protection)
	return s
}

// stop answers the callers with what is known now: no outcome is resolved after it.
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

// finish ends a step: changed orders are put into the batch and published, callers are
// answered where the outcome is known, and the next due times are noted.
func (s *state) finish(step stepContext) output {
	if s.out.Claim == "" { // such a batch is rejected as a whole if the request id is taken
		s.positions.Settle(s.forPositions(step))
		s.risk.Check(s.forRisk(step))
	}
	for i := 0; i < len(s.dirty); i++ { // the loop may append: a replaced order adds its successor
		s.settleChange(step, s.dirty[i])
		s.protection(step).EntryChanged(&s.dirty[i].protectedOrder)
		if s.dirty[i].EntryOrderID != "" {
			s.legChanged(step, s.dirty[i])
		}
	}
	for _, o := range s.dirty {
		o.dirty = false
		s.updateStops(step, o)
		s.updateActivity(step.now, o)
		if o.storing && o.OrderID != s.out.Claim {
			continue // nothing is stored of an order before its intent is
		}
		if o.defersCommit() {
			s.replyIfSettled(step, o)
			s.watch(o)
			if o.defersCommit() {
				continue
			}
		}
		s.out.Batch.Journal = append(s.out.Batch.Journal, o.notes...)
		o.notes = nil
		o.Amend = o.change.amendment
		if o.changed() {
			o.UpdatedAt = venues.At(step.now)
			o.stored = o.OrderRecord
			s.out.Batch.Puts = append(s.out.Batch.Puts, o.OrderRecord)
			s.after(publishOrder{o.Order})
		}
		s.replyIfSettled(step, o)
		s.watch(o)
	}
	for _, a := range s.pendingReplies {
		s.after(replyOrder{to: a.to, order: a.about.Order, err: a.err})
	}
	s.dirty, s.pendingReplies = s.dirty[:0], s.pendingReplies[:0]
	out := s.out
	if !out.Batch.Empty() {
		out.Batch.Fence = s.fence
	}
	s.out = output{}
	return out
}

// nextDue returns when tick is next needed; zero for never.
func (s *state) nextDue() time.Time {
	due := deadline.Earlier(deadline.Earlier(s.recon.due, s.positions.Due(s.positionPort)), deadline.Earlier(s.risk.Due(s.riskPort), s.halt.nextDue(s.ready)))
	due = deadline.Earlier(due, deadline.Earlier(s.absence.due, s.openList.due()))
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
	s.openTick(step)
	if deadline.Passed(s.recon.due, step.now) {
		s.reconcile()
		s.evictClosed(step.now)
		s.positions.EvictUnattributed(step.now)
	}
}
