// Package channel is the actor of one inbound channel. It accepts signals from
// authenticated senders, checks them against the channel's rules, and carries them
// out.
//
// # The path of a signal
//
//		accept ── rules ── durable ── acknowledged ── queued ── plan ── final, durable
//		              │                                  │        │
//		              └─▶ rejected                       └─▶ expired
//		                                                          └─▶ done, ignored, rejected
//
//	  - A signal is a row of the inbox before it is acknowledged. Its requestId is
//	    claimed in the same commit, and each journal row is in the commit of what it
//	    records.
//	  - It begins when all earlier signals for the same account and symbol are
//	    finished (package signalqueue).
//	  - It expires at its maximum age, in whatever state: none of its orders is sent
//	    afterwards.
//	  - The rules are checked when it is received and again before each step: a
//	    channel that has been paused or removed meanwhile begins nothing more. A change
//	    of the record does not restart the actor (Client.Follow), so signals are
//	    accepted while a step is under way.
//	  - Orders go to the account under the signal's own requestId, in a scope of this
//	    channel. After a failure the plan starts again from the inbox: a step that has
//	    been carried out is found in the store and is not repeated.
//	  - Limits that the channel sets on the account (maximum position, no order
//	    opposite to an open position) are checked by the account itself, including
//	    orders in flight. The channel reads nothing that it would act on later.
//
// # Opposite signals
//
// An order opposite to an open position is rejected by the account; the channel's
// policy decides what follows:
//
//	reject   the signal is rejected
//	ignore   the signal is ignored
//	close    the position is closed, nothing is opened
//	reverse  the position is closed, and the other side is opened once it is flat
//
// A position is flat when the venue's list of positions, the account's executions
// and the records of its protective orders agree that nothing is left. The rest of a
// partial close is closed by another order, within flatMax, the signal's age and the
// number of closings. A plan that ends before names what is left, and has opened
// nothing. A channel without a policy sends the order as it is.
//
// The position keeps its protection until it is closed: a close that fails or is
// filled in part must not leave it unprotected, and protection only reduces. The
// account then cancels the protection, where the venue does not do so itself, and
// the plan waits for that: a leg that stayed open would close the next position on
// the same side.
//
// The channel may be killed within each of these steps. The next start repeats the readings, and
// finds by its request id what was ordered:
//
//	step                                 after a kill
//	order against the position           rejected again
//	close of the position, or the rest   the one that was made is found; else it is made
//	readings until it is flat            repeated
//	order of the other side              the one that was made is found; else it is made
//
// # Test mode
//
// A channel in test mode has a DryRun as its Executor, which cannot trade. Signals
// that are received in test mode stay tests when the mode is switched off, and a
// signal received before is not carried out in test mode.
//
// # Preview
//
// Client.Preview plays the same state machine outside the actor: its orders are checked by
// the account instead of placed, and those that pass count as filled. Nothing is sent,
// stored or claimed.
package channel
