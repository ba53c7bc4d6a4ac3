package account

import (
	"testing"

	"venuegate/actors"
	"venuegate/venues"
)

// A caller is answered when the outcome is written, and before it is durable, where a power
// failure that loses it changes nothing of the answer.
func TestAnswersBeforeTheSync(t *testing.T) {
	accepted := func(o *order) placeDone {
		return placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")}
	}
	filled := func(o *order) placeDone {
		r := o.reportWith(venues.StatusFilled, "1")
		r.Fill = o.fill("t1", "1", "60000")
		return placeDone{orderID: o.OrderID, report: r}
	}
	failed := func(err error) func(*order) placeDone {
		return func(o *order) placeDone { return placeDone{orderID: o.OrderID, err: err} }
	}
	plain := func(*placeOrder) {}
	for _, c := range []struct {
		name   string
		order  func(in *placeOrder)
		answer func(o *order) placeDone
		early  bool
	}{
		{"accepted", plain, accepted, true},
		{"filled", plain, filled, true},
		{"rejected, which frees the request id", plain, failed(venues.Errorf(venues.CodeOrderRejected, "no")), false},
		{"not sent, which frees the request id", plain, failed(venues.ErrNotSent), false},
		{"ended without a fill in the answer, which only the answer shows", plain, failed(
			venues.Errorf(venues.CodeOrderRejected, "no").With("reason", venues.ReasonFOKNotFilled)), false},
		{"with a stop loss", func(in *placeOrder) { in.cmd.StopLoss = venues.Some(venues.MustDecimal("50000")) }, filled, false},
		{"a close", func(in *placeOrder) { in.cmd.CloseReason = venues.ClosedManual }, filled, false},
		{"of a channel", func(in *placeOrder) { in.cmd.ChannelID = "hook_1" }, filled, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			b.step(func(stepContext) {}) // stores the risk record of the day
			in := limitOrder("r1")
			c.order(&in)
			o := b.place(in)
			answers := 0
			o.waiters = []orderReply{actors.ReplyFunc(func(venues.Order, error) { answers++ })}

			step := b.stepContext()
			b.state.placed(step, c.answer(o))
			out := b.state.finish(step)
			if got := out.Batch.Written != nil; got != c.early {
				t.Fatalf("Written is set: %t, want %t; the order is %s", got, c.early, o.Status)
			}
			if c.early {
				out.Batch.Written()
				if answers != 1 {
					t.Errorf("%d answers when the outcome is written, want 1", answers)
				}
			}
			for _, e := range out.After {
				if reply, is := e.(replyOrder); is {
					reply.send()
				}
			}
			if answers != 1 {
				t.Errorf("%d answers once the outcome is durable, want 1", answers)
			}
		})
	}
}

// The commit of an intent is never delayed: the request is sent after it.
func TestIntentIsSyncedBeforeItIsSent(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	step := b.stepContext()
	b.state.place(step, limitOrder("r1"))
	out := b.state.finish(step)
	if out.Batch.Written != nil || len(out.Now) != 0 || len(out.After) == 0 {
		t.Errorf("Written is set: %t, %d effects now, %d once it is durable; want false, none, some", out.Batch.Written != nil, len(out.Now), len(out.After))
	}
}

// A change that is still pending is answered once that is durable, because a cancel that is
// not recorded is not sent again.
func TestPendingCancelIsAnsweredOnceItIsDurable(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	b.cancel(o)
	b.now = b.now.Add(replyWithin)
	step := b.stepContext()
	b.state.tick(step)
	out := b.state.finish(step)
	if o.PendingAction != venues.PendingCancel || len(out.Batch.Puts) == 0 || out.Batch.Written != nil {
		t.Errorf("the pending action is %q, %d records are stored, Written is set: %t; want %q, some, false",
			o.PendingAction, len(out.Batch.Puts), out.Batch.Written != nil, venues.PendingCancel)
	}
}

// A cancel that the venue has rejected may be stored as pending: it would be sent again.
func TestErrorIsAnsweredOnceItIsDurable(t *testing.T) {
	rejected := output{After: []effect{replyOrder{err: venues.Errorf(venues.CodeOrderRejected, "no")}}}
	if mayAnswerBeforeSync(&rejected) {
		t.Error("an error may be answered before the sync, want once it is durable")
	}
}
