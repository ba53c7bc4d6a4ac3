//go:build !race

package account

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/venues"
)

// The exploration visits every state that an account, its store and its venue can reach
// within a small scope, and checks each of them: all interleavings of commands, commits,
// answers, events, queries, time and faults. States are compared by the hash of a canonical
// form, so that it ends. simulation plays many more kinds of action, but only some of their
// interleavings.
//
// # What is real
//
// The account's actor with its timers and its supervisor, its Client, the commit queue, and
// the rows of a store in memory.
//
// # What stands for the rest
//
//   - explore_disk_test.go is a store by persistence.Batch: a batch is queued, written and
//     synced by separate actions, or fails (rejected; unknown and lost; unknown and applied).
//     A crash keeps any number of the oldest batches: a kill at least those that are written, a
//     power failure also fewer, and a batch that was only queued may have been written.
//   - explore_venue_test.go is a venue with one instrument. A request is not sent, lost on its
//     way there or back, or late: it may arrive until its deadline while the account no longer
//     waits. The venue accepts, rejects, fills and cancels. Its lists and queries may lack an
//     order for Capabilities.AbsenceAfter. Events of the private stream come in order, and are
//     lost without a notice. Time passes between the request of a query, its processing and its
//     answer, and within a reading before open orders and before executions.
//   - Time moves to the next time at which something happens, as mayPass allows: neither while
//     a commit is under way, nor while all is settled.
//
// Not in scope: protection, stops, post-only orders, limits and halts, the end of a request
// id's window, a clean stop, orders made elsewhere, and several accounts.
//
// # What is checked
//
// In every state, and for every image that a crash could leave then (explore_checks_test.go):
// an order is sent once, with a durable intent and request id; a request id has at most one
// order at the venue; each order at the venue has a durable intent; no order has a final
// status, in memory or in the store, that the venue contradicts or a request on its way still
// can; a request id is free if and only if its order was certainly not placed; an answer agrees
// with the venue, is written before it is given and durable if it frees a request id, and is
// never contradicted by a later record; orders are published when they are durable; a filled
// order has one event. And from every state, without further faults and commands, all orders
// reach a known state, the same in memory, in the store and at the venue.
//
// # How to use it
//
// Without VENUEGATE_STATES the small scopes are explored; with it all of them, each up to that
// number of states, as make explore does. A violation is reported with a short sequence of
// actions that leads to it. The race detector is too slow for it, and finds nothing here: one
// goroutine runs at a time.
func TestExplore(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a third of the time otherwise
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))   // one goroutine runs at a time: another processor only adds handovers
	limit, err := strconv.Atoi(os.Getenv("VENUEGATE_STATES"))
	scopes := slices.Concat(quickScopes, fullScopes)
	if err != nil {
		limit, scopes = 100_000, quickScopes
	}
	for _, s := range scopes {
		t.Run(s.name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				f := explore(kit, s, limit)
				t.Log(f)
				switch {
				case f.violation != "":
					t.Errorf("%s after\n\t%s", f.violation, f.trace)
				case !f.isClosed && err != nil:
					t.Errorf("%d states were visited, want all", f.states)
				}
			}, actortest.Seeded(1), actortest.ExpectFailures(), actortest.LogTo(zap.NewNop()), actortest.With(
				actors.WithJitter(func(time.Duration) time.Duration { return 0 })))
		})
	}
}

var (
	resting   = request{venues.GoodTillCancel, 1}
	immediate = request{venues.ImmediateOrCancel, 1}

	place  = clientOp{opPlace, 0}
	again  = clientOp{opPlace, 0} // with the same request id
	cancel = clientOp{opCancel, 0}
	amend  = clientOp{opAmend, 0}
	other  = clientOp{opPlace, 1}
)

// quickScopes are explored by make test, which takes about 15 seconds of processor time.
var quickScopes = []scope{
	{name: "one commit fails", requests: []request{immediate}, clients: []clientOp{place}, budget: budget{failures: 1}},
	{name: "the venue cancels", requests: []request{resting}, clients: []clientOp{place}, ends: true},
	{name: "immediate, one crash", requests: []request{immediate}, clients: []clientOp{place}, budget: budget{crashes: 1}},
	{name: "immediate, one loss", requests: []request{immediate}, clients: []clientOp{place}, budget: budget{losses: 1}},
}

// fullScopes are explored by make explore, at some thousand states a second.
var fullScopes = []scope{
	{name: "resting and amended", requests: []request{resting}, clients: []clientOp{place, amend}},
	{name: "resting, one crash", requests: []request{resting}, clients: []clientOp{place}, budget: budget{crashes: 1}},
	{name: "resting, one loss", requests: []request{resting}, clients: []clientOp{place}, budget: budget{losses: 1}, ends: true},
	{name: "resting, two losses", requests: []request{resting}, clients: []clientOp{place}, budget: budget{losses: 2}},
	{name: "resting, a crash and a loss", requests: []request{resting}, clients: []clientOp{place}, budget: budget{crashes: 1, losses: 1}},
	{name: "two lots, one crash", requests: []request{{venues.GoodTillCancel, 2}}, clients: []clientOp{place}, budget: budget{crashes: 1}},
	{name: "immediate, two crashes and a failure", requests: []request{immediate}, clients: []clientOp{place}, budget: budget{crashes: 2, failures: 1}},
	{name: "immediate, three losses", requests: []request{immediate}, clients: []clientOp{place}, budget: budget{losses: 3}},
	{name: "late lists", requests: []request{resting}, clients: []clientOp{place}, budget: budget{losses: 2}, lags: true},
	{name: "repeated", requests: []request{resting}, clients: []clientOp{place, again}},
	{name: "repeated, one crash", requests: []request{immediate}, clients: []clientOp{place, again}, budget: budget{crashes: 1}},
	{name: "repeated, one loss", requests: []request{immediate}, clients: []clientOp{place, again}, budget: budget{losses: 1}},
	{name: "repeated, one failure", requests: []request{immediate}, clients: []clientOp{place, again}, budget: budget{failures: 1}},
	{name: "cancelled", requests: []request{resting}, clients: []clientOp{place, cancel}},
	{name: "cancelled, one crash", requests: []request{resting}, clients: []clientOp{place, cancel}, budget: budget{crashes: 1}},
	{name: "cancelled, one loss", requests: []request{resting}, clients: []clientOp{place, cancel}, budget: budget{losses: 1}},
	{name: "amended, one crash", requests: []request{resting}, clients: []clientOp{place, amend}, budget: budget{crashes: 1}},
	{name: "amended, one loss", requests: []request{resting}, clients: []clientOp{place, amend}, budget: budget{losses: 1}},
	{name: "amended and cancelled", requests: []request{resting}, clients: []clientOp{place, amend, cancel}},
	{name: "two orders", requests: []request{immediate, immediate}, clients: []clientOp{place, other}},
	{name: "two orders, one crash", requests: []request{immediate, immediate}, clients: []clientOp{place, other}, budget: budget{crashes: 1}},
	{name: "two orders, one loss", requests: []request{immediate, resting}, clients: []clientOp{place, other}, budget: budget{losses: 1}},
	{name: "two orders, one failure", requests: []request{immediate, immediate}, clients: []clientOp{place, other}, budget: budget{failures: 1}},
}
