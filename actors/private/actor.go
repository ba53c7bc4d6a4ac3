// Package private is the actor that keeps an account's private connection open
// as long as the account lives. The connection reconnects by itself; this actor
// gives it an owner and an end. What it receives goes straight to the account.
package private

import (
	"context"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are what the connection is opened with.
type Deps struct {
	Open   func(venues.PrivateSink) venues.PrivateFeed
	Events venues.PrivateSink
}

// Child describes the private connection for its account.
func Child(d Deps) actors.Child {
	return actors.Child{Name: "private", Producer: func() actors.Behaviour { return &private{deps: d} }}
}

type private struct{ deps Deps }

// Started opens the connection; the loop closes it with the actor's end.
func (p *private) Started(ctx *actors.Context) {
	ctx.Loop(func(life context.Context) any {
		feed := p.deps.Open(p.deps.Events)
		<-life.Done()
		feed.Close()
		return nil
	})
}

// Receive knows no message.
func (p *private) Receive(ctx *actors.Context, msg any) { ctx.Unhandled(msg) }
