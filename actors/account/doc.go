// Package account implements the actor that owns one customer's account at one venue: its
// orders, fills, positions and balances. Only it changes these orders. It handles one message
// at a time.
//
// # Terms
//
//   - An intent is an order with status pending, stored with the claim of its request id
//     before anything is sent.
//   - A step handles one message: it changes the state in memory, commits what has changed,
//     and then carries out its effects (package step).
//   - A reading is one query of the venue by REST for a list, such as its open orders.
//   - An order has an unknown outcome while it is not known whether the venue has it. A
//     status query searches for it; an absence check is the last reading before it ends as
//     not placed.
//   - A change is a pending amend or cancel of an order.
//   - A reconciliation compares the account with its venue by REST. It is authoritative;
//     the private stream, the venue's push connection with the events of the account, is a
//     hint.
//   - An order is live while it can change or has protection in force, else idle.
//   - An order has settled when its callers can be answered: the venue has acknowledged
//     it and, if it cannot rest in the book, it has ended.
//   - A fill is one execution of an order at the venue. Package position calls a fill with
//     its cause an execution. An unattributed fill is one whose order is not known.
//   - A held report has a larger filled quantity than the known fills. It is applied once
//     the missing ones are known.
//   - A fill mark is the time up to which the fills of a symbol have been read.
//   - An entry is an order with a stop loss or take profit; a leg is the stop order that
//     carries one of them out. Attached legs are made by the venue, with the entry. An exit
//     closes a position that cannot be protected. A move changes the stop loss or take
//     profit (package protection).
//   - A reduce-only account accepts only orders that reduce a position (package risk). A
//     halt is the kill switch of an administrator, a lock follows from a limit.
//   - An order is ours if this service sent it. An order that was made elsewhere is
//     foreign, and is adopted.
//
// # The order protocol
//
//  1. The intent is durable before the first byte of the request is sent.
//  2. The request is sent once, under a client order id that is a pure function of the
//     order id, with a deadline that the venue enforces.
//  3. The answer is a report, an explicit rejection, "certainly not sent", or none of
//     these: then the outcome is unknown.
//  4. An order of unknown outcome is found by the private stream or by a query under its client id.
//     It ends as not placed only if the deadline and the venue's delay have passed, two
//     queries some seconds apart returned "not found", it is not among the open orders,
//     and no fill is left unattributed. The last two are read once for all orders that have
//     passed the queries. The time of the first "not found" is stored, so that the search ends
//     even if the process restarts again and again. An unattributed fill no longer counts
//     once the venue has returned "not found" twice for its own order since the last start.
//  5. Only cancels and changes of attached protection are sent again automatically.
//  6. What a step has changed is durable, with its events, before it is published. Callers are
//     answered then too or, if the answer stays true even when a power failure loses the batch
//     (mayAnswerBeforeSync), when it is written: at most a millisecond earlier.
//
// # Map
//
// Commands and queries enter through Client (client.go, cancelall.go); errors.go has the
// errors that it returns. protocol.go lists the messages, deps.go the collaborators.
// actor.go dispatches each message to the state, which is deterministic: time and ids come
// in with the step (step.go), a batch and effects go out. effects.go and reading.go carry
// the effects out; load.go and recordedfills.go read the store.
//
//	account.go        the actor; clientid.go: order ids and client order ids
//	state.go          the state; step.go: context and output of a step
//	finish.go         the end of a step; tick.go: due times
//	orderindex.go     the orders in memory; order.go, tracking.go, submission.go: an order
//	place.go          an order from the intent to the venue's answer; replies.go
//	check.go          the checks of an order before its intent, and Check
//	report.go         reports of the venue; fills.go: fills; ended.go: why orders end unfilled
//	change.go         the pending change of an order; cancel.go, amend.go
//	trigger.go        the directions of stops
//	statusquery.go    unknown outcomes; absencecheck.go: orders that do not exist
//	reconcile.go      reconciliation; fillmarks.go: up to when fills were read
//	cancelall.go      CancelAll; openorders.go: its readings of the venue's open orders
//	funds.go          balances and positions; leverage.go
//	stream.go         the private stream, and its Observer
//	halt.go           the kill switch
//	health.go         what an operator sees of the account; warnings.go: log lines
//	events.go         the outbox and the journal
//
// Three pure packages decide what needs no order protocol. The account implements the
// interface that each of them declares. risk and protection import position; package deadline
// compares due times for all of them.
//
//	position    ledgers, realized P&L, closed positions      (positions.go)
//	risk        limits, daily loss, lock                     (risk.go)
//	protection  stop loss and take profit of entries         (protection.go, protection_amend.go)
//
// The statuses of an order and their transitions are those of venues.OrderStatus.
//
// Of the tests, explore_*_test.go visit all states of a small scope, kill*_test.go kill the
// account within its operations, and *_property_test.go play random sequences.
//
// # Extending
//
//   - A limit: a field of persistence.RiskLimits, and its check in Admit and AdmitAmend of
//     package risk. If it can be reached without a new order, as a loss can, State.Check
//     locks the account. What depends on the instrument alone is a check of
//     venues.Instrument.
//   - A private stream event: a method of venues.PrivateSink, one of Observer (stream.go), a
//     field of observed (protocol.go) and a case of observe (stream.go). A reconciliation
//     must find the same by REST.
//   - A protection rule: package protection, in the file of its transition; a configurable
//     one has a field of Policy.
//   - A command: a message in protocol.go, a case of handle (actor.go), a method of Client.
//   - An effect: a type with a run method (effects.go), and the message with its result.
//
// # Trades made elsewhere
//
// Each complete reconciliation reads which instruments were traded since the last one, and
// their fills: a position that was opened and closed elsewhere while the stream was down
// is published and its loss counts, although it is in no list. Bybit and OKX return the
// fills of all instruments; Binance returns what fills have cost or earned, so that a fill
// without a fee and a result is not found there. Fills from before the first reconciliation
// of the account are not followed.
//
// # The private stream
//
// Progress of an order that REST has returned and the stream has not reported within
// streamLagMax, although it was connected when that took place, counts as missed: the account
// is reconciled immediately, and at the second miss within missesSpan the connection is
// closed and opened again. Connectors detect on their own a stream without any message
// after an order was acknowledged.
//
// # Balances and positions
//
// Callers receive what is in memory: the venue's last report, corrected by newer fills and
// valued at the present mark prices. It is current while the private stream is connected,
// unless an order, a fill or the leverage has changed since it was read or it is older than
// fundsMax. Else it is read, once for all callers and at most once each fundsEvery on average.
// Readings use up the venue's rate limit: a client that keeps to the limits of its key must not
// be rejected because of the venue's.
//
// # Start
//
// When its records are loaded, the account accepts cancels, and reads what it needs to trade:
// its mode, the orders that it knows with the fills of those that have filled more, all
// open orders where the venue attaches legs, and its balances and positions. Then it accepts
// orders. This first reading is repeated if the private stream is connected only after it: what
// changed in between is in neither. A complete reconciliation follows, which finds the orders
// and trades that were made elsewhere meanwhile.
//
// Accounts that share an IP address may share the venue's limit (venues.Capabilities). Of their
// first readings at most two run at a time: those with orders of unknown outcome come first,
// then those with positions to protect, then those with open orders. The first complete
// reconciliation of an account is postponed while first readings wait, at most postponedMax
// times by postponeFor. After that at most two urgent reconciliations run at a time, and two
// routine ones. A routine one leaves more of the limit to other requests
// (venues.WithRoutineRead) and may take minutes; urgent ones do not wait for it.
//
// # Stop and restart
//
// When the account stops, callers receive what is known: an order of unknown outcome with
// its status, a change as pending. Nothing is sent from then on, and the next start resolves the
// rest, also after a kill. A pending cancel is sent again. An amend is in its order's
// record, and stays pending until the venue reports it or can no longer carry it out: then
// the order keeps its old terms, and the journal records that the change has failed. If the
// venue has cancelled an order that was to be replaced, the replacement is placed, unless it
// may open a position and more than replaceLate has passed. Protection resumes as planned; a
// pending move of the venue's own legs is requested again.
//
// One operation may take several requests, and the account may be killed after each intent,
// request and answer. "At first" is what is in force until the outcome of these requests is
// known, "in the end" what is in force after that. An order that is reported has the status
// or the error in its record.
//
//	operation                 stored and sent                  at first                 in the end
//	order                     intent, request                  nothing                  the order; or reported as not placed
//	amend                     record, request                  the old terms            the new terms; or reported as failed
//	cancel                    request, record                  the order                cancelled; open if both were lost
//	protection of a fill      intents, requests                a second leg             one leg of each kind
//	more or other protection  intent, request, cancel of the   the old leg and a        the new leg
//	                          old leg                          second new one
//	removal of protection     record, cancel                   the leg                  no leg
//	move of attached legs     record, request                  the old triggers         the new triggers
//	attached legs that do     alarm, reconciliation, intents,  nothing                  one leg of each kind, placed by the
//	not appear                requests                                                  service
//	triggered leg             cancels of the other orders      these orders             none of them
//	replacement of a          intent, cancel, intent, request  a second replacement     the replacement
//	reduce-only stop
//	replacement of an entry   intent, cancel, intent, request  nothing                  the replacement; or reported as not
//	                                                                                    placed
//	exit, in parts            cancels, intent, request, and    no second exit, as the   another exit for what is open
//	                          again for the rest               first may be executed
//	close by a client         intent, request, cancels of the  the protection           closed; or reported as not placed,
//	                          protection                                                and protected
//	halt                      cancels, readings, intents,      the halt runs again      nothing is open
//	                          requests
//
// An order ends as not placed only after the venue's delay. The second leg or replacement does
// not wait for that: it has an id of its own, and is sent after the first answer "not found". The
// first one is cancelled if it appears. Both only reduce the position, so that they cannot close
// more than is open, and at most two of a kind are without an outcome: if two kills have lost
// both, the position stays protected as before the operation, or is closed; both replacements of
// a client's stop are reported. An entry is not sent again: its client may have placed another
// one after the report.
//
// # Filled quantity
//
// filledQty increases only with recorded fills. A report of a larger filled quantity is held
// until the fills are known, by stream or by REST, or for fillsHoldMax.
package account
