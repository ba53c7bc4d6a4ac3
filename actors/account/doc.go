// Package account is the actor that owns one customer's account at one venue:
// its orders, fills, positions and balances. Everything that changes an order
// goes through it, one step after the other.
//
// # The order protocol
//
//  1. An intent, the order with status pending and the claim of its request id,
//     is durable before the first byte of the request leaves.
//  2. The request is sent once, under a client id that is a pure function of the
//     order id, with a deadline that the venue enforces.
//  3. The answer is a report, an explicit refusal, "proved not sent", or none of
//     these: then the order is unknown.
//  4. An unknown order is found by the private stream or by asking under its
//     client id. It ends as not placed only on proof: the deadline and the
//     venue's delay have passed, two questions some seconds apart found nothing,
//     it is not among the open orders, and no fill is left unexplained. The last
//     two are read once for all orders that wait. Nothing is ever sent again by
//     itself.
//  5. What changed is durable, with the events it causes, before anyone hears of
//     it.
//
// # Files
//
// state.go holds the state and the end of each step, order.go one order, live.go
// which of them a step goes through; the steps are in place.go (intents), bound.go
// (what a channel may do with a position), report.go and fills.go (what the venue
// says), change.go and amend.go (cancel and amend), inquiry.go (unknown outcomes),
// proof.go (that an order does not exist), reconcile.go (comparison with the venue),
// funds.go (positions and balances), events.go (outbox and journal) and settle.go
// (answers); clientid.go makes the ids under which a venue knows orders. All of these
// are pure: time and ids come in, effects go out.
//
// commit.go makes a step durable, effects.go carries out what it asks for, reading.go
// what compares with the venue, load.go and loadrisk.go read the store. protocol.go
// lists the messages, deps.go what the account works with; actor.go only dispatches;
// client.go is the way in, cancelall.go that of cancel-all, leverage.go that of the
// leverage.
//
// # What others trade
//
// Each comparison asks the venue which instruments were traded since the last one,
// and reads their executions: a position that somebody else opened and closed while
// nobody listened is told, and its loss counts, although it shows in no list. Bybit
// and OKX tell it by the executions of all instruments; Binance by what executions
// cost or earned, so that one without a fee and without a result is not found there.
// What was executed before the account was first compared with its venue is not
// followed.
//
// # The private stream
//
// It is a hint. What REST shows and the stream has not told within streamLagMax,
// although it happened while the stream was up, the stream has missed: the account
// is compared with its venue at once, and the second time within missesSpan the
// connection is closed and opened anew (mute.go). The connectors notice by
// themselves a stream that tells nothing at all after an order was acknowledged.
//
// # Protection
//
// guard.go holds what is known of an entry's stop loss and take profit.
// protection.go places the legs where the venue attaches none, or where its own
// did not come or are too small; attached.go recognizes the venue's own; legs.go
// follows both to their end, flat.go withdraws them with the position, closing.go
// raises the alarm and closes what cannot be protected, as policy.go says.
// moveprotection.go changes stop loss and take profit, movedprotection.go follows
// such a change to its end.
//
// # Positions and their ends
//
// book.go counts the executions (execution.go) of one instrument to positions
// (holding.go), whatever the order in which they become known, realized.go what each
// one brought where the venue tells no P&L, strangers.go those whose order is told
// later. positions.go stores them and tells the ends, reason.go why.
//
// provenends.go decides when an end is certain: once the venue and the executions
// agree, or after endWordMax if what the venue lists agrees and it has not told the
// end. While the venue is silent, and while executions seem to be missing and the
// account has been compared, it waits for endDoubtMax; for the comparison as long as
// it takes. toldends.go tells one whose executions do not come within endFillsMax, and
// keeps it apart from what was opened after it. doubt.go settles a difference that
// outlives a reconciliation by the venue's list.
//
// What an end has counted in for good keeps its place. A position that was opened and
// closed without a word of the stream, and is found after a later end was told, while
// another position of the instrument is open, is counted in with that one: the sums
// are right, its own end is not told.
//
// # Risk
//
// risk.go holds limits and the daily loss, fees.go what fees in another currency
// take from it. An account is closed to increasing orders from the moment of the
// decision on: it is asked when an order is admitted, when its intent is durable, and
// by gate.go right before the request leaves. The lock becomes durable, with its event, when nothing that increases is
// being sent any more. halt.go is the kill switch; control.go is the
// administrator's way in.
//
// # A quantity and its fills agree
//
// filledQty moves with recorded fills only. A report that tells of more is held
// back until the fills have come, by stream or by REST, or for fillsHoldMax.
package account
