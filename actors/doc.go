// Package actors is the kit in which the engine of the service is written, and
// the only wrapper over protoactor-go: no other package imports that module. An
// actor owns its state alone and is reached only by messages. What the kit adds
// is that a tree of such actors stays responsive, bounded and alive.
//
// # The tree
//
// Who supervises whom, and what the end of an actor means (see Restart):
//
//	tree:begin
//	root
//	├── journal                  permanent  housekeeping of what the store keeps
//	├── venue/<exchange>         permanent  catalogue, clock offset, request limits, health
//	│   ├── market/<n>           permanent  one public connection
//	│   └── book/<symbol>        transient  local book, its views, candles, last trades
//	└── customer/<id>            transient  what one customer owns, and whether it is ready
//	    ├── lanes                permanent  strict order of signals per account and symbol
//	    ├── alerts               permanent  the customer's price alerts
//	    ├── account/<exchange>   permanent  orders, positions, balance, risk, in strict order
//	    │   └── private          permanent  the private connection and reconciliation
//	    ├── channel/<hook>       transient  one inbound channel: rules, plans, inbox
//	    └── delivery/<endpoint>  transient  one endpoint's queue of events
//	tree:end
//
// A name is stable and unique among siblings; joined by slashes names make the
// path, which is the address of the actor (Ref), its name in logs, and the same
// after every restart. The root is the kit's own.
//
// # An actor
//
// Each actor is a package with the same files. The package's Example shows one
// whole.
//
//   - protocol.go: the messages, unexported pointers to structs, with a table of
//     who sends which. Commands are imperatives (placeOrder), events past tense
//     (orderFilled), results of own effects end in what happened (placed).
//   - client.go: Client, the only way in, for edges, actors and tests alike. Its
//     methods take and return plain values, so that an actor of another process
//     could stand behind it.
//   - actor.go: the Behaviour. It only dispatches: one line per message, and
//     ctx.Unhandled for the rest.
//   - state.go: a pure machine, event in, effects out. Time, ids and randomness
//     come in as values.
//   - effects.go: how the effects that the machine asks for are carried out.
//
// # Rules
//
// Receive never waits: no I/O, no Ask, no lock that is held during I/O, no
// channel. I/O is an effect (Context.Go) in a bounded Pool, and its outcome comes
// back as a message, which carries the id of what it belongs to and is checked
// against the state of now. What lasts as long as the actor, such as reading a
// connection, is a Loop.
//
// Messages are immutable once sent: no map or slice that the sender keeps, no
// string of a request whose buffer is reused. They hold no secrets. The kit logs
// the types of messages, never messages, and of a panic its error or text alone.
//
// Tell is the rule between actors. Ask belongs to the edge and carries a
// deadline; an actor that wants another's answer sends a request with ReplyTo and
// receives the answer. After ErrDeadline and ErrFailed the request may still have
// been carried out, so commands carry an id and can be repeated; ErrBusy and
// ErrStopped prove that it was not.
//
// Bad input is answered (Reply.Reject), never panicked on. A panic is a bug; what
// the actor cannot go on without and does not have is Context.Fail.
//
// # Limits
//
// Every mailbox has a limit, 1024 messages unless the Child says otherwise, and
// refuses beyond it: a request is answered with ErrBusy at once, and every
// refusal is counted. Nothing blocks and nothing spins. Results of effects,
// answers, timers and messages that embed Internal pass, since to lose them
// would be worse; whoever sends them is bounded otherwise. Market data is not
// queued at all but replaced by the newest.
//
// A Pool bounds what runs and what waits, and refuses beyond that with ErrBusy.
//
// # Life
//
// A Producer makes a Behaviour for one incarnation. All that an incarnation has
// started ends with it: effects (their context is canceled, their results are
// dropped), loops, timers, children. Its mailbox and its address stay. State that
// must survive is in the store, or at the venue, and is read again in Started.
//
// Whoever asks is answered: when an incarnation ends, for whatever reason, the
// requests that it has taken and not answered are answered with ErrFailed.
//
// When an actor fails, what waits in its mailbox goes on waiting, and its supervisor
// restarts it after a random wait whose bound doubles. An actor that fails too often is given up:
// its parent is told by ChildEnded, or, if the child is Permanent, fails itself.
// The loss of a Permanent actor at the top closes System.Done, on which the
// process must end: a process without its journal should not look alive.
//
// An orderly stop goes from the leaves up, the youngest sibling first, one after
// the other, but neighbours of one kind together: new requests are refused with
// ErrStopped, what waits is handled, children end, Stopping runs, effects come back.
// Calls to somebody else are ended (NewCallPool), so that nobody's silence holds up
// a stop. Whoever takes longer than StopTimeout is cut off.
//
// # Observing
//
// System.Stats counts by kind of actor, the first segment of its name. The
// figures to watch are Waiting and Rejections (work comes faster than it is
// done), Busy against time passed (near one, an actor is the bottleneck),
// Restarts, DeadLetters, and Running against RunningMax of pools.
//
// # Testing
//
// Package actortest runs actors in virtual time, and by seed if wanted.
package actors
