// Package protection decides how the positions that orders open are protected: it
// keeps a stop loss and a take profit at the venue for as long as there is something
// to protect, and closes what cannot be protected.
//
// The package is pure: it has no clock and no access to a store. Orders, positions and times
// come in with each call, and effects are calls of the interface Account. Its types are not safe
// for concurrent use.
//
// # Terms
//
//   - An entry is an order with a stop loss, a take profit or both.
//   - A leg is a stop order at the venue that protects an entry, of one kind: stop loss
//     or take profit. Legs are reduce-only. An attached leg is one that the venue makes
//     itself with the entry; one such order may hold both triggers. The service places the
//     legs where the venue attaches none (Rules.Attached), if the entry was sent or amended
//     without attached protection (Unattached), and if the venue's legs did not appear or
//     have ended (Bracket.placedHere).
//   - A bracket is the protection of one entry: its legs and their due times. The plan of a
//     kind is the entry's ProtectionLeg: the price and status that the record has.
//   - A position is unprotected while a leg that it should have is not live.
//   - An exit is the market order that closes a position which cannot be protected.
//   - A move is a change of stop loss or take profit that a client has requested.
//   - To withdraw an order is to cancel it by a decision of the service. A superseded leg
//     has a newer one of its kind. A retired leg no longer counts as protection, although
//     it may still be open. A lost leg was ended by the venue without a request.
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
// A fill makes the kinds of its entry pending and due GatherDelay later, so that one leg
// covers a burst of fills. A fill without live legs for Policy.AlarmAfter raises an alarm; where
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
//   - The quantity that a leg closes is subtracted once from the quantity to protect. A
//     quantity that is open after a triggered leg has ended is protected again: the entry
//     filled more because its cancel arrived late, or the venue has ended the leg early.
//   - A leg that the venue ends is placed again only once the position is known to be
//     open, and one that the venue attaches only once a reconciliation has
//     shown that it is not there.
//   - A leg of unknown outcome that the venue does not list is placed again under another
//     id. The first is superseded, and is cancelled if it appears.
//   - A rejected move restores the protection before it. A leg at another price than planned
//     is replaced. If another client has moved a leg, the plan follows it.
//   - A triggered leg cancels the rest of its entry and, when it has ended, the other
//     legs.
//
// # Files
//
//	keeper.go         Policy, Rules, Keeper and the interface Account
//	order.go          orders; bracket.go: brackets
//	check.go          checks of requested prices
//	place.go          placing legs
//	attached.go       legs that the venue has made
//	follow.go         changes of legs, and their effect on the entry
//	withdraw.go       cancelling the legs of a closed position
//	closing.go        alarms and exits
//	move.go           moves; move_outcome.go: their results
//	triggers.go       the triggers on a position
package protection
