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
// The way in is client.go, with cancelall.go, leverage.go and the administrator's
// control.go; protocol.go lists the messages, deps.go what the account works with.
// actor.go only dispatches. What it dispatches to is pure, time and ids come in,
// effects go out: state.go holds the state and the end of each step. commit.go makes
// a step durable, effects.go carries out what it asks for, load.go reads the store
// and load_risk.go what the limits need of it.
//
// An order (order.go; live.go tells which of them a step goes through, clientid.go
// under which id its venue knows it) begins in place.go. answers.go answers who waits
// for it. report.go and fills.go take what the venue says, change.go and amend.go
// cancel and amend, change_resumed.go goes on with that after a restart, inquiry.go
// looks for unknown outcomes, proof.go proves that an order does not exist. events.go writes the outbox and the journal.
//
// reconcile.go compares with the venue, reading.go reads what it needs for that,
// openlist.go what the end of all orders needs; funds.go holds the balances and positions that the venue lists, stream.go watches
// the private stream.
//
// The others are in groups: protection_*.go, position_*.go, risk_*.go and halt.go.
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
// connection is closed and opened anew. The connectors notice by
// themselves a stream that tells nothing at all after an order was acknowledged.
//
// # Protection
//
// In files named protection_*.go: check holds stop loss and take profit against the
// price, guard holds what is known of those of an entry. place places the legs where
// the venue attaches none, or where its own did not come or are too small; attached
// recognizes the venue's own; legs follows both to their end, rearm protects what one
// that was reached has left open, flat withdraws them with the position, closing raises
// the alarm and closes what cannot be protected, as policy says. move changes stop loss
// and take profit, moved follows such a change to its end. shown shows on the position
// what protects it, which few venues do.
//
// A leg that waits at another price than its entry names was to be replaced, and is
// as soon as its successor lives. If the venue refuses that one, the entry goes back
// to what lives, also if nobody is left who knows of the change. Where somebody else
// has moved a leg, the entry follows.
//
// What legs have closed is taken off the quantity to protect. What is open after one
// was reached and has ended is protected anew: its entry has filled more, because the
// cancel came too late, or the venue has cut the leg short. What a leg did not find
// because others had closed it is, by the executions, not open.
//
// # Positions and their ends
//
// In files named position_*.go: book counts the executions (execution) of one
// instrument to positions (holding), whatever the order in which they become known,
// realized what each one brought where the venue tells no P&L, strangers those whose
// order is told later. ledger stores them and tells the ends, reason why.
//
// provenends decides when an end is certain: once the venue and the executions
// agree, or after endWordMax if what the venue lists agrees and it has not told the
// end. While the venue is silent, and while executions seem to be missing and the
// account has been compared, it waits for endDoubtMax; for the comparison as long as
// it takes. toldends tells one whose executions do not come within endFillsMax, and
// keeps it apart from what was opened after it. doubt settles a difference that
// outlives a reconciliation by the venue's list.
//
// What an end has counted in for good keeps its place. A position that was opened and
// closed without a word of the stream, and is found after a later end was told, is an
// end of its own. Only if more than recentMax executions of the position that is open
// are known, or the account has started anew since one execution has ended another and
// opened it, it is counted in with that one: the sums are right, its own end is not
// told. To keep it apart would be to remember what was told across starts.
//
// # Risk
//
// risk.go holds the limits and the daily loss, risk_fees.go what fees in another
// currency take from it, risk_midnight.go what an execution from before 00:00 UTC does
// to it. risk_admit.go holds an order against the limits, risk_bound.go against what its
// channel may do with a position.
//
// risk_lock.go: the account is closed to increasing orders and amends from the moment
// of the decision on. It is asked when they are admitted, when they are durable, and
// right before the request leaves. The lock becomes durable, with its event, when
// nothing that increases is being sent any more. halt.go is the kill switch: it goes on
// until nothing of ours is open or unknown.
//
// # The end of an account
//
// Whoever waits when the account stops is told what is known: an order of unknown
// outcome as it is, a change as pending. Nothing is sent from then on, and the next
// start finds out the rest, also after a kill. A cancel that was pending is asked for
// again. An amend is in its order's record, and stays pending until the venue shows
// it, or can no longer carry it out: then the order tells its old terms, and the
// journal that the change has failed. If the venue has cancelled what was to be
// replaced, the rest is placed, unless it may open something and more than
// replaceLate has passed. Protection goes on as it is planned; what the venue
// itself was asked to move it is asked again.
//
// # A quantity and its fills agree
//
// filledQty moves with recorded fills only. A report that tells of more is held
// back until the fills have come, by stream or by REST, or for fillsHoldMax.
package account
