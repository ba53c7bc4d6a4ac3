package account

import (
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// action is something that can happen.
type action struct {
	kind    actionKind
	index   int
	variant int
	// took is the time that passed when the action was done before; zero if it was not.
	took time.Duration
}

type actionKind string

const (
	actWrite      actionKind = "write"
	actSync       actionKind = "sync"
	actCommit     actionKind = "commit"
	actArrive     actionKind = "arrive"
	actAnswer     actionKind = "answer"
	actLook       actionKind = "look"
	actEvent      actionKind = "event"
	actPass       actionKind = "pass"
	actBegin      actionKind = "begin"
	actFill       actionKind = "fill"
	actEnd        actionKind = "end"
	actLose       actionKind = "lose"
	actNotSent    actionKind = "not sent"
	actLoseEvent  actionKind = "lose event"
	actFailCommit actionKind = "fail commit"
	actCrash      actionKind = "crash"
)

// Variants of actArrive, by which the venue decides about an order.
const (
	decideAccept = iota
	decideReject
	decideUnfilled
)

// fairKinds are the kinds of action without faults and commands, in the order in which a fair
// run does them.
var fairKinds = []actionKind{actWrite, actSync, actCommit, actArrive, actAnswer, actLook, actEvent, actPass}

// isFair reports whether the action is neither a fault nor a command nor a choice of the venue.
func (a action) isFair() bool { return a.rank() < len(fairKinds) }

func (a action) rank() int {
	if i := slices.Index(fairKinds, a.kind); i >= 0 && a.variant == 0 {
		return i
	}
	return len(fairKinds)
}

// fairAction returns the action that a run without further faults and commands does next.
func fairAction(actions []action) action {
	return slices.MinFunc(append(actions, action{kind: actPass}), func(a, b action) int { return a.rank() - b.rank() })
}

// call returns a call by its index: those that are waited for come before the others.
func (w *world) call(i int) *call {
	if n := len(w.venue.calls); i >= n {
		return w.venue.orphans[i-n]
	}
	return w.venue.calls[i]
}

// actions returns everything that can happen in a state.
func (w *world) actions() []action {
	var list []action
	add := func(kind actionKind, index, variant int) {
		list = append(list, action{kind: kind, index: index, variant: variant})
	}
	w.diskActions(add)
	for i, c := range w.venue.calls {
		w.callActions(i, c, add)
	}
	for i := range w.venue.orphans {
		add(actArrive, len(w.venue.calls)+i, decideAccept)
	}
	for i, o := range w.venue.orders {
		if o.Status.IsActive() {
			add(actFill, i, 0)
			if w.x.scope.ends {
				add(actEnd, i, 0)
			}
		}
	}
	if len(w.venue.events) > 0 && w.process.account.state.isLoaded {
		add(actEvent, 0, 0)
		if w.left.losses > 0 {
			add(actLoseEvent, 0, 0)
		}
	}
	for i, c := range w.clients {
		if w.mayBegin(c) {
			add(actBegin, i, 0)
		}
	}
	if w.mayPass() {
		add(actPass, 0, 0)
	}
	return list
}

func (w *world) diskActions(add func(kind actionKind, index, variant int)) {
	d := w.process.disk
	if d.written > 0 {
		add(actSync, 0, 0)
	}
	if d.written < len(d.pending) {
		if d.mayWrite() {
			add(actWrite, 0, 0)
		} else {
			add(actCommit, 0, 0)
		}
		if w.left.failures > 0 {
			for variant := range commitFailures {
				add(actFailCommit, 0, variant)
			}
		}
	}
	if w.left.crashes > 0 {
		for survive := range len(d.pending) + 1 {
			add(actCrash, survive, 0)
		}
	}
}

// commitFailures are the ways in which a commit fails.
var commitFailures = []struct {
	err       error
	isApplied bool
}{{persistence.ErrUnavailable, false}, {persistence.ErrOutcomeUnknown, false}, {persistence.ErrOutcomeUnknown, true}}

func (w *world) callActions(i int, c *call, add func(kind actionKind, index, variant int)) {
	switch {
	case c.kind == callsClient:
		add(actAnswer, i, 0)
		return
	case c.isChange() && !c.isProcessed:
		add(actArrive, i, decideAccept)
		if r, isPlace := c.args.(venues.OrderRequest); isPlace {
			add(actArrive, i, decideReject)
			if r.TimeInForce == venues.ImmediateOrCancel {
				add(actArrive, i, decideUnfilled)
			}
		}
		if w.left.losses > 0 {
			add(actNotSent, i, 0)
		}
	case !c.isProcessed:
		add(actLook, i, 0)
		if w.x.scope.lags && w.venue.lagsAny() {
			add(actLook, i, 1)
		}
	default:
		add(actAnswer, i, 0)
	}
	if w.left.losses > 0 {
		add(actLose, i, 0)
	}
}

// do carries out an action, and everything that follows at the same instant. The order in which
// that happens does not depend on what was before.
func (w *world) do(a action) {
	w.x.kit.Scheduler().Reseed(1)
	v, d := w.venue, w.process.disk
	switch a.kind {
	case actWrite:
		d.write()
	case actSync:
		d.sync(d.written)
	case actCommit:
		d.sync(d.written + 1)
	case actFailCommit:
		w.left.failures--
		w.failCommit(a.variant)
	case actCrash:
		w.crash(a.index)
	case actArrive:
		v.arrive(w.call(a.index), a.variant)
	case actAnswer:
		v.answer(w.call(a.index), nil)
	case actLook:
		w.look(w.call(a.index), a.variant == 1)
	case actLose, actNotSent:
		w.left.losses--
		v.answer(w.call(a.index), map[actionKind]error{actLose: errTimeout, actNotSent: venues.ErrNotSent}[a.kind])
	case actEvent, actLoseEvent:
		w.nextEvent(a.kind == actEvent)
	case actBegin:
		w.clients[a.index].begin(w)
	case actFill:
		v.fillLot(v.orders[a.index])
	case actEnd:
		v.end(v.orders[a.index])
	case actPass:
		w.pass(a.took)
	}
	w.x.kit.Settle()
	v.expire()
}

func (w *world) failCommit(variant int) {
	f := commitFailures[variant]
	w.process.isFailing = true
	w.process.disk.fail(f.err, f.isApplied)
	w.x.kit.Settle()
	w.process.isFailing = false
}

// look lets the venue process a read. Only a query waits for its answer.
func (w *world) look(c *call, lag bool) {
	if c.kind == callsQuery {
		w.venue.look(c, lag)
		return
	}
	c.lag = lag
	w.venue.answer(c, nil)
}

func (w *world) nextEvent(isDelivered bool) {
	r := w.venue.events[0]
	w.venue.events = slices.Clone(w.venue.events[1:])
	if isDelivered {
		w.process.events.Report(r)
		return
	}
	w.left.losses--
}
