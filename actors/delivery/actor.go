package delivery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/step"
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

// Sender makes one attempt and returns its outcome, at the latest when ctx ends. at is
// the time of the attempt, which is part of the signature.
type Sender interface {
	Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt
}

// Deps are the dependencies of a queue.
type Deps struct {
	Endpoint persistence.Endpoint
	// Fence is the fence of the customer.
	Fence    persistence.Fence
	Store    Store
	Journal  persistence.Submitter // the actor's commit queue
	Sender   Sender
	Schedule Schedule
	NewID    func(prefix string, at time.Time) string
	// Pool runs the reads of the store.
	Pool *actors.Pool
	// Monitor publishes the health of the queue; nil publishes it nowhere.
	Monitor *Monitor
	// Disable is called when the other end no longer exists, with the disabled record
	// and the journal row to be committed with it. It must not block. It is called
	// again each pollPeriod until the actor is stopped.
	Disable func(persistence.Endpoint, persistence.JournalEntry)
}

const (
	// MailboxMax bounds the pending commands of one queue.
	MailboxMax = 256
	// pollPeriod is the interval at which the queue looks for events on its own, since
	// a wake may have been lost.
	pollPeriod = time.Minute
	pollJitter = 10 * time.Second
)

// Child returns the specification of a queue for its supervisor, the customer.
func Child(d Deps) actors.Child {
	if d.Monitor == nil {
		d.Monitor = NewMonitor(&Counts{})
	}
	return actors.Child{
		Name:       Name(d.Endpoint.ID),
		Producer:   func() actors.Behaviour { return &delivery{deps: d} },
		Restart:    actors.Transient,
		MailboxMax: MailboxMax,
		// A queue fails when the store does, which is temporary or for the operator to
		// repair: it is restarted without limit.
		RestartsMax: math.MaxInt,
	}
}

// Name returns the name of an endpoint's queue among the children of its customer.
func Name(endpointID string) string { return "delivery/" + endpointID }

type delivery struct {
	deps  Deps
	state *state
	steps step.Runner[effect]
	// stopping is set by Stopping; results of effects still arrive after it.
	stopping bool
}

// Started loads the queue.
func (d *delivery) Started(ctx *actors.Context) {
	d.state = newState(d.deps.Endpoint, d.deps.Fence, d.deps.Schedule)
	d.state.counts = d.deps.Monitor.counts
	d.steps = step.Runner[effect]{
		Journal: d.deps.Journal, Handle: d.handle, Failed: reject,
		Finish: func() step.Output[effect] { return d.state.finish(step.NewContext(d.deps.NewID)) },
		Run:    func(ctx *actors.Context, e effect) { e.run(d, ctx) },
	}
	d.startLoad(ctx)
	ctx.Timers().Every("poll", pollPeriod, pollJitter, poll{})
}

func (d *delivery) startLoad(ctx *actors.Context) {
	if err := ctx.Go(d.deps.Pool, d.load); err != nil {
		ctx.Fail(fmt.Errorf("load the queue: %w", err))
	}
}

// Receive handles one message.
func (d *delivery) Receive(ctx *actors.Context, msg any) {
	d.steps.Receive(ctx, msg)
	d.plan(ctx, time.Now())
	if !d.stopping {
		d.deps.Monitor.publish(d.state.window.health())
	}
	if d.state.finished {
		ctx.Stop()
	}
}

func (d *delivery) handle(ctx *actors.Context, msg any) {
	m := step.NewContext(d.deps.NewID)
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
		d.startLoad(ctx)
	case eventsRead:
		d.logError(ctx, "read events", in.err)
		d.state.eventsRead(m, in)
	case pendingRead:
		d.logError(ctx, "read pending deliveries", in.err)
		d.state.refilled(m, in)
	case deliveryFound:
		d.state.deliveryFound(m, in)
	case undeliveredRead:
		d.state.undeliveredRead(m, in)
	case expiredRead:
		d.logError(ctx, "read expired deliveries", in.err)
		d.state.expiredRead(m, in)
	case attemptDone:
		d.logError(ctx, "read the event", in.unread)
		d.state.attemptDone(m, in)
	case testDone:
		d.state.testDone(m, in)
	case expireMore:
		d.state.expire()
	case nextUndelivered:
		d.state.readUndelivered(in.findUndelivered)
	case poll:
		d.state.polled()
	case tick:
	default:
		ctx.Unhandled(msg)
	}
}

// Stopping starts nothing more; attempts under way are interrupted.
func (d *delivery) Stopping(*actors.Context) {
	d.stopping = true
	d.state.halt()
	d.deps.Monitor.publish(Health{})
}

// loaded starts the work, or loads again later if the store accepts nothing now.
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

func (d *delivery) logError(ctx *actors.Context, what string, err error) {
	if err != nil {
		ctx.Logger().Warn("read from the store failed", zap.String("while", what), zap.Error(err))
	}
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
