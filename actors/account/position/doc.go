// Package position accounts for the positions of one account at one venue. It nets
// executions to positions, whatever the order in which they become known, computes
// realized P&L, and decides when a closed position is certain enough to be published,
// exactly once.
//
// The package is pure: time and values come in with each call, effects leave through
// the interface Account. It reads no clock, draws no id and has no access to a store.
//
// # Terms
//
//   - An execution is a fill with its cause: the reason and the comment of its order.
//   - A ledger is the accounting of one instrument: a base that is counted permanently,
//     and the recent executions, which are counted again when an earlier one is found.
//   - A closing is a position that the executions show as flat; a reported close is one
//     that the venue has reported, by its list or its private stream.
//   - A closing is confirmed when it is certain: published and counted permanently.
//   - The list is what the venue lists as open, by REST readings and the private stream.
//   - A mismatch is a difference between the list and the executions.
//   - An unattributed execution is counted before its order is known.
//
// # When a close is certain
//
// The executions and the venue report a close independently. Once both agree, and no
// execution is known to be missing, the closing is confirmed. If the venue does not
// report the close, it is confirmed after ConfirmMax if the venue's list agrees. If the
// venue has reported nothing since, it is confirmed after DisputeMax. If executions seem to
// be missing, the account is reconciled first, however long that takes, and the closing is
// confirmed DisputeMax after its last execution became known at the earliest.
//
// A reported close whose executions do not come within CloseFillsMax is published
// without their prices, and kept apart from what was opened after it. A mismatch that
// outlives a reconciliation is resolved by the venue's list.
//
// # Invariants
//
//   - Each position is published as closed once, and the sums of what was published are
//     those of its executions.
//   - The order in which executions become known changes no sum.
//   - What is counted permanently keeps its place. A position that was opened and closed
//     without a report of the stream, and is found after a later close was published, is
//     a closing of its own. Only if more than RecentMax executions of the open position
//     are known, or the account has restarted since one execution closed another
//     position and opened it, is it counted with the open one: the sums are right, but
//     its own close is not published. To keep it apart, what was published would have to
//     be stored.
//
// # Files
//
// netting.go nets executions, ledger.go orders them. listed.go has the venue's list,
// reported.go the closes that the venue has reported, confirmed.go decides when a close is
// certain, mismatch.go compares both sides. unattributed.go holds executions without an
// order, exposure.go answers the questions of package risk, state.go ties them together.
//
// # Use
//
//	positions := position.NewState(customer, venues.Binance)
//	positions.Add(account, fill.Symbol, position.ExecutionOf(&fill, cause, now))
//	positions.Report(account, update) // an event of the private stream
//	positions.Settle(account)         // at the end of the step: account.Closed, account.Publish
package position
