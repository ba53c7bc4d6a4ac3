package alerts

import (
	"context"
	"math"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Name is the actor's name under its customer.
const Name = "alerts"

// Deps are what the alerts work with.
type Deps struct {
	Customer string
	Fence    persistence.Fence
	Store    Store
	Journal  Committer
	// Watch asks the market of an exchange to watch a condition; see
	// book.Client.WatchPrice.
	Watch func(ctx context.Context, exchange venues.Venue, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error)
	NewID func(prefix string, at time.Time) string
	Pool  *actors.Pool
}

// Store is what is read at start.
type Store interface {
	Alerts(ctx context.Context, customer string) ([]persistence.Alert, error)
}

// Committer takes commits in order; it is a line of the journal.
type Committer interface {
	Submit(b persistence.Batch, done func(error))
}

// Child describes the alerts for their supervisor. What keeps them from starting
// passes: they try until then.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name: Name, RestartsMax: math.MaxInt,
		Producer: func() actors.Behaviour { return &behaviour{deps: d} },
	}
}

type behaviour struct {
	deps  Deps
	state *state
	// early are the commands that came before the alerts were read.
	early []put
	ready bool
}

// earlyMax bounds them.
const earlyMax = 64

// Started reads the alerts, once what an incarnation before this one has submitted
// is answered.
func (a *behaviour) Started(ctx *actors.Context) {
	a.state = newState(a.deps.Fence)
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

// Stopping ends every watch.
func (a *behaviour) Stopping(*actors.Context) {
	for _, alert := range a.state.alerts {
		if alert.watch != nil {
			alert.watch.Close()
		}
	}
}

// Receive dispatches.
func (a *behaviour) Receive(ctx *actors.Context, msg any) {
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
		a.state.hit(a.moment(), in)
	case stored:
		a.stored(ctx, in)
	default:
		ctx.Unhandled(msg)
	}
	a.finish(ctx)
}

func (a *behaviour) moment() moment {
	now := time.Now()
	return moment{now: now, newID: func(prefix string) string { return a.deps.NewID(prefix, now) }}
}

func (a *behaviour) loaded(ctx *actors.Context, in loaded) {
	if in.err != nil {
		for _, early := range a.early {
			early.Reject(in.err)
		}
		ctx.Fail(in.err)
	}
	a.state.loaded(in.alerts)
	a.ready = true
	for _, early := range a.early {
		a.state.put(early)
	}
	a.early = nil
}

func (a *behaviour) put(in put) {
	switch {
	case a.ready:
		a.state.put(in)
	case len(a.early) < earlyMax:
		a.early = append(a.early, in)
	default:
		in.Reject(actors.ErrBusy)
	}
}

// finish ends a step: what waits for the commit follows it.
func (a *behaviour) finish(ctx *actors.Context) {
	out := a.state.take()
	a.run(ctx, out.now)
	if out.batch.Empty() {
		a.run(ctx, out.after)
		return
	}
	done := actors.ReplyTo(ctx, func(_ struct{}, err error) any { return stored{out, err} })
	a.deps.Journal.Submit(out.batch, func(err error) {
		if err != nil {
			done.Reject(err)
			return
		}
		done.Send(struct{}{})
	})
}

// stored goes on once a step is durable. If it is not, memory is ahead of the
// store, so the alerts start anew from what is durable there; a condition that
// still holds then fires again.
func (a *behaviour) stored(ctx *actors.Context, in stored) {
	if in.err == nil {
		a.run(ctx, in.after)
		return
	}
	for _, e := range in.after {
		if r, is := e.(reply); is {
			r.to.Reject(in.err)
		}
	}
	ctx.Fail(in.err)
}

func (a *behaviour) run(ctx *actors.Context, effects []effect) {
	for _, e := range effects {
		e.run(a, ctx)
	}
}
