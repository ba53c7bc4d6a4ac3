package channel

import (
	"errors"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// stepMax bounds one step; an order command carries it as its deadline.
	stepMax = 8 * time.Second
	// retryEvery is the wait before a step is tried again that the account could
	// not take: it is starting, or has too much to do.
	retryEvery = time.Second
	// flatEvery is the wait between two looks at a position that is being closed,
	// flatMax how long it may take.
	flatEvery = 300 * time.Millisecond
	flatMax   = 30 * time.Second
	// closeEvery is the wait before what a close has left is closed, doubled for
	// each close that follows: a thin market needs time.
	closeEvery = time.Second
	// proofMax is how long an order is looked for whose placing was not answered.
	// The account keeps an intent before it sends anything: what is not there
	// after the command's deadline was never sent.
	proofMax = 2 * stepMax
)

// turn begins a signal whose turn has come. Lanes that cannot take it are asked
// again, until it is too old.
func (s *state) turn(m moment, in turn) {
	t, known := s.tasks[in.id]
	switch {
	case !known:
		s.after(leave{in.id})
	case t.called:
	case in.err != nil:
		s.after(armRetry{id: t.ID, after: retryEvery})
	default:
		t.called = true
		s.begin(m, t)
	}
}

// begin starts the plan, or finds out how far it had come.
func (s *state) begin(m moment, t *task) {
	switch {
	case t.resumed && t.Action != venues.ActionCancelAll:
		s.after(find{id: t.ID, steps: stepsOf(t), signal: t.Signal})
	case s.isLate(m, t):
		s.expire(m, t)
	case t.Test || s.channel.TestMode:
		s.after(rehearse{id: t.ID, signal: t.Signal})
	default:
		s.send(m, t, firstStep(t.Action))
	}
}

func firstStep(a venues.SignalAction) step {
	switch a {
	case venues.ActionClose:
		return stepClose
	case venues.ActionCancelAll:
		return stepCancel
	default:
		return stepOpen
	}
}

// stepsOf are the steps that make orders, the last of a plan first.
func stepsOf(t *task) []step {
	if t.Action == venues.ActionClose {
		return []step{stepClose}
	}
	steps := slices.Clone(closings)
	slices.Reverse(steps)
	return append([]step{stepOpen}, steps...)
}

// send carries out a step, if the channel's rules still let it.
func (s *state) send(m moment, t *task, next step) {
	if s.stopping {
		return
	}
	if s.isLate(m, t) {
		s.expire(m, t)
		return
	}
	if v := s.forbids(t); v != nil {
		s.noteVerdict(m, t, v)
		s.end(m, t, persistence.SignalRejected, v.refusal)
		return
	}
	s.step(m, t, next)
	t.sentAt = m.now
	deadline := m.now.Add(stepMax)
	if t.ExpiresAt.Before(deadline) {
		deadline = t.ExpiresAt.Time
	}
	switch {
	case next == stepCancel:
		s.after(cancelAll{id: t.ID, signal: t.Signal, deadline: deadline})
	case next.closes():
		s.after(closePosition{id: t.ID, step: next, signal: t.Signal, policy: t.Action == venues.ActionOrder, deadline: deadline})
	default:
		s.after(place{
			id: t.ID, signal: t.Signal, maxPosition: s.channel.Rules.MaxQty,
			notOpposite: s.channel.Rules.Opposite != "", deadline: deadline,
		})
	}
}

// forbids is the rule that is against the signal now. The channel may have been
// changed since the signal was taken.
func (s *state) forbids(t *task) *verdict {
	if s.channel.TestMode {
		return &verdict{rule: ruleTestMode, refusal: refuse(ruleTestMode, "the channel is in test mode")}
	}
	verdicts := judge(&s.channel, &t.Signal, nil)
	if n := len(verdicts); n > 0 && verdicts[n-1].refusal != nil {
		return &verdicts[n-1]
	}
	return nil
}

// step notes what is being done. The record is stored with what it comes to.
func (s *state) step(m moment, t *task, next step) {
	t.Status = persistence.SignalRunning
	if t.Step != string(next) {
		t.Step = string(next)
		s.noteStep(m, t, "begun")
	}
}

func (s *state) isLate(m moment, t *task) bool { return !m.now.Before(t.ExpiresAt.Time) }

// expiryDue ends a signal that has become too old in its lane. What another
// incarnation may have made of it is looked for first, in its turn.
func (s *state) expiryDue(m moment, id string) {
	if t, known := s.tasks[id]; known && !t.called && !t.resumed {
		s.expire(m, t)
	}
}

// expire ends a signal that is too old.
func (s *state) expire(m moment, t *task) {
	s.end(m, t, persistence.SignalExpired, nil)
}

// acted takes what became of a step.
func (s *state) acted(m moment, in acted) {
	t, known := s.tasks[in.id]
	if !known {
		return
	}
	if refusal, is := errors.AsType[*venues.Error](in.err); is && refusal.Code == venues.CodeDuplicateRequest {
		if order, has := refusal.Details["order"].(venues.Order); has {
			in.order, in.err = order, nil // made before, by this very signal
		}
	}
	switch {
	case in.err == nil && in.step == stepCancel:
		s.noteResults(m, t, in.results)
		s.end(m, t, persistence.SignalDone, nil)
	case in.err == nil:
		s.ordered(m, t, in.step, in.order)
	default:
		s.refused(m, t, in.step, in.err)
	}
}

// ordered goes on with an order that a step has made.
func (s *state) ordered(m moment, t *task, done step, order venues.Order) {
	t.newest, t.Step = &order, string(done)
	s.noteOrder(m, t, &order)
	if order.Status == venues.StatusRejected { // found again after a failure
		s.end(m, t, persistence.SignalRejected, refusalOf(&order))
		return
	}
	if !slices.Contains(t.OrderIDs, order.OrderID) {
		t.OrderIDs = append(t.OrderIDs, order.OrderID)
	}
	if done.closes() && (s.reverses(t) || s.closes(t) && endedShort(&order)) {
		t.closing = done
		s.waitFlat(m, t)
		return
	}
	s.end(m, t, persistence.SignalDone, nil)
}

func refusalOf(o *venues.Order) *venues.Error {
	e := venues.Errorf(venues.CodeOrderRejected, "the venue rejected the order")
	if o.Error != nil {
		e = &venues.Error{Code: o.Error.Code, Message: o.Error.Message, VenueCode: o.Error.VenueCode, VenueMessage: o.Error.VenueMessage}
	}
	return e.With("order", *o)
}

func (s *state) reverses(t *task) bool {
	return t.Action == venues.ActionOrder && s.channel.Rules.Opposite == persistence.OppositeReverse
}

// closes says whether the policy is to close all of an opposite position.
func (s *state) closes(t *task) bool {
	return t.Action == venues.ActionOrder && s.channel.Rules.Opposite == persistence.OppositeClose
}

// endedShort says whether an order has ended with a rest. One that may be filled
// still, or was filled whole, is left to what the venue shows.
func endedShort(o *venues.Order) bool { return o.Status.IsClosed() && o.FilledQty.LessThan(o.Qty) }

// refused goes on with a step that made no order, or of which that is not known.
func (s *state) refused(m moment, t *task, at step, err error) {
	refusal, ours := errors.AsType[*venues.Error](err)
	switch {
	case !ours, refusal.Code == venues.CodeInternal:
		s.prove(m, t, at)
	case refusal.Code == venues.CodeMaintenance:
		s.after(armRetry{id: t.ID, after: retryEvery})
	case refusal.Code == venues.CodeRateLimited:
		s.after(armRetry{id: t.ID, after: max(retryEvery, refusal.RetryAfter)})
	case at == stepOpen && refusal.Details["rule"] == ruleOpposite:
		s.opposite(m, t, refusal)
	case at.closes() && s.reverses(t) && refusal.Details["reason"] == venues.ReasonNoPosition:
		s.waitFlat(m, t) // it was closed meanwhile
	case t.closing != "" && at.closes():
		t.closing = at // the market may take the rest later
		s.noteRefused(m, t, refusal)
		s.waitFlat(m, t)
	default:
		s.noteRefused(m, t, refusal)
		s.end(m, t, persistence.SignalRejected, refusal)
	}
}

// noteRefused tells of the order that a refusal is about, if there is one.
func (s *state) noteRefused(m moment, t *task, refusal *venues.Error) {
	if order, has := refusal.Details["order"].(venues.Order); has {
		t.newest = &order
		s.noteOrder(m, t, &order)
	}
}

// opposite applies the channel's policy to an order against an open position.
func (s *state) opposite(m moment, t *task, refusal *venues.Error) {
	policy := s.channel.Rules.Opposite
	s.noteVerdict(m, t, &verdict{rule: ruleOpposite, limit: string(policy), given: string(t.Side), refusal: refusal})
	switch policy {
	case persistence.OppositeIgnore:
		s.end(m, t, persistence.SignalIgnored, nil)
	case persistence.OppositeClose, persistence.OppositeReverse:
		if len(t.OrderIDs) > 0 { // it was closed: this is not over, or another one
			s.waitFlat(m, t)
			return
		}
		s.send(m, t, stepClose)
	case persistence.OppositeReject:
		s.end(m, t, persistence.SignalRejected, refusal)
	}
}

// retry takes up a step that the account could not take, or looks again.
func (s *state) retry(m moment, id string) {
	t, known := s.tasks[id]
	switch {
	case !known:
	case !t.called:
		s.line(t)
	case step(t.Step) == stepFlat:
		s.lookFlat(t)
	default:
		s.send(m, t, step(t.Step))
	}
}

// prove looks for the order of a step that was not answered.
func (s *state) prove(m moment, t *task, at step) {
	if at == stepCancel {
		s.end(m, t, persistence.SignalRejected, unproven("cancel-all was not answered"))
		return
	}
	s.after(find{id: t.ID, steps: []step{at}, signal: t.Signal, after: retryEvery})
}

// found goes on with what the store knows of a step.
func (s *state) found(m moment, in found) {
	t, known := s.tasks[in.id]
	if !known {
		return
	}
	again := find{id: t.ID, steps: in.steps, signal: t.Signal, after: retryEvery}
	switch {
	case in.err != nil:
		s.after(again)
	case in.order != nil:
		t.resumed = false
		s.ordered(m, t, in.step, *in.order)
	case t.resumed:
		t.resumed = false
		s.begin(m, t)
	case m.now.Sub(t.sentAt) < proofMax:
		s.after(again)
	default:
		s.end(m, t, persistence.SignalRejected, unproven("the account did not take the order"))
	}
}

func unproven(message string) *venues.Error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "%s", message)
}

// waitFlat waits until nothing is left of the position that was closed. It comes
// back here while the account, by its executions, still knows of some.
func (s *state) waitFlat(m moment, t *task) {
	s.step(m, t, stepFlat)
	s.put(t, m.now)
	if t.flatSince.IsZero() {
		t.flatSince = m.now
		s.lookFlat(t)
		return
	}
	s.lookAgain(m, t, left{what: leftPosition})
}

func (s *state) lookFlat(t *task) {
	look := lookFlat{id: t.ID, signal: t.Signal}
	if n := len(t.OrderIDs); n > 0 {
		look.closedBy = t.OrderIDs[n-1]
	}
	s.after(look)
}

func (s *state) flatSeen(m moment, in flatSeen) {
	t, known := s.tasks[in.id]
	switch {
	case !known:
	case in.err == nil && in.left.what == "":
		s.noteStep(m, t, "proven")
		if s.closes(t) {
			s.end(m, t, persistence.SignalDone, nil)
			return
		}
		s.send(m, t, stepOpen)
	default:
		s.lookAgain(m, t, in.left)
	}
}

// lookAgain goes on while something is left: what was not there to close, or is
// the rest of a close that has ended, is closed.
func (s *state) lookAgain(m moment, t *task, rest left) {
	if m.now.Sub(t.flatSince) >= flatMax || s.isLate(m, t) {
		s.end(m, t, persistence.SignalRejected, notFlat(&t.Signal, rest))
		return
	}
	wait := flatEvery
	if rest.what == leftProtection && !t.unguarding {
		t.unguarding = true
		s.note(m, t, "signal.step", "waits", field("step", t.Step), field("left", rest.what))
	}
	if next, more := t.closing.next(); more && (rest.short || rest.what == leftPosition && len(t.OrderIDs) == 0) {
		t.Step, wait = string(next), next.wait()
		s.noteRest(m, t, rest.qty)
	}
	s.after(armRetry{id: t.ID, after: wait})
}

// notFlat says what remains. The position keeps its protection: it ends with the
// position alone.
func notFlat(signal *venues.Signal, rest left) *venues.Error {
	remains := "its " + rest.what
	if rest.qty.IsPositive() {
		remains = venues.FormatDecimal(rest.qty) + " of it"
	}
	return venues.Errorf(venues.CodeOrderRejected, "the position in %s is not proven flat, %s may be left; nothing was opened", signal.Symbol, remains).
		With("reason", "not_flat").With("left", rest.what)
}

// rehearsed ends a test: what would have been done is in the journal.
func (s *state) rehearsed(m moment, in rehearsed) {
	t, known := s.tasks[in.id]
	if !known {
		return
	}
	s.noteRehearsal(m, t, in.notes, in.err)
	s.end(m, t, persistence.SignalTested, nil)
}
