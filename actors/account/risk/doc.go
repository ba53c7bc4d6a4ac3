// Package risk limits what one account at one venue may lose. It admits or rejects
// orders by the account's limits, computes the loss of the day, and locks the account
// to increasing orders when a limit is reached.
//
// The package is pure: time and values come in with each call, effects leave through
// the interface Account. It reads no clock, draws no id and has no access to a store.
//
// # Terms
//
//   - The day begins at 00:00 UTC. Its loss is what the day's executions have lost with
//     their fees, and what the open positions have lost since the baseline.
//   - The baseline is the unrealized P&L with which the day began. An execution from
//     before midnight that becomes known after it reduces the baseline: what it realized
//     belongs to the day before.
//   - A foreign fee is paid in another currency than the settlement's, such as a venue's
//     own token. It is uncounted until a mark price of that currency is known.
//   - An order increases unless it can only make a position smaller. Increasing orders
//     alone are limited; in a closed account they are rejected.
//   - A lock is the reaction to a limit, until the day ends or an administrator unlocks.
//   - The worst-case position is the largest that can be open if everything in flight
//     fills.
//   - A closed account accepts only orders that reduce: it is halted, locked, or about to
//     be locked.
//
// # Invariants
//
//   - The account is closed to increasing orders from the moment of the decision on.
//     That is checked when they are admitted, when they are durable, and right before
//     the request leaves (Gate).
//   - The lock becomes durable, with its event, once no increasing request is being sent,
//     or once those that are can no longer be executed. So no increasing order takes
//     effect after it.
//   - Orders that are sent, resting or of unknown outcome count as if they will fill.
//
// # Use
//
//	limits := risk.NewState(customer, venues.Binance, requestLife, positions)
//	limits.Restore(control, record, today)
//	if err := limits.Admit(account, &spec, mark); err != nil {
//		return err
//	}
//	limits.CountFill(account, &fill, execution) // each execution, before its ledger
//	limits.Check(account)                       // at the end of each step
package risk
