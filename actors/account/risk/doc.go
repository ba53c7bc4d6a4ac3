// Package risk limits what one account at one venue may lose. It admits or rejects
// orders by the account's limits, computes the loss of the day, and locks the account
// to increasing orders when a limit is reached.
//
// The package is pure: it has no clock and no access to a store. Time and values come in
// with each call, and effects are calls of the interface Account.
//
// # Terms
//
//   - The day begins at 00:00 UTC. Its loss is the realized loss of the day's executions with
//     their fees, plus the unrealized loss of the open positions since the baseline.
//   - The baseline is the unrealized P&L at the beginning of the day. An execution from before
//     midnight that becomes known after it reduces the baseline, because its realized P&L
//     belongs to the day before.
//   - A fee in another currency than the settlement currency, such as a venue's own token, is
//     uncounted until a mark price of that currency is known.
//   - An increasing order is one that may make a position larger. Only increasing orders are
//     limited; in a reduce-only account they are rejected.
//   - A lock makes the account reduce-only when a limit is reached, until the day ends or an
//     administrator unlocks it.
//   - The worst-case position is the largest that can be open if all orders in flight fill.
//   - A reduce-only account accepts only orders that reduce a position: it is halted, locked,
//     or about to be locked.
//
// # Invariants
//
//   - The account is reduce-only from the decision on. Increasing orders are checked when
//     they are admitted, when they are durable, and right before the request is sent (Gate).
//   - The lock becomes durable, with its event, once no increasing request is being sent, or
//     once those being sent can no longer be executed: no increasing order is executed after
//     it.
//   - Orders that are sent, resting or of unknown outcome count as if they will fill.
//
// # Use
//
//	limits := risk.NewState(customer, venues.Binance, requestLife, positions)
//	limits.Restore(control, record, today)
//	limits.Admit(account, &spec, mark, report) // the result of each limit
//	limits.CountFill(account, &fill, execution) // each execution, before its ledger
//	limits.Check(account)                       // at the end of each step
package risk
