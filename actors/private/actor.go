// Package private is the actor that owns an account's private connection: it opens the
// connection when it starts and closes it when it stops. The connection reconnects on
// its own. Its messages go directly to the account, which is the sink of the feed.
package private

import (
	"context"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are the dependencies of a private connection.
type Deps struct {
	Open   func(venues.PrivateSink) venues.PrivateFeed
	Events venues.PrivateSink
	// Streams counts the connection; nil counts nothing.
	Streams *Streams
}

// Child returns the specification of the actor, a child of the account.
func Child(d Deps) actors.Child {
	return actors.Child{Name: "private", Producer: func() actors.Behaviour { return &private{deps: d} }}
}

type private struct{ deps Deps }

// Started opens the connection; the loop closes it when the actor ends.
func (p *private) Started(ctx *actors.Context) {
	ctx.Loop(func(life context.Context) any {
		sink := p.deps.Streams.count(p.deps.Events)
		feed := p.deps.Open(sink)
		<-life.Done()
		feed.Close()
		sink.end()
		return nil
	})
}

// Receive handles no messages.
func (p *private) Receive(ctx *actors.Context, msg any) { ctx.Unhandled(msg) }
