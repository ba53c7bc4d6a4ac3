package account

import (
	"errors"
	"sync/atomic"
)

// gate is asked by the pool's goroutines right before a request leaves: an order
// may have waited there while the account was closed.
type gate struct{ closed atomic.Bool }

// errGateClosed proves that a request was not sent.
var errGateClosed = errors.New("the account was closed to increasing orders")

// set is called by the actor after each step, before anything of it is durable.
func (g *gate) set(closed bool) { g.closed.Store(closed) }

// pass gives what the pool asks; an order that reduces passes at any time.
func (g *gate) pass(reduces bool) func() bool {
	return func() bool { return reduces || !g.closed.Load() }
}
