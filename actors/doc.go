// Package actors is the kit in which the engine of the service is written, and the only
// wrapper over protoactor-go: no other package imports that module. An actor is a state
// that only its own goroutine accesses, and that is reached by messages only. The kit
// keeps a tree of such actors supervised, bounded and responsive.
//
// # The tree
//
// Supervision, and the reaction to the end of an actor (see Restart):
//
//	tree:begin
//	root
//	├── journal                  permanent  housekeeping of what the store keeps
//	├── venue/<exchange>         permanent  instruments, clock offset, request limits, health
//	│   ├── market/<n>           permanent  one public connection
//	│   └── book/<symbol>        transient  local book, its views, candles, last trades
//	└── customer/<id>            transient  what one customer owns, and whether it is ready
//	    ├── signalqueue          permanent  strict order of signals per account and symbol
//	    ├── alerts               permanent  the customer's price alerts
//	    ├── account/<exchange>   permanent  orders, positions, balance, risk, in strict order
//	    │   └── private          permanent  the private connection and reconciliation
//	    ├── channel/<hook>       transient  one inbound channel: rules, plans, inbox
//	    └── delivery/<endpoint>  transient  one endpoint's queue of events
//	tree:end
//
// A name is stable and unique among siblings. The names joined by slashes are the path:
// the address of the actor (Ref) and its name in logs, the same after every restart. The
// root is the kit's own.
//
// # How to write an actor
//
// Each actor is a package with the same files. The example of this package shows a small
// one as a whole.
//
//   - protocol.go: the messages, unexported structs, with a table of sender and reply.
//     Commands are imperatives (placeOrder), events past tense (orderFilled), results of
//     the actor's own effects end in what happened (loaded, placeDone).
//   - client.go: Client, the only way to use the actor, for handlers, other actors and
//     tests alike. Its methods take and return plain values, so that the actor could run
//     in another process.
//   - actor.go: Child, Deps and the Behaviour. Its Receive only dispatches: one line per
//     message, and ctx.Unhandled for the rest.
//   - state.go: a pure state machine, messages in, effects out. Time, ids and randomness
//     are passed in as values.
//   - effects.go: the effects, and how they are run.
//
// An actor that commits its changes runs its steps through package actors/step, which
// submits the batch of each step and runs the effects once it is durable.
//
// # Rules
//
// Receive never blocks: no I/O, no Ask, no lock that is held during I/O, no channel
// operation. I/O is an effect (Context.Go) in a bounded Pool. Its result is delivered as a
// message, which has the id of its subject and is checked against the current state. Work
// that lasts as long as the actor, such as reading a connection, is a Loop.
//
// Messages are immutable once sent: no map or slice that the sender keeps, no string from
// a request buffer that is reused. They contain no secrets. The kit logs the types of
// messages, never their contents, and of a panic only its error or text.
//
// Actors send each other messages with Tell. Ask is for callers outside of actors and has a
// deadline; an actor that needs an answer sends a request with ReplyTo and receives the
// answer as a message. After ErrDeadline and ErrFailed the request may still have been
// carried out, so commands have an id and can be repeated; after ErrBusy and ErrStopped it
// was not.
//
// Invalid input is rejected (Reply.Reject). A panic is a bug. An actor that cannot work,
// because something that it needs is not available, calls Context.Fail.
//
// # Limits
//
// Every mailbox has a limit, 1024 messages unless the Child sets another, and rejects
// messages beyond it: a request is answered with ErrBusy immediately, and every rejection
// is counted. Senders never block. Results of effects, answers, timers and messages that
// embed Internal are exempt, since losing them would be worse; their number is bounded in
// other ways. Market data is not queued at all: a newer message replaces an older one.
//
// A Pool bounds the running and the queued effects, and refuses more with ErrBusy.
//
// # Life cycle
//
// A Producer returns a Behaviour for one incarnation. Everything that an incarnation has
// started ends with it: effects (their context is cancelled, their results are dropped),
// loops, timers, children. Its mailbox and its address remain. State that must survive is
// in the store, or at the venue, and is loaded again in Started.
//
// Every request is answered: when an incarnation ends, for whatever reason, its open
// requests are rejected with ErrFailed.
//
// When an actor fails, the messages in its mailbox stay, and its supervisor restarts it
// after a random delay whose bound doubles. An actor that fails too often is given up: its
// parent receives ChildEnded or, if the child is Permanent, fails itself. The loss of a
// Permanent actor at the top closes System.Done, on which the process must end: a process
// without its journal must not look healthy.
//
// An orderly stop begins at the leaves. Siblings are stopped one after the other, the
// youngest first, adjacent ones of one kind together: new requests are rejected with
// ErrStopped, pending ones are handled, children end, Stopping runs, effects finish. Calls
// to venues and the like are cancelled (NewCallPool), so that a missing answer does not
// delay a stop. An actor that takes longer than StopTimeout is killed.
//
// # Observing
//
// System.Stats counts by kind of actor, the first segment of its name. The figures to
// watch are Waiting and Rejections (more work arrives than is done), Busy relative to the
// time passed (near one, an actor is the bottleneck), Restarts, DeadLetters, and Running
// relative to RunningMax of pools.
//
// # Testing
//
// Package actortest runs actors in virtual time, optionally in an order decided by a seed.
package actors
