package delivery

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
)

// attemptMax bounds one attempt: "no answer within 10 seconds leads to a retry".
const attemptMax = 10 * time.Second

// effect is I/O, or a change of the state that follows a commit. It runs on the
// actor's goroutine and must not block.
type effect interface {
	run(d *delivery, ctx *actors.Context)
}

type (
	readEvents  struct{ after uint64 }
	readPending struct{}
	sendEvent   struct {
		eventID string
		attempt int
	}
	sendTest struct {
		in    test
		event persistence.Event
	}
	findDelivery    struct{ in resend }
	findUndelivered struct {
		in    resendAll
		sent  int
		after *persistence.PagePosition
	}
	// findExpired reads up to a page of the deliveries that expire; expireMore
	// continues once these are stored.
	findExpired struct{ removed bool }
	expireMore  struct{}
	pageStored  struct {
		cursor persistence.EndpointCursor
		rows   []persistence.Delivery
		more   bool
	}
	deliveryStored  struct{ eventID string }
	warnUndelivered struct{ delivery persistence.Delivery }
	nextUndelivered struct{ findUndelivered }
	answerResend    struct{ to []resendReply }
	answerCount     struct {
		to   resendAll
		sent int
	}
	answerTest struct {
		to     test
		tested TestResult
	}
	disable struct {
		endpoint persistence.Endpoint
		entry    persistence.JournalEntry
	}
)

// read runs a read of the store in the pool. If the pool is full the result is busy.
func (d *delivery) read(ctx *actors.Context, read func(context.Context) any, busy any) {
	if err := ctx.Go(d.deps.Pool, read); err != nil {
		d.steps.Enqueue(busy)
	}
}

func (e readEvents) run(d *delivery, ctx *actors.Context) {
	d.read(ctx, func(c context.Context) any {
		events, err := d.deps.Store.EventsSince(c, d.deps.Endpoint.Customer, e.after, pageMax)
		return eventsRead{events: events, err: err}
	}, eventsRead{err: actors.ErrBusy})
}

func (readPending) run(d *delivery, ctx *actors.Context) {
	d.read(ctx, func(c context.Context) any {
		rows, err := d.deps.Store.PendingDeliveries(c, d.deps.Endpoint.Customer, d.deps.Endpoint.ID, windowMax)
		return pendingRead{rows: rows, err: err}
	}, pendingRead{err: actors.ErrBusy})
}

func (e findDelivery) run(d *delivery, ctx *actors.Context) {
	d.read(ctx, func(c context.Context) any {
		page, err := d.deps.Store.Deliveries(c, persistence.DeliveryQuery{
			Customer: d.deps.Endpoint.Customer, Endpoint: d.deps.Endpoint.ID, EventID: e.in.eventID, Limit: 1,
		})
		return deliveryFound{in: e.in, rows: page.Items, err: err}
	}, deliveryFound{in: e.in, err: actors.ErrBusy})
}

func (e findUndelivered) run(d *delivery, ctx *actors.Context) {
	d.read(ctx, func(c context.Context) any {
		page, err := d.deps.Store.Deliveries(c, persistence.DeliveryQuery{
			Customer: d.deps.Endpoint.Customer, Endpoint: d.deps.Endpoint.ID,
			Status: persistence.DeliveryUndelivered, From: e.in.since, Limit: resendPageMax, After: e.after,
		})
		return undeliveredRead{in: e.in, sent: e.sent, page: page, err: err}
	}, undeliveredRead{in: e.in, err: actors.ErrBusy})
}

// run reads the event again: a window of payloads would be large. Attempts are loops,
// not effects of a pool: in a pool shared by endpoints an unreachable one would delay
// others, and a stop must not wait for a receiver that hangs.
func (e sendEvent) run(d *delivery, ctx *actors.Context) {
	ctx.Loop(func(life context.Context) any {
		event, err := d.deps.Store.Event(life, d.deps.Endpoint.Customer, e.eventID)
		out := attemptDone{eventID: e.eventID, number: e.attempt, began: time.Now()}
		switch {
		case errors.Is(err, persistence.ErrNotFound):
			out.lost = true
		case err != nil:
			out.unread = err
		default:
			out.attempt = d.attempt(life, event, e.attempt, out.began)
		}
		if out.attempt.Err != nil && life.Err() != nil {
			return nil // interrupted by a stop: the outcome is unknown
		}
		out.end = time.Now()
		return out
	})
}

func (e sendTest) run(d *delivery, ctx *actors.Context) {
	ctx.Loop(func(life context.Context) any {
		out := testDone{in: e.in, event: e.event, began: time.Now()}
		out.attempt = d.attempt(life, e.event, 1, out.began)
		out.end = time.Now()
		return out
	})
}

func (d *delivery) attempt(ctx context.Context, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, attemptMax)
	defer cancel()
	return d.deps.Sender.Send(ctx, d.deps.Endpoint, e, attempt, at)
}

func (e findExpired) run(d *delivery, ctx *actors.Context) {
	d.read(ctx, func(c context.Context) any {
		rows, err := d.expired(c, e.removed)
		return expiredRead{rows: rows, err: err}
	}, expiredRead{err: actors.ErrBusy})
}

// expired lists the pending deliveries that expire, by due time up to the first whose
// event is kept: events are purged in order, and deliveries are nearly in that order.
func (d *delivery) expired(ctx context.Context, removed bool) ([]persistence.Delivery, error) {
	rows, err := d.deps.Store.PendingDeliveries(ctx, d.deps.Endpoint.Customer, d.deps.Endpoint.ID, pageMax)
	if removed || err != nil {
		return rows, err
	}
	for i, row := range rows {
		_, err := d.deps.Store.Event(ctx, row.Customer, row.EventID)
		switch {
		case err == nil:
			return rows[:i], nil
		case !errors.Is(err, persistence.ErrNotFound):
			return nil, err
		}
	}
	return rows, nil
}

func (e pageStored) run(d *delivery, _ *actors.Context) { d.state.pageStored(e) }
func (e deliveryStored) run(d *delivery, _ *actors.Context) {
	d.state.deliveryStored(step.NewContext(d.deps.NewID), e.eventID)
}

func (e expireMore) run(d *delivery, _ *actors.Context)      { d.steps.Enqueue(e) }
func (e nextUndelivered) run(d *delivery, _ *actors.Context) { d.steps.Enqueue(e) }

func (e answerResend) run(*delivery, *actors.Context) {
	for _, reply := range e.to {
		reply.Send(struct{}{})
	}
}

func (e answerCount) run(*delivery, *actors.Context) { e.to.Send(e.sent) }
func (e answerTest) run(*delivery, *actors.Context)  { e.to.Send(e.tested) }

func (e disable) run(d *delivery, ctx *actors.Context) {
	ctx.Logger().Warn("endpoint disabled", zap.String("endpoint", e.endpoint.ID), zap.String("reason", e.endpoint.Disabled))
	d.deps.Disable(e.endpoint, e.entry)
}

// reject rejects the callers of a commit that has failed.
func reject(_ *actors.Context, effects []effect, err error) {
	for _, e := range effects {
		switch e := e.(type) {
		case answerResend:
			for _, reply := range e.to {
				reply.Reject(err)
			}
		case answerCount:
			e.to.Reject(err)
		case nextUndelivered:
			e.in.Reject(err)
		case answerTest:
			e.to.Send(e.tested) // the attempt was made
		}
	}
}

// run logs, once, that an event was given up.
func (e warnUndelivered) run(d *delivery, ctx *actors.Context) {
	ctx.Logger().Warn("event undelivered", zap.String("customer", d.deps.Endpoint.Customer), zap.String("endpoint_id", d.deps.Endpoint.ID),
		zap.String("event_id", e.delivery.EventID), zap.String("type", string(e.delivery.Type)),
		zap.Int("attempts", e.delivery.Attempts), zap.String("error", e.delivery.LastError))
}
