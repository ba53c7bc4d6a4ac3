// Package position does the accounting of the positions of one account at one venue. It nets
// executions to positions, in whatever order they become known, computes realized P&L, and
// decides when a closed position is certain enough to be published, exactly once.
//
// The package is pure: it has no clock and no access to a store. Time and values come in
// with each call, and effects are calls of the interface Account.
//
// # Terms
//
//   - An execution is a fill with its cause: the reason and the comment of its order.
//   - A ledger is the accounting of one instrument. It has a base, the sum of the final
//     executions, and the recent executions, which are counted again when an earlier one is
//     found. The cut is the place of the last final execution.
//   - A closing is a position that is flat by the executions. A reported close is one that
//     the venue has reported, by its list or its private stream.
//   - A closing is confirmed when it is certain. It is then published, and its executions
//     become final.
//   - The list has the positions that are open at the venue, by REST readings and the
//     private stream.
//   - A mismatch is a difference between the list and the executions.
//   - An unattributed execution is counted before its order is known.
//
// # When a close is certain
//
// The executions and the venue report a close independently. Once both agree, and no
// execution is known to be missing, the closing is confirmed. If the venue does not
// report the close, it is confirmed after ConfirmMax if the venue's list agrees. If the
// venue has reported nothing since, it is confirmed after DisputeMax. If executions seem to
// be missing, the closing is disputed: it is confirmed after the account was reconciled,
// however long that takes, and not earlier than DisputeMax after its last execution became
// known.
//
// A reported close whose executions do not come within CloseFillsMax is published
// without their prices, and kept apart from what was opened after it. A mismatch that
// outlives a reconciliation is resolved by the venue's list.
//
// # Invariants
//
//   - Each position is published as closed once, with the sums of its executions.
//   - The sums do not depend on the order in which executions become known.
//   - The order of final executions does not change. A position that was opened and closed
//     without a report of the stream, and is found after a later close was published, is
//     a closing of its own. There are two exceptions: more than RecentMax executions of the
//     open position are known, or the account has restarted since one execution closed
//     another position and opened this one. Then the found position is counted with the
//     open one: the sums are right, but its close is not published. To avoid that, the
//     published closings would have to be stored.
//
// # Files
//
//	state.go          State and the interface Account
//	execution.go      executions and their order
//	netting.go        netting of executions, P&L
//	ledger.go         the ledger of an instrument
//	listed.go         the venue's list of open positions
//	current.go        the open positions by the list and the executions
//	reported.go       closes that the venue has reported
//	confirmed.go      when a closing is certain
//	mismatch.go       differences between the list and the executions
//	unattributed.go   executions without an order
//	exposure.go       open quantities and P&L for orders, risk and protection
//	history.go        closed positions, derived from stored fills
//
// # Use
//
//	positions := position.NewState(customer, venues.Binance)
//	positions.Add(account, fill.Symbol, position.ExecutionOf(&fill, cause, now))
//	positions.Report(account, update) // an event of the private stream
//	positions.Finish(account)         // at the end of the step: account.Closed, account.Publish
package position
