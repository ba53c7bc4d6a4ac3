package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// lose makes an order of which no answer came.
func (b *bench) lose(requestID string) *order {
	o := b.place(limitOrder(requestID))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	return o
}

// answer lets a venue that has nothing but what it shows answer whatever is asked
// for a while. Readings of proofs end as prove says.
func (b *bench) answer(d time.Duration, prove func(callProof) proofDone) (readings int) {
	end := b.now.Add(d)
	for {
		due := b.state.nextDue()
		if due.IsZero() || due.After(end) {
			break
		}
		if due.After(b.now) {
			b.now = due
		}
		for asked := b.step(b.state.tick); len(asked) > 0; {
			e := asked[0]
			asked = asked[1:]
			switch ask := e.(type) {
			case callQuery:
				b.miss(b.state.orders[ask.orderID])
			case callProof:
				readings++
				b.step(func(m moment) { b.state.proved(m, prove(ask)) })
				asked = append(asked, b.asked...)
			case callReconcile:
				b.step(func(m moment) { b.state.reconciled(m, reconcileDone{err: errors.New("no room")}) })
			case lookUpFills:
				done := lookedUpFills{symbol: ask.symbol, venueOrderID: ask.venueOrderID, fills: ask.fills, began: b.now}
				if r, shown := b.shown[ask.venueOrderID]; shown {
					done.report = &r
				}
				b.step(func(m moment) { b.state.lookedUpFills(m, done) })
			default:
			}
		}
	}
	b.now = end
	return readings
}

func readsNothing(e callProof) proofDone { return proofDone{orders: e.orders} }

func TestAbsenceIsProvenOnceItCanBe(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	provable := o.Deadline.Add(b.state.caps.AbsenceAfter)
	b.answer(provable.Sub(b.now)-time.Millisecond, func(callProof) proofDone {
		t.Fatalf("a proof is sought %s after the order", b.now.Sub(o.CreatedAt.Time))
		return proofDone{}
	})
	b.want(o, venues.StatusUnknown, "0")
	b.answer(time.Second, readsNothing)
	b.want(o, venues.StatusRejected, "0")
	if o.Error.Reason != venues.ReasonNotPlaced {
		t.Fatalf("error %+v", o.Error)
	}
	b.wantFreed(true)
}

// A reading costs a good part of what a venue allows. Orders whose readings were
// their own left each other no room.
func TestOneReadingServesAllThatWait(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	var orders []*order
	for n := range 20 {
		orders = append(orders, b.lose(fmt.Sprintf("r%d", n)))
		b.answer(100*time.Millisecond, readsNothing)
	}
	failures := 3
	readings := b.answer(30*time.Second, func(e callProof) proofDone {
		if failures--; failures >= 0 {
			return proofDone{err: venues.Errorf(venues.CodeRateLimited, "no room")}
		}
		return readsNothing(e)
	})
	for _, o := range orders {
		b.want(o, venues.StatusRejected, "0")
	}
	if readings > 3+4 {
		t.Errorf("%d readings for %d orders that were lost within 2 s", readings, len(orders))
	}
}

// A cancel of an order that is not known to exist asks at once, and puts nothing
// off.
func TestCancelDoesNotDelayTheProof(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	for range 5 {
		b.cancel(o)
		b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: o.OrderID, err: notFound()}) })
		b.answer(2*time.Second, readsNothing)
	}
	b.answer(o.Deadline.Add(b.state.caps.AbsenceAfter+time.Second).Sub(b.now), readsNothing)
	b.want(o, venues.StatusRejected, "0")
}

func TestQuestionWithoutAnswerIsRepeatedSoon(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	b.pass(10 * time.Minute) // of silence
	b.step(func(m moment) {
		b.state.queried(m, queryDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeMaintenance, "down"), began: m.now})
	})
	if count(b.pass(inquiryRetry), isQuery) == 0 {
		t.Error("the order is not asked for")
	}
}

// What was asked before an order was sure to show tells nothing, however long the
// answer took.
func TestQuestionPutTooEarlyProvesNothing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	b.miss(o)
	early := b.now.Add(10 * time.Second)
	b.now = b.now.Add(time.Minute)
	b.step(func(m moment) {
		b.state.queried(m, queryDone{orderID: o.OrderID, err: notFound(), began: early})
	})
	if count(b.pass(proofGather), isProof) != 0 {
		t.Error("a proof is sought")
	}
}

// After a restart the first reconciliation asks for every order, and may take its
// time or fail: they are asked for all the same.
func TestUnknownOrdersDoNotWaitForAReconciliation(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	b.now = b.now.Add(time.Minute)
	b = b.reload()
	o = b.state.orders[o.OrderID]
	b.answer(absenceSpan+2*time.Second, readsNothing)
	b.want(o, venues.StatusRejected, "0")
}

func executionOfNobody(o *order, at time.Time) venues.Fill {
	f := *o.fill("t77", "0.5", "60000")
	f.VenueOrderID, f.ExecutedAt = "77", venues.At(at)
	return f
}

// An execution of an order that nobody knows may be this one's: the venue is
// asked whose it is.
func TestUnexplainedExecutionIsAskedFor(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	fill := executionOfNobody(o, b.now)
	reading := func(e callProof) proofDone { return proofDone{orders: e.orders, fills: []venues.Fill{fill}} }
	report := o.says(venues.StatusPartiallyFilled, "0.5")
	report.VenueOrderID = "77"
	b.shown = map[string]venues.ExecutionReport{"77": report}
	b.answer(o.Deadline.Add(b.state.caps.AbsenceAfter+time.Second).Sub(b.now), reading)
	b.want(o, venues.StatusPartiallyFilled, "0.5")
}

// An order that the venue denies twice, some time apart, is nobody's, as this one
// is.
func TestExecutionOfNobodyHoldsNoProofUp(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	fill := executionOfNobody(o, b.now)
	reading := func(e callProof) proofDone { return proofDone{orders: e.orders, fills: []venues.Fill{fill}} }
	provable := o.Deadline.Add(b.state.caps.AbsenceAfter)
	b.answer(provable.Add(absenceSpan-time.Second).Sub(b.now), reading)
	b.want(o, venues.StatusUnknown, "0")
	b.answer(2*absenceSpan, reading)
	b.want(o, venues.StatusRejected, "0")
	if len(b.state.proof.denied) != 0 {
		t.Error("what was found out for the proof outlives it")
	}
}

// Executions on the other side, of another instrument or from before the order
// are none of its own.
func TestOtherExecutionsHoldNoProofUp(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.lose("r1")
	sold, other, old := executionOfNobody(o, b.now), executionOfNobody(o, b.now), executionOfNobody(o, b.now.Add(-fillsOverlap-time.Second))
	sold.Side, other.Symbol = venues.Sell, "ETHUSDT"
	b.answer(o.Deadline.Add(b.state.caps.AbsenceAfter+time.Second).Sub(b.now), func(e callProof) proofDone {
		return proofDone{orders: e.orders, fills: []venues.Fill{sold, other, old}}
	})
	b.want(o, venues.StatusRejected, "0")
}

// An order that came to wait while a reading was under way was not in its lists
// for certain: it takes the next one.
func TestReadingServesOnlyThoseWhoWaitedBefore(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first := b.lose("r1")
	b.pass(time.Second)
	second := b.lose("r2")
	var running callProof
	b.answer(first.Deadline.Add(b.state.caps.AbsenceAfter+500*time.Millisecond).Sub(b.now), func(e callProof) proofDone {
		running = e
		return proofDone{err: actors.ErrBusy}
	})
	b.pass(5 * time.Second)
	b.miss(second)
	b.step(func(m moment) { b.state.proved(m, proofDone{orders: running.orders}) })
	b.want(first, venues.StatusRejected, "0")
	b.want(second, venues.StatusUnknown, "0")
	b.answer(time.Second, readsNothing)
	b.want(second, venues.StatusRejected, "0")
}
