package alerts

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// effect is what the state wants done outside itself.
type effect interface {
	run(a *behaviour, ctx *actors.Context)
}

type (
	// watch asks a book to watch the alert's condition; the answer is watched.
	watch struct {
		id         string
		generation int
		exchange   venues.Venue
		symbol     string
		condition  venues.PriceCondition
	}
	unwatch    struct{ watch venues.PriceWatch }
	retryWatch struct {
		after time.Duration
		due   watchDue
	}
	reply struct {
		to    actors.Reply[persistence.Alert]
		alert persistence.Alert
	}
)

// watchMax bounds the wait for a book.
const watchMax = 10 * time.Second

func (e watch) run(a *behaviour, ctx *actors.Context) {
	self := ctx.Self()
	err := ctx.Go(a.deps.Pool, func(life context.Context) any {
		bounded, cancel := context.WithTimeout(life, watchMax)
		defer cancel()
		w, err := a.deps.Watch(bounded, e.exchange, e.symbol, e.condition, func(price venues.PriceHit) {
			self.Tell(hit{id: e.id, generation: e.generation, price: price})
		})
		if err != nil {
			return watched{id: e.id, generation: e.generation, err: err}
		}
		return watched{id: e.id, generation: e.generation, watch: endWith(life, w)}
	})
	if err != nil {
		a.Receive(ctx, watched{id: e.id, generation: e.generation, err: err})
	}
}

// lease is a watch that does not outlive the incarnation that asked for it: one
// that fails is not asked to close anything.
type lease struct {
	venues.PriceWatch
	keep func() bool
}

func endWith(life context.Context, w venues.PriceWatch) venues.PriceWatch {
	return lease{w, context.AfterFunc(life, w.Close)}
}

// Close ends the watch now.
func (l lease) Close() {
	l.keep()
	l.PriceWatch.Close()
}

func (e unwatch) run(*behaviour, *actors.Context) { e.watch.Close() }

func (e retryWatch) run(_ *behaviour, ctx *actors.Context) {
	ctx.Logger().Debug("watch again", zap.String("alert", e.due.id), zap.Duration("after", e.after))
	ctx.Timers().After("watch/"+e.due.id, e.after+ctx.Jitter(e.after/4), e.due)
}

func (e reply) run(*behaviour, *actors.Context) { e.to.Send(e.alert) }
