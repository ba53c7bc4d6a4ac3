package channel

import (
	"errors"
	"slices"
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// stepMax bounds one step; it is the deadline of an order command.
	stepMax = 8 * time.Second
	// retryEvery is the delay before a step is repeated that the account could not
	// take because it is starting or overloaded.
	retryEvery = time.Second
	// flatEvery is the interval of the checks whether a position is closed; flatMax
	// bounds them.
	flatEvery = 300 * time.Millisecond
	flatMax   = 30 * time.Second
	// closeEvery is the delay before the rest of a partial close is closed. It doubles
	// with each further close: a thin market needs time.
	closeEvery = time.Second
	// findMax bounds the search for an order whose placement was not answered. The
	// account stores an intent before it sends anything, so an order that is absent
	// after the command's deadline was never sent.
	findMax = 2 * stepMax
)

// granted begins a signal whose slot is granted. If the signal queue could not take
// the slot, it is entered again later, until the signal expires.
func (s *state) granted(m step.Context, in granted) {
	t, known := s.tasks[in.id]
	switch {
	case !known:
		s.after(leave{in.id})
	case t.granted:
	case in.err != nil:
		s.after(armRetry{id: t.ID, after: retryEvery})
	default:
		t.granted = true
		s.begin(m, t)
	}
}

// begin starts the plan, or finds out which steps are done already.
func (s *state) begin(m step.Context, t *task) {
	switch {
	case t.resumed && t.Action != venues.ActionCancelAll:
		s.after(find{id: t.ID, steps: stepsOf(t), signal: t.Signal})
	case s.isLate(m, t):
		s.expire(m, t)
	case t.Test || s.channel.TestMode:
		s.after(dryRun{id: t.ID, signal: t.Signal})
	default:
		s.send(m, t, firstStep(t.Action))
	}
}

func firstStep(a venues.SignalAction) planStep {
	switch a {
	case venues.ActionClose:
		return stepClose
	case venues.ActionCancelAll:
		return stepCancel
	default:
		return stepOpen
	}
}

// stepsOf returns the steps that create orders, the last one of a plan first.
func stepsOf(t *task) []planStep {
	if t.Action == venues.ActionClose {
		return []planStep{stepClose}
	}
	steps := slices.Clone(closings)
	slices.Reverse(steps)
	return append([]planStep{stepOpen}, steps...)
}

// send carries out a step, unless a rule of the channel now forbids it.
func (s *state) send(m step.Context, t *task, next planStep) {
	if s.stopping {
		return
	}
	if s.isLate(m, t) {
		s.expire(m, t)
		return
	}
	if v := s.forbidden(t); v != nil {
		s.noteRule(m, t, v)
		s.end(m, t, persistence.SignalRejected, v.rejection)
		return
	}
	s.step(m, t, next)
	t.sentAt = m.Now
	deadline := m.Now.Add(stepMax)
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

// forbidden returns the rule that rejects the signal now, or nil. The channel may have
// been changed since the signal was accepted.
func (s *state) forbidden(t *task) *ruleResult {
	if s.channel.TestMode {
		return &ruleResult{rule: ruleTestMode, rejection: rejected(ruleTestMode, "the channel is in test mode")}
	}
	results := checkRules(&s.channel, &t.Signal, nil)
	if n := len(results); n > 0 && results[n-1].rejection != nil {
		return &results[n-1]
	}
	return nil
}

// step records the step that begins. The signal's record is stored with its result.
func (s *state) step(m step.Context, t *task, next planStep) {
	t.Status = persistence.SignalRunning
	if t.Step != string(next) {
		t.Step = string(next)
		s.noteStep(m, t, "begun")
	}
}

func (s *state) isLate(m step.Context, t *task) bool { return !m.Now.Before(t.ExpiresAt.Time) }

// expiryDue ends a signal that has expired while it was queued. One that an earlier
// incarnation may have carried out is looked up first, when its slot is granted.
func (s *state) expiryDue(m step.Context, id string) {
	if t, known := s.tasks[id]; known && !t.granted && !t.resumed {
		s.expire(m, t)
	}
}

func (s *state) expire(m step.Context, t *task) {
	s.end(m, t, persistence.SignalExpired, nil)
}

// stepDone handles the result of a step.
func (s *state) stepDone(m step.Context, in stepDone) {
	t, known := s.tasks[in.id]
	if !known {
		return
	}
	if rejection, is := errors.AsType[*venues.Error](in.err); is && rejection.Code == venues.CodeDuplicateRequest {
		if order, has := rejection.Details["order"].(venues.Order); has {
			in.order, in.err = order, nil // created earlier by this signal
		}
	}
	switch {
	case in.err == nil && in.step == stepCancel:
		s.noteResults(m, t, in.results)
		s.end(m, t, persistence.SignalDone, nil)
	case in.err == nil:
		s.ordered(m, t, in.step, in.order)
	default:
		s.stepRejected(m, t, in.step, in.err)
	}
}

// ordered handles the order that a step has created.
func (s *state) ordered(m step.Context, t *task, done planStep, order venues.Order) {
	t.newest, t.Step = &order, string(done)
	s.noteOrder(m, t, &order)
	if order.Status == venues.StatusRejected { // found after a failure
		s.end(m, t, persistence.SignalRejected, rejectionOf(&order))
		return
	}
	if !slices.Contains(t.OrderIDs, order.OrderID) {
		t.OrderIDs = append(t.OrderIDs, order.OrderID)
	}
	if done.closes() && (s.reverses(t) || s.closes(t) && closedPartially(&order)) {
		t.closing = done
		s.awaitFlat(m, t)
		return
	}
	s.end(m, t, persistence.SignalDone, nil)
}

func rejectionOf(o *venues.Order) *venues.Error {
	e := venues.Errorf(venues.CodeOrderRejected, "the venue rejected the order")
	if o.Error != nil {
		e = &venues.Error{Code: o.Error.Code, Message: o.Error.Message, VenueCode: o.Error.VenueCode, VenueMessage: o.Error.VenueMessage}
	}
	return e.With("order", *o)
}

func (s *state) reverses(t *task) bool {
	return t.Action == venues.ActionOrder && s.channel.Rules.Opposite == persistence.OppositeReverse
}

// closes reports whether the policy closes an opposite position.
func (s *state) closes(t *task) bool {
	return t.Action == venues.ActionOrder && s.channel.Rules.Opposite == persistence.OppositeClose
}

// closedPartially reports whether an order is closed with a part unfilled.
func closedPartially(o *venues.Order) bool { return o.Status.IsClosed() && o.FilledQty.LessThan(o.Qty) }

// stepRejected handles a step that created no order, or whose outcome is unknown.
func (s *state) stepRejected(m step.Context, t *task, at planStep, err error) {
	rejection, ours := errors.AsType[*venues.Error](err)
	switch {
	case !ours, rejection.Code == venues.CodeInternal:
		s.findOrder(m, t, at)
	case rejection.Code == venues.CodeMaintenance:
		s.after(armRetry{id: t.ID, after: retryEvery})
	case rejection.Code == venues.CodeRateLimited:
		s.after(armRetry{id: t.ID, after: max(retryEvery, rejection.RetryAfter)})
	case at == stepOpen && rejection.Details["rule"] == ruleOpposite:
		s.opposite(m, t, rejection)
	case at.closes() && s.reverses(t) && rejection.Details["reason"] == venues.ReasonNoPosition:
		s.awaitFlat(m, t) // it has been closed meanwhile
	case t.closing != "" && at.closes():
		t.closing = at // the rest may be filled later
		s.noteRejected(m, t, rejection)
		s.awaitFlat(m, t)
	default:
		s.noteRejected(m, t, rejection)
		s.end(m, t, persistence.SignalRejected, rejection)
	}
}

// noteRejected records the order that a rejection is about, if there is one.
func (s *state) noteRejected(m step.Context, t *task, rejection *venues.Error) {
	if order, has := rejection.Details["order"].(venues.Order); has {
		t.newest = &order
		s.noteOrder(m, t, &order)
	}
}

// opposite applies the channel's policy to an order against an open position.
func (s *state) opposite(m step.Context, t *task, rejection *venues.Error) {
	policy := s.channel.Rules.Opposite
	s.noteRule(m, t, &ruleResult{rule: ruleOpposite, limit: string(policy), given: string(t.Side), rejection: rejection})
	switch policy {
	case persistence.OppositeIgnore:
		s.end(m, t, persistence.SignalIgnored, nil)
	case persistence.OppositeClose, persistence.OppositeReverse:
		if len(t.OrderIDs) > 0 { // not closed entirely yet, or another position
			s.awaitFlat(m, t)
			return
		}
		s.send(m, t, stepClose)
	case persistence.OppositeReject:
		s.end(m, t, persistence.SignalRejected, rejection)
	}
}

// retry repeats a step that the account could not take, or the check for a flat
// position.
func (s *state) retry(m step.Context, id string) {
	t, known := s.tasks[id]
	switch {
	case !known:
	case !t.granted:
		s.enterQueue(t)
	case planStep(t.Step) == stepFlat:
		s.checkFlat(t)
	default:
		s.send(m, t, planStep(t.Step))
	}
}

// findOrder looks up the order of a step whose outcome is unknown.
func (s *state) findOrder(m step.Context, t *task, at planStep) {
	if at == stepCancel {
		s.end(m, t, persistence.SignalRejected, notAnswered("no answer to cancel-all"))
		return
	}
	s.after(find{id: t.ID, steps: []planStep{at}, signal: t.Signal, after: retryEvery})
}

// found handles the result of a search for an order.
func (s *state) found(m step.Context, in found) {
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
	case m.Now.Sub(t.sentAt) < findMax:
		s.after(again)
	default:
		s.end(m, t, persistence.SignalRejected, notAnswered("the account did not accept the order"))
	}
}

func notAnswered(message string) *venues.Error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "%s", message)
}

// awaitFlat waits until nothing is left of the closed position. It is called again if
// the account still has executions of the position to account for.
func (s *state) awaitFlat(m step.Context, t *task) {
	s.step(m, t, stepFlat)
	s.put(t, m.Now)
	if t.flatSince.IsZero() {
		t.flatSince = m.Now
		s.checkFlat(t)
		return
	}
	s.checkFlatAgain(m, t, remainder{what: leftPosition})
}

func (s *state) checkFlat(t *task) {
	check := checkFlat{id: t.ID, signal: t.Signal}
	if n := len(t.OrderIDs); n > 0 {
		check.closedBy = t.OrderIDs[n-1]
	}
	s.after(check)
}

func (s *state) flatRead(m step.Context, in flatRead) {
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
		s.checkFlatAgain(m, t, in.left)
	}
}

// checkFlatAgain schedules another check while something is left. It closes what a
// partial close has left, or a position that did not exist at the first close.
func (s *state) checkFlatAgain(m step.Context, t *task, rest remainder) {
	if m.Now.Sub(t.flatSince) >= flatMax || s.isLate(m, t) {
		s.end(m, t, persistence.SignalRejected, notFlat(&t.Signal, rest))
		return
	}
	wait := flatEvery
	if rest.what == leftProtection && !t.withdrawing {
		t.withdrawing = true
		s.note(m, t, "signal.step", "waits", field("step", t.Step), field("left", rest.what))
	}
	if next, more := t.closing.next(); more && (rest.partial || rest.what == leftPosition && len(t.OrderIDs) == 0) {
		t.Step, wait = string(next), next.wait()
		s.noteRest(m, t, rest.qty)
	}
	s.after(armRetry{id: t.ID, after: wait})
}

// notFlat returns the rejection that names what is left. The position keeps its
// protection, which ends with the position only.
func notFlat(signal *venues.Signal, rest remainder) *venues.Error {
	remains := "its " + rest.what
	if rest.qty.IsPositive() {
		remains = venues.FormatDecimal(rest.qty) + " of it"
	}
	return venues.Errorf(venues.CodeOrderRejected, "the position in %s is not confirmed flat, %s may be left; nothing was opened", signal.Symbol, remains).
		With("reason", "not_flat").With("left", rest.what)
}

// dryRunDone ends a test. The journal has what would have been done.
func (s *state) dryRunDone(m step.Context, in dryRunDone) {
	t, known := s.tasks[in.id]
	if !known {
		return
	}
	s.noteDryRun(m, t, in.notes, in.err)
	s.end(m, t, persistence.SignalTested, nil)
}
