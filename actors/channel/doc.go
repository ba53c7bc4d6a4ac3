// Package channel is the actor of one inbound channel: it takes signals whose
// senders are proven, holds them to the channel's rules, and carries them out.
//
// # The way of a signal
//
//		accept ── rules ── durable ── acknowledged ── its turn ── plan ── final, durable
//		              │                                  │           │
//		              └─▶ rejected                       └─▶ expired └─▶ done, ignored, rejected
//
//	  - A signal is a row of the inbox before it is acknowledged; its requestId is
//	    claimed in the same commit, and each row of the journal is part of the
//	    commit of what it tells.
//	  - Its turn comes when all earlier signals for the same account and symbol
//	    are through (package lane).
//	  - It expires at its age, wherever it stands: no order of it leaves
//	    afterwards.
//	  - The rules are looked at when it comes in and again before each step: a
//	    channel that was paused or removed meanwhile begins nothing more. The
//	    actor goes on through a change of its record (Client.Follow), so signals
//	    are taken while a step is under way.
//	  - Orders go to the account under the signal's own requestId, in a scope of
//	    this channel. After a failure the plan begins again from the inbox: a step
//	    that had been carried out is found there and is not carried out twice.
//	  - What the account is held to for the channel's sake (the position's bound,
//	    no order against an open position) is checked by the account itself, with
//	    all that is in flight; nothing is read here first and done later.
//
// # Opposite signals
//
// An order against an open position is refused by the account; then the policy
// of the channel says what follows. "reverse" closes the position, waits until it
// is proven flat, and opens the other side. Flat is what the venue's list of
// positions, the account's executions, and the records of the orders that
// protected the position agree on: none is left. What a close leaves, because it
// was filled in part, is closed by another one: by as many as there are closings,
// within flatMax and the signal's age. A plan that ends before says what remains,
// and has opened nothing. "close" goes on so too, and then opens nothing.
//
// The position keeps its protection until it is closed, on every venue: a close
// that fails, or is filled in part, must not leave it bare, and protection only
// reduces. Then the account withdraws it, where the venue does not do so itself,
// and the proof waits for that: an order that outlived its position would close
// the next one on the same side. The decisions name the withdrawal before the
// close; what they ask for, that it is over before the other side is opened and
// stands in the journal, is kept.
//
// A channel without a policy sends the order as it is.
//
// # Test mode
//
// The actor of a channel in test mode is given a Rehearsal for its Desk, which
// holds nothing that can reach a venue with a write. Signals that came in test
// mode stay tests when the mode is switched, and a signal that came before is
// not carried out in it.
package channel
