// Package step runs an actor as a sequence of steps: a message changes the
// actor's state in memory, the change is committed to the journal, and only then
// does the rest of the world see it.
//
// One message is one step:
//
//	message ─▶ Handle: change the state
//	        ─▶ Finish: return the Output {Batch, Now, After}
//	        ─▶ run the effects of Now
//	        ─▶ submit Batch ─ ─ ─ durable ─ ─ ▶ run the effects of After
//
// An actor of this kind has a state (state.go) that is a pure machine, and
// collects in it one Output per step. An effect is a value, of a type that the
// actor's package declares: a request to a venue, a read of the store, a timer, a
// reply to a caller, an update of a stream. Effects run on the actor's goroutine
// and must not block; I/O goes into a pool (actors.Context.Go) and its result is
// the message of a later step.
//
// # Use
//
// The actor makes a Runner when it starts and passes every message to it:
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
// A change that no message causes, such as that of Stopping, goes through Do.
//
// # Order
//
// Batches become durable in the order of their steps, and so their After effects
// run in that order. The effects of a step without a batch run immediately, unless
// the Runner is Ordered: then they run behind those of all earlier steps.
//
// Steps never nest. An effect that is decided at once (its pool is full, a check
// forbids it) calls Enqueue with the message that reports it; the message is a step
// of its own, after the remaining effects of the step under way.
//
// # Failure
//
// A batch that was not committed leaves the state ahead of the store. The Runner
// therefore calls Failed, which answers the callers about whom something is
// certain, and then fails the actor, which is restarted and loads what is durable.
// The exception is a batch with a Claim that the store refused entirely
// (persistence.IsRejected): Refused undoes it in memory, and the actor continues.
//
// # Requests before the state is loaded
//
// Early keeps the requests that arrive while an actor loads its state. Once it is
// loaded they are enqueued, each as a step of its own.
package step
