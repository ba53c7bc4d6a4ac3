// Package protection decides how the positions that orders open are protected: it
// keeps a stop loss and a take profit at the venue for as long as there is something
// to protect, and closes what cannot be protected.
//
// It is a deterministic part of the account. Orders, positions and times come in as
// values; what is to be sent, stored or reported goes out through Port. It has no
// clock, makes no ids, reads no store and starts no goroutine. Its types must be used
// by one goroutine at a time.
//
// # Terms
//
//   - An entry is an order with a stop loss, a take profit or both.
//   - A leg is a stop order at the venue that protects an entry, of one kind: stop loss
//     or take profit. Legs are reduce-only. An attached leg is one that the venue makes
//     itself with the entry; one such order may hold both triggers. Where the venue
//     attaches none, or where its own did not appear, the service places the legs.
//   - A bracket is the protection of one entry: its legs and their due times.
//   - A position is unprotected while a leg that it should have is not live.
//   - An exit is the market order that closes a position which cannot be protected.
//   - A move is a change of stop loss or take profit that a client requested.
//   - To withdraw an order is to cancel it by a decision of the service. A superseded leg
//     has a newer one of its kind; a retired leg no longer counts as protection, although
//     it may still be open.
//
// # Life of a bracket
//
// The states of a kind are those of venues.ProtectionLeg, which is stored with the
// entry:
//
//	            leg is live             leg is triggered
//	pending ─────────────────▶ live ─────────────────────▶ triggered
//	 │ ▲ ▲                      │ │                           │
//	 │ │ └──────────────────────┘ │ position is closed        │
//	 │ │  entry fills more,       │ or protection removed     │
//	 │ │  leg ends or is moved    ▼                           │
//	 │ │                      cancelled                       │
//	 │ └──────────────────────────────────────────────────────┘
//	 │                 a part is still open
//	 ├──▶ cancelled    position is closed, or protection removed
//	 └──▶ failed       closed by exits: unprotected for CloseAfter, or
//	                   the price is past the trigger
//
// A fill makes its kinds pending and due SettleDelay later, so that a burst is covered
// by one leg. A fill without live legs for Policy.AlarmAfter raises an alarm; where
// the venue attaches legs, the service then compares the account with the venue and
// places its own. After Policy.CloseAfter the position is closed by exits, unless
// Policy.KeepOpen.
//
// # Invariants
//
//   - A leg is replaced after its successor is live: the position is never unprotected
//     in between. Until then both are at the venue; being reduce-only they cannot
//     close more than is open.
//   - In the end each kind has one open leg, of the size that is open and at the price
//     of the record, or the position is being closed. Nothing is left at the venue
//     when the position is closed.
//   - What legs close is subtracted from the quantity to protect once. What is open
//     after a triggered leg has ended is protected again: the entry filled more
//     because its cancel arrived late, or the venue has ended the leg early. What a
//     leg did not close because others had is, by the executions, not open.
//   - A leg that the venue ends is placed again only once the position is known to be
//     open, and one that the venue attaches only once a reconciliation has
//     shown that it is not there.
//   - A rejected move restores what was in force before. A leg that waits at another
//     price than its entry names is replaced; where somebody else has moved a leg, the
//     entry follows.
//   - A triggered leg cancels the rest of its entry and, when it has ended, the other
//     legs.
//
// # Files
//
// step.go has the port and the values of a step, order.go and bracket.go the state.
// check.go checks requested prices, policy.go configures. place.go places legs,
// attached.go recognizes the venue's own, follow.go follows both, withdraw.go cancels
// them with the position, closing.go raises alarms and closes. move.go and moved.go
// change protection, stops.go shows it on the position.
package protection
