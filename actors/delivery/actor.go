package delivery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
)

// Store is what the queue reads.
type Store interface {
	EndpointCursor(ctx context.Context, customer, endpoint string) (persistence.EndpointCursor, error)
	EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error)
	Event(ctx context.Context, customer, id string) (persistence.Event, error)
	PendingDeliveries(ctx context.Context, customer, endpoint string, limit int) ([]persistence.Delivery, error)
	Deliveries(ctx context.Context, q persistence.DeliveryQuery) (persistence.Page[persistence.Delivery], error)
}

// Committer takes commits in order; done is called once, in order, and must not
// block. It is a line of the journal.
type Committer interface {
	Submit(b persistence.Batch, done func(error))
}

// Sender makes one attempt and returns when it is decided or ctx has ended. at is
// the moment of the attempt, which is signed.
type Sender interface {
	Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt
}

// Deps are what the queue works with.
type Deps struct {
	Endpoint persistence.Endpoint
	// Fence of the customer.
	Fence    persistence.Fence
	Store    Store
	Journal  Committer
	Sender   Sender
	Schedule Schedule
	NewID    func(prefix string, at time.Time) string
	// Pool carries the reads of the store.
	Pool *actors.Pool
	// Disable is told that the other end is gone: the record with its reason,
	// and the journal row that is to be committed with it. It must not block. It
	// is told again each pollPeriod for as long as the actor is not ended.
	Disable func(persistence.Endpoint, persistence.JournalEntry)
}

const (
	// MailboxMax is how many commands may wait for one queue.
	MailboxMax = 256
	// pollPeriod is how often the queue looks for events unasked, since a wake
	// may have been lost.
	pollPeriod = time.Minute
	pollJitter = 10 * time.Second
)

// Child describes the queue for its supervisor, the customer.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name:       Name(d.Endpoint.ID),
		Producer:   func() actors.Behaviour { return &delivery{deps: d} },
		Restart:    actors.Transient,
		MailboxMax: MailboxMax,
		// What keeps a queue from working is the store, which passes or is for
		// the operator to mend: it tries until then.
		RestartsMax: math.MaxInt,
	}
}

// Name is that of an endpoint's queue among the children of its customer.
func Name(endpointID string) string { return "delivery/" + endpointID }

type delivery struct {
	deps  Deps
	state *state
}

// Started loads the queue.
func (d *delivery) Started(ctx *actors.Context) {
	d.state = newState(d.deps.Endpoint, d.deps.Fence, d.deps.Schedule)
	d.begin(ctx)
	ctx.Timers().Every("poll", pollPeriod, pollJitter, poll{})
}

func (d *delivery) begin(ctx *actors.Context) {
	if err := ctx.Go(d.deps.Pool, d.load); err != nil {
		ctx.Fail(fmt.Errorf("load the queue: %w", err))
	}
}

// Receive dispatches.
func (d *delivery) Receive(ctx *actors.Context, msg any) {
	m := d.moment()
	switch in := msg.(type) {
	case wake:
		d.state.woken(in.seq)
	case resend:
		d.state.resend(m, in)
	case resendAll:
		d.state.resendAll(in)
	case test:
		d.state.test(m, in)
	case loaded:
		d.loaded(ctx, in)
	case loadDue:
		d.begin(ctx)
	case eventsRead:
		d.warn(ctx, "read events", in.err)
		d.state.eventsRead(m, in)
	case pendingRead:
		d.warn(ctx, "read pending deliveries", in.err)
		d.state.refilled(m, in)
	case deliveryFound:
		d.state.deliveryFound(m, in)
	case undeliveredRead:
		d.state.undeliveredRead(m, in)
	case lapsedRead:
		d.warn(ctx, "read what has lapsed", in.err)
		d.state.lapsedRead(m, in)
	case attempted:
		d.warn(ctx, "read the event", in.unread)
		d.state.attempted(m, in)
	case tested:
		d.state.tested(m, in)
	case committed:
		d.committed(ctx, in)
	case poll:
		d.state.polled()
	case tick:
	default:
		ctx.Unhandled(msg)
	}
	d.finish(ctx, m)
	if d.state.over {
		ctx.Stop()
	}
}

// Stopping begins nothing more; attempts under way are cut off.
func (d *delivery) Stopping(*actors.Context) { d.state.halt() }

// loaded begins the work, or, where the store takes nothing now, asks it again.
func (d *delivery) loaded(ctx *actors.Context, in loaded) {
	switch {
	case errors.Is(in.err, persistence.ErrUnavailable):
		ctx.Timers().After("load", storeRetry, loadDue{})
	case in.err != nil:
		ctx.Fail(fmt.Errorf("load the queue: %w", in.err))
	default:
		d.state.loaded(in)
	}
}

func (d *delivery) moment() moment {
	now := time.Now()
	return moment{now: now, newID: func(prefix string) string { return d.deps.NewID(prefix, now) }}
}

func (d *delivery) warn(ctx *actors.Context, what string, err error) {
	if err != nil {
		ctx.Logger().Warn("the store does not answer", zap.String("while", what), zap.Error(err))
	}
}

// finish ends a step: what it changed is committed first, and carried on with
// afterwards. Steps that change nothing carry on at once, and may ask for more.
func (d *delivery) finish(ctx *actors.Context, m moment) {
	for {
		out := d.state.finish(m)
		run(d, ctx, out.now)
		if !out.batch.Empty() {
			d.commit(ctx, out)
			break
		}
		if len(out.after) == 0 {
			break
		}
		run(d, ctx, out.after)
	}
	d.plan(ctx, m.now)
}

func run(d *delivery, ctx *actors.Context, effects []effect) {
	for _, e := range effects {
		e.run(d, ctx)
	}
}

func (d *delivery) commit(ctx *actors.Context, out output) {
	done := actors.ReplyTo(ctx, func(_ struct{}, err error) any { return committed{out.after, err} })
	d.deps.Journal.Submit(out.batch, func(err error) {
		if err != nil {
			done.Reject(err)
			return
		}
		done.Send(struct{}{})
	})
}

// committed goes on. If a commit was not confirmed, memory may differ from the
// store, so the queue starts anew from what is durable.
func (d *delivery) committed(ctx *actors.Context, in committed) {
	if in.err != nil {
		reject(in.after, in.err)
		ctx.Fail(fmt.Errorf("commit deliveries: %w", in.err))
	}
	run(d, ctx, in.after)
}

// plan sets the timer of the next step.
func (d *delivery) plan(ctx *actors.Context, now time.Time) {
	due := d.state.nextDue(now)
	if due.IsZero() {
		ctx.Timers().Cancel("due")
		return
	}
	ctx.Timers().After("due", max(0, time.Until(due)), tick{})
}
