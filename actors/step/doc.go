// Package step runs an actor as a sequence of steps: a message changes the actor's
// state in memory, the change is committed to the journal, and after that its effects
// are carried out.
//
// One message is one step:
//
//	message ─▶ Handle: change the state
//	        ─▶ Finish: return the Output {Batch, Now, After}
//	        ─▶ run the effects of Now
//	        ─▶ submit Batch ─ ─ ─ durable ─ ─ ▶ run the effects of After
//
// The state of such an actor (state.go) is a deterministic state machine, which
// collects one Output per step. An effect is a value, of a type that the
// actor's package declares: a request to a venue, a read of the store, a timer, a
// reply to a caller, an update of a stream. Effects run on the actor's goroutine
// and must not block; I/O goes into a pool (actors.Context.Go) and its result is
// the message of a later step.
//
// # Use
//
// The actor creates a Runner when it starts and passes every message to it:
//
//	func (a *account) Started(ctx *actors.Context) {
//		a.state = newState(...)
//		a.steps = step.Runner[effect]{
//			Journal: a.deps.Journal,
//			Handle:  a.handle, // the switch over the messages
//			Finish:  func() step.Output[effect] { return a.state.take() },
//			Run:     func(ctx *actors.Context, e effect) { e.run(a, ctx) },
//			Failed:  a.commitFailed,
//		}
//	}
//
//	func (a *account) Receive(ctx *actors.Context, msg any) { a.steps.Receive(ctx, msg) }
//
// A change without a message, such as that of Stopping, goes through Do.
//
// # Order
//
// Batches become durable in the order of their steps, and so their After effects
// run in that order. The effects of a step without a batch run immediately, unless
// the Runner is Ordered: then they run after those of all earlier steps.
//
// Steps never nest. An effect whose result is known immediately (its pool is full, or
// a check rejects it) passes the message with the result to Enqueue. The message is
// handled as the next step, after the remaining effects of the current one.
//
// # Failure
//
// A batch that was not committed leaves the state ahead of the store. The Runner
// therefore calls Failed, which answers the callers whose result is certain, and
// then fails the actor, which is restarted and loads what is durable. The exception is
// a batch that only creates an object (Output.Creates), if the store has rejected it as a
// whole (persistence.IsRejected): Refused drops the object from memory, and the actor
// continues.
//
// # Requests before the state is loaded
//
// Early keeps the requests that arrive while an actor loads its state. After that the
// actor enqueues them, each as a step of its own.
package step
