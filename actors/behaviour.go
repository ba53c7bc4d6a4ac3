package actors

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"
)

// Behaviour is what an actor does. One value serves one incarnation: after a
// failure the Child's Producer makes a new one.
//
// The kit calls its methods one at a time, so a Behaviour needs no lock. None of them
// may block. A panic is a bug and ends the incarnation; invalid input is rejected.
type Behaviour interface {
	// Receive handles one message. Its default case calls ctx.Unhandled.
	Receive(ctx *Context, msg any)
}

// Starter is a Behaviour with something to do before its first message: load its
// state, start children, set timers.
type Starter interface {
	Started(ctx *Context)
}

// Stopper is a Behaviour with something to finish in an orderly stop. Stopping runs when
// the mailbox is empty and the children have ended. The stop waits for the effects that
// it starts, and their results are received.
//
// It does not run when the actor fails or is killed. Resources that must be released in
// that case too are tied to ctx.Lifetime (context.AfterFunc); state that must survive is
// in the store.
type Stopper interface {
	Stopping(ctx *Context)
}

// Context is an actor's access to the kit. It belongs to one incarnation and is
// used on the actor's own goroutine only: inside Receive, Started and Stopping.
type Context struct {
	shell *shell
}

// Self returns the actor's own address.
func (c *Context) Self() Ref { return c.shell.cell.ref() }

// Logger returns a logger with the actor's path.
func (c *Context) Logger() *zap.Logger { return c.shell.cell.logger }

// Lifetime returns a context that ends with this incarnation: when the actor stops,
// fails or is restarted.
func (c *Context) Lifetime() context.Context { return c.shell.lifetime }

// Timers returns the timers of this incarnation.
func (c *Context) Timers() *Timers { return &c.shell.timers }

// Children returns the actors that this one has started and supervises.
func (c *Context) Children() *Children { return &c.shell.children }

// Stop starts the orderly stop of this actor, as its parent could: no new requests,
// children first, then Stopping, then the effects under way.
func (c *Context) Stop() { c.shell.cell.requestStop() }

// Fail ends this incarnation with err; the supervisor decides what follows. It does not
// return. It is for conditions under which the actor cannot work, such as state that
// could not be loaded; panics are reserved for bugs.
func (c *Context) Fail(err error) {
	panic(&failure{err: err, expected: true})
}

// Unhandled counts a message that Receive does not know, and logs its type. In
// actortest it fails the test.
func (c *Context) Unhandled(msg any) {
	cell := c.shell.cell
	cell.counters.unhandled.Add(1)
	cell.logger.Warn("unhandled message", zap.String("message_type", fmt.Sprintf("%T", msg)))
	if observe := cell.system.observer.Unhandled; observe != nil {
		observe(cell.path, msg)
	}
}

// Jitter returns a random duration from 0 to limit, repeatable under a seed.
func (c *Context) Jitter(limit time.Duration) time.Duration { return c.shell.cell.system.jitter(limit) }
