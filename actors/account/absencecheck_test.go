package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// loseAnswer places an order whose answer is lost.
func (b *fixture) loseAnswer(requestID string) *order {
	o := b.place(limitOrder(requestID))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	return o
}

// answerChecks advances the time while the venue answers every query with "not found". read
// returns the result of an absence check. answerChecks returns the number of absence checks.
func (b *fixture) answerChecks(d time.Duration, read func(callAbsenceCheck) absenceCheckDone) (readings int) {
	end := b.now.Add(d)
	for {
		due := b.state.nextDue()
		if due.IsZero() || due.After(end) {
			break
		}
		if due.After(b.now) {
			b.now = due
		}
		for effects := b.step(b.state.tick); len(effects) > 0; {
			e := effects[0]
			effects = effects[1:]
			switch in := e.(type) {
			case callQuery:
				b.answerNotFound(b.state.orders[in.orderID])
			case callAbsenceCheck:
				readings++
				b.step(func(step stepContext) { b.state.absenceChecked(step, read(in)) })
				effects = append(effects, b.effects...)
			case callReconcile:
				b.step(func(step stepContext) { b.state.reconciled(step, reconcileDone{err: errors.New("the pool is full")}) })
			case lookUpFills:
				done := lookedUpFills{symbol: in.symbol, venueOrderID: in.venueOrderID, fills: in.fills, began: b.now}
				if r, listed := b.venueOrders[in.venueOrderID]; listed {
					done.report = &r
				}
				b.step(func(step stepContext) { b.state.lookedUpFills(step, done) })
			default:
			}
		}
	}
	b.now = end
	return readings
}

func readsNothing(e callAbsenceCheck) absenceCheckDone { return absenceCheckDone{orders: e.orders} }

func TestAbsenceIsConfirmedAtTheEarliestTime(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	earliest := o.Deadline.Add(b.state.caps.AbsenceAfter)
	b.answerChecks(earliest.Sub(b.now)-time.Millisecond, func(callAbsenceCheck) absenceCheckDone {
		t.Fatalf("the absence check was sent %s after the order, want %s", b.now.Sub(o.CreatedAt.Time), earliest.Sub(o.CreatedAt.Time))
		return absenceCheckDone{}
	})
	b.want(o, venues.StatusUnknown, "0")
	b.answerChecks(time.Second, readsNothing)
	b.want(o, venues.StatusRejected, "0")
	if o.Error.Reason != venues.ReasonNotPlaced {
		t.Fatalf("reason = %q, want %q", o.Error.Reason, venues.ReasonNotPlaced)
	}
	b.wantFreed(true)
}

// A reading costs a large part of a venue's rate limits, which one reading for each order
// would exceed.
func TestOneReadingServesAllWaitingOrders(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	var orders []*order
	for n := range 20 {
		orders = append(orders, b.loseAnswer(fmt.Sprintf("r%d", n)))
		b.answerChecks(100*time.Millisecond, readsNothing)
	}
	failures := 3
	readings := b.answerChecks(30*time.Second, func(e callAbsenceCheck) absenceCheckDone {
		if failures--; failures >= 0 {
			return absenceCheckDone{err: venues.Errorf(venues.CodeRateLimited, "no room")}
		}
		return readsNothing(e)
	})
	for _, o := range orders {
		b.want(o, venues.StatusRejected, "0")
	}
	if readings > 3+4 {
		t.Errorf("%d readings for %d orders that were lost within 2 s, want at most %d", readings, len(orders), 3+4)
	}
}

// A cancel of an order of unknown outcome queries it immediately, and delays neither the
// queries nor the absence check.
func TestCancelDoesNotDelayTheAbsenceCheck(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	for range 5 {
		b.cancel(o)
		b.step(func(step stepContext) { b.state.cancelled(step, cancelDone{orderID: o.OrderID, err: notFound()}) })
		b.answerChecks(2*time.Second, readsNothing)
	}
	b.answerChecks(o.Deadline.Add(b.state.caps.AbsenceAfter+time.Second).Sub(b.now), readsNothing)
	b.want(o, venues.StatusRejected, "0")
}

func TestQueryWithoutAnswerIsRepeatedSoon(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	b.pass(10 * time.Minute) // no reports
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeMaintenance, "down"), began: step.now})
	})
	if count(b.pass(queryRetryMax), isQuery) == 0 {
		t.Errorf("no query within %s, want at least one", queryRetryMax)
	}
}

// A query that was sent before the venue was certain to list the order confirms nothing,
// however late the answer is.
func TestQuerySentTooEarlyConfirmsNothing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	b.answerNotFound(o)
	early := b.now.Add(10 * time.Second)
	b.now = b.now.Add(time.Minute)
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, err: notFound(), began: early})
	})
	if count(b.pass(absenceCheckDelay), isAbsenceCheck) != 0 {
		t.Error("an absence check was sent, want none")
	}
}

// The first reconciliation after a restart queries every order, but may take long or
// fail: the status queries do not wait for it.
func TestUnknownOrdersDoNotWaitForAReconciliation(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	b.now = b.now.Add(time.Minute)
	b = b.reload()
	o = b.state.orders[o.OrderID]
	b.answerChecks(absenceSpan+2*time.Second, readsNothing)
	b.want(o, venues.StatusRejected, "0")
}

func foreignExecution(o *order, at time.Time) venues.Fill {
	f := *o.fill("t77", "0.5", "60000")
	f.VenueOrderID, f.ExecutedAt = "77", venues.At(at)
	return f
}

// An execution whose order is not known may belong to this one: the venue is queried for
// its order.
func TestOrderOfUnattributedExecutionIsQueried(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	fill := foreignExecution(o, b.now)
	reading := func(e callAbsenceCheck) absenceCheckDone {
		return absenceCheckDone{orders: e.orders, fills: []venues.Fill{fill}}
	}
	report := o.reportWith(venues.StatusPartiallyFilled, "0.5")
	report.VenueOrderID = "77"
	b.venueOrders = map[string]venues.ExecutionReport{"77": report}
	b.answerChecks(o.Deadline.Add(b.state.caps.AbsenceAfter+time.Second).Sub(b.now), reading)
	b.want(o, venues.StatusPartiallyFilled, "0.5")
}

// An execution whose order the venue has twice not found, absenceSpan apart, cannot
// belong to the order that is checked.
func TestForeignExecutionDoesNotDelayTheAbsenceCheck(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	fill := foreignExecution(o, b.now)
	reading := func(e callAbsenceCheck) absenceCheckDone {
		return absenceCheckDone{orders: e.orders, fills: []venues.Fill{fill}}
	}
	earliest := o.Deadline.Add(b.state.caps.AbsenceAfter)
	b.answerChecks(earliest.Add(absenceSpan-time.Second).Sub(b.now), reading)
	b.want(o, venues.StatusUnknown, "0")
	b.answerChecks(2*absenceSpan, reading)
	b.want(o, venues.StatusRejected, "0")
	if len(b.state.absence.notFound) != 0 {
		t.Errorf("%d results of the absence check are kept after its end, want 0", len(b.state.absence.notFound))
	}
}

// Executions on the other side, of another instrument or from before the order do not
// belong to it.
func TestOtherExecutionsDoNotDelayTheAbsenceCheck(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.loseAnswer("r1")
	sold, other, old := foreignExecution(o, b.now), foreignExecution(o, b.now), foreignExecution(o, b.now.Add(-fillsOverlap-time.Second))
	sold.Side, other.Symbol = venues.Sell, "ETHUSDT"
	b.answerChecks(o.Deadline.Add(b.state.caps.AbsenceAfter+time.Second).Sub(b.now), func(e callAbsenceCheck) absenceCheckDone {
		return absenceCheckDone{orders: e.orders, fills: []venues.Fill{sold, other, old}}
	})
	b.want(o, venues.StatusRejected, "0")
}

// An order that begins to wait during a reading may be missing from its lists: it is
// checked with the next one.
func TestReadingServesOnlyOrdersThatWaitedBefore(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	first := b.loseAnswer("r1")
	b.pass(time.Second)
	second := b.loseAnswer("r2")
	var running callAbsenceCheck
	b.answerChecks(first.Deadline.Add(b.state.caps.AbsenceAfter+500*time.Millisecond).Sub(b.now), func(e callAbsenceCheck) absenceCheckDone {
		running = e
		return absenceCheckDone{err: actors.ErrBusy}
	})
	b.pass(5 * time.Second)
	b.answerNotFound(second)
	b.step(func(step stepContext) { b.state.absenceChecked(step, absenceCheckDone{orders: running.orders}) })
	b.want(first, venues.StatusRejected, "0")
	b.want(second, venues.StatusUnknown, "0")
	b.answerChecks(time.Second, readsNothing)
	b.want(second, venues.StatusRejected, "0")
}
