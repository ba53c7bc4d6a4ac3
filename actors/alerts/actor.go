// Package alerts is the actor that keeps one customer's price alerts. The books watch
// the prices (actors/book); this actor keeps the records: an alert that fires is
// durable in the same commit as its event.
//
//	armed ── condition begins to hold ──▶ fired     (once)
//	armed ── condition begins to hold ──▶ armed     (repeating, at most every repeatGapMin)
//	armed ◀── changed by the customer ──▶ paused
//
// A condition is watched from the time at which the alert is armed, while the service
// runs: a crossing that happens while it is down is missed; a price above or below the
// value is detected with the first price after the start. A repeating alert that has
// fired does not fire again, also after a restart, until its condition has ceased to
// hold.
package alerts

import (
	"context"
	"math"
	"time"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// Name is the actor's name under its customer.
const Name = "alerts"

// Deps are the dependencies of the alerts.
type Deps struct {
	Customer string
	Fence    persistence.Fence
	Store    Store
	// Journal takes the commits in order; it is the actor's commit queue.
	Journal persistence.Submitter
	// Watch makes the market of an exchange watch a condition; see
	// book.Client.WatchPrice.
	Watch func(ctx context.Context, exchange venues.Venue, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error)
	NewID func(prefix string, at time.Time) string
	Pool  *actors.Pool
}

// Store reads the alerts at the start.
type Store interface {
	Alerts(ctx context.Context, customer string) ([]persistence.Alert, error)
}

// Child returns the specification of the actor. The causes that keep it from starting
// are temporary, so it is restarted without limit.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name: Name, RestartsMax: math.MaxInt,
		Producer: func() actors.Behaviour { return &behaviour{deps: d} },
	}
}

type behaviour struct {
	deps  Deps
	state *state
	steps step.Runner[effect]
	// early are the commands that arrive before the alerts are loaded.
	early step.Early
	ready bool
}

// earlyMax bounds the commands that arrive before the alerts are loaded.
const earlyMax = 64

// Started reads the alerts. It first waits until the commits of the previous
// incarnation are answered.
func (a *behaviour) Started(ctx *actors.Context) {
	a.state = newState(a.deps.Fence)
	a.early.Max = earlyMax
	a.steps = step.Runner[effect]{
		Journal: a.deps.Journal, Handle: a.handle, Finish: a.state.take,
		Run: func(ctx *actors.Context, e effect) { e.run(a, ctx) }, Failed: a.commitFailed,
	}
	err := ctx.Go(a.deps.Pool, func(life context.Context) any {
		if err := persistence.Await(life, a.deps.Journal, persistence.Batch{Fence: a.deps.Fence}); err != nil {
			return loaded{err: err}
		}
		list, err := a.deps.Store.Alerts(life, a.deps.Customer)
		return loaded{list, err}
	})
	if err != nil {
		ctx.Fail(err)
	}
}

// Receive handles one message.
func (a *behaviour) Receive(ctx *actors.Context, msg any) { a.steps.Receive(ctx, msg) }

func (a *behaviour) handle(ctx *actors.Context, msg any) {
	switch in := msg.(type) {
	case loaded:
		a.loaded(ctx, in)
	case put:
		a.put(in)
	case watched:
		a.state.watched(in)
	case watchDue:
		a.state.watchDue(in)
	case hit:
		a.state.hit(step.NewContext(a.deps.NewID), in)
	default:
		ctx.Unhandled(msg)
	}
}

func (a *behaviour) loaded(ctx *actors.Context, in loaded) {
	if in.err != nil {
		a.early.Reject(in.err)
		ctx.Fail(in.err)
	}
	a.state.loaded(in.alerts)
	a.ready = true
	for _, early := range a.early.Take() {
		a.steps.Enqueue(early)
	}
}

func (a *behaviour) put(in put) {
	if a.ready {
		a.state.put(in)
		return
	}
	a.early.Add(in)
}

// commitFailed rejects the callers whose alerts were not stored. Memory is ahead of
// the store, so the actor restarts from what is durable; a condition that still
// holds fires again.
func (a *behaviour) commitFailed(_ *actors.Context, effects []effect, err error) {
	for _, e := range effects {
		if r, is := e.(reply); is {
			r.to.Reject(err)
		}
	}
}
