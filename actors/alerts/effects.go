package alerts

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// effect is I/O, a reply, or a change of a timer, that follows a step.
type effect interface {
	run(a *behaviour, ctx *actors.Context)
}

type (
	// watch makes a book watch the alert's condition; its result is watched.
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

// watchMax bounds the request to a book.
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
		return watched{id: e.id, generation: e.generation, watch: lease{w, context.AfterFunc(life, w.Close)}}
	})
	if err != nil {
		a.steps.Enqueue(watched{id: e.id, generation: e.generation, err: err})
	}
}

// lease is a watch that is closed at the end of the incarnation that opened it.
type lease struct {
	venues.PriceWatch
	keep func() bool
}

// Close closes the watch.
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
