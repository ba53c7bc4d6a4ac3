package account

import (
	"slices"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

const (
	// reconcileBusy is the time between two reconciliations while orders are open,
	// reconcileIdle while none is.
	reconcileBusy = 30 * time.Second
	reconcileIdle = 5 * time.Minute
	// reconcileRetry is the wait after a reconciliation that failed, which doubles up to
	// reconcileBusy, and after the private stream was lost.
	reconcileRetry = 2 * time.Second
	// postponeFor is the wait of the first complete reconciliation while the first readings of
	// other accounts wait, postponedMax how often it waits.
	postponeFor  = time.Second
	postponedMax = 30
	// listFrom is the number of known orders from which on a start reads the list of all open
	// orders instead of each order. At Binance the list has the weight of 80 orders. A list
	// with the legs that the venue has made is read in any case.
	listFrom = 80
	// fillsDelay is how long the private stream may take to deliver the fills of a held
	// report before they are read by REST.
	fillsDelay = 200 * time.Millisecond
)

// reconcileKind is what a reconciliation is for.
type reconcileKind uint8

const (
	// reconcileUrgent is a complete one that was requested: after a gap in the private
	// stream, for a close that is not confirmed, for fills that differ from the venue's
	// list, or for missing protection.
	reconcileUrgent reconcileKind = iota
	// reconcileRoutine is a complete one that is due only because of the time since the last.
	reconcileRoutine
	// reconcileStart is the first reading after a start, of what the account needs to trade.
	reconcileStart
)

// reconciliation is the state of the comparison of the account with its venue. The private
// stream is a hint; the result of a reconciliation is authoritative.
type reconciliation struct {
	due time.Time
	// running is set while one runs, routine while a routine one runs or waits for its turn.
	// That may take minutes, and the others do not wait for it.
	running, routine bool
	// requestedAt is when another one was requested meanwhile. It follows, unless the running
	// one has begun to read after the request.
	requestedAt time.Time
	failures    int
	// isUrgent is set if the next one was requested, postponed counts how often it was
	// postponed.
	isUrgent  bool
	postponed int
	// startReadAt is when the newest successful reading of kind reconcileStart began,
	// completeAt the newest successful complete reconciliation.
	startReadAt, completeAt time.Time
}

// loaded restores the account from the store. An intent without an outcome has the status
// unknown until the venue has been queried.
func (s *state) loaded(step stepContext, in loadDone) {
	s.fillMarks.restore(&in.account)
	s.risk.Restore(&in.control, in.risk, in.today)
	s.restoreHalt(step, in.control)
	for i := range in.positions {
		s.positions.Restore(&in.positions[i].record, in.positions[i].fills, step.now)
	}
	for _, l := range in.orders {
		o := s.restoreOrder(l)
		s.markDirty(o)
		if o.Status == venues.StatusPending {
			s.markUnknown(step, o)
		}
		if o.query = (statusQuery{}); o.Status == venues.StatusUnknown {
			s.scheduleQuery(step, o, queryDelay) // the reconciliation queries too, but may take long
		}
		s.resumeChange(step, o)
		if !o.Status.IsClosed() {
			s.after(publishOrder{o.OrderRecord})
		}
	}
	s.relinkProtection(step)
	s.isLoaded = true
	s.recon.due = step.now
}

// getReady answers, with an error until the account's first reading of its venue.
func (s *state) getReady(in getReady) {
	if !s.ready {
		s.after(acknowledge{to: in.Reply, err: maintenance(s.exchange)})
		return
	}
	s.after(acknowledge{to: in.Reply})
}

// nextReconciliation returns the kind of the next one. What the account needs to trade is read
// again if the private stream was not connected when it was read first.
func (s *state) nextReconciliation() reconcileKind {
	switch {
	case !s.ready, s.recon.completeAt.IsZero() && s.recon.startReadAt.Before(s.stream.upSince):
		return reconcileStart
	case s.recon.isUrgent:
		return reconcileUrgent
	}
	return reconcileRoutine
}

// begin begins a reconciliation, or notes the request if it has to wait for another one.
func (r *reconciliation) begin(kind reconcileKind, now time.Time) (begun bool) {
	r.due = time.Time{}
	switch {
	case r.running, r.routine && kind == reconcileRoutine:
		r.requestedAt = now
		return false
	case kind == reconcileRoutine:
		r.routine = true
	default:
		r.running = true
	}
	r.isUrgent = r.isUrgent && kind != reconcileUrgent
	return true
}

// request requests an urgent reconciliation, at due or earlier.
func (r *reconciliation) request(due time.Time) {
	r.due, r.isUrgent = deadline.Earlier(r.due, due), true
}

// repeat schedules a reconciliation that was postponed or has failed again, at due or earlier.
func (r *reconciliation) repeat(kind reconcileKind, due time.Time) {
	r.due, r.isUrgent = deadline.Earlier(r.due, due), r.isUrgent || kind == reconcileUrgent
}

// end ends a reconciliation.
func (r *reconciliation) end(kind reconcileKind) {
	if kind == reconcileRoutine {
		r.routine = false
	} else {
		r.running = false
	}
}

// reconcile starts a reconciliation; reading.go has its requests to the venue.
func (s *state) reconcile(step stepContext) {
	e := callReconcile{
		kind: s.nextReconciliation(), fillsFrom: map[string]time.Time{}, tradedFrom: s.fillMarks.tradedFrom(), versions: s.fundsVersions(),
	}
	if !s.recon.begin(e.kind, step.now) {
		return
	}
	for _, o := range s.unfinished() {
		if o.Status == venues.StatusPending {
			continue // its request has not been answered yet
		}
		e.refs = append(e.refs, orderRef{o.OrderID, s.ids.ref(o), o.FilledQty})
		e.readFrom(o.Symbol, s.fillMarks.from(o.Symbol, o.CreatedAt.Time))
	}
	e.readsList = e.kind != reconcileStart || s.caps.AttachedProtection || len(e.refs) >= listFrom
	switch {
	case e.kind == reconcileStart:
		e.rank = s.startRank()
		s.after(e)
		return
	case s.recon.completeAt.IsZero():
		e.mayWait = s.recon.postponed < postponedMax
	default:
		e.rank = 1 // after the first complete reconciliations of other accounts
	}
	for symbol, since := range s.positions.Mismatched() {
		if until, known := s.fillMarks.until[symbol]; known {
			since = until
		} else if !s.recon.completeAt.IsZero() {
			since = s.recon.completeAt
		}
		e.readFrom(symbol, since.Add(-fillsOverlap))
	}
	for _, symbol := range s.fillMarks.quiet(e.fillsFrom) {
		e.fillsFrom[symbol] = s.fillMarks.until[symbol].Add(-fillsOverlap)
	}
	s.after(e)
}

// Ranks of first readings: what may be at the venue without being known comes first, then
// positions to protect, then open orders.
const (
	rankUnknown = iota
	rankProtection
	rankOpen
	rankOther
)

// startRank returns the rank of the account's first reading.
func (s *state) startRank() int {
	rank := rankOther
	for _, o := range s.live {
		switch {
		case o.Status == venues.StatusUnknown:
			return rankUnknown
		case o.Protection.IsActive() || o.ReduceOnly:
			rank = min(rank, rankProtection)
		case !o.Status.IsClosed():
			rank = min(rank, rankOpen)
		}
	}
	return rank
}

// readFrom adds a symbol whose fills are read from a time on.
func (e *callReconcile) readFrom(symbol string, from time.Time) {
	if earliest, known := e.fillsFrom[symbol]; !known || from.Before(earliest) {
		e.fillsFrom[symbol] = from
	}
}

// hasRead reports whether the fills of an instrument were read, or cannot be read any
// more.
func (in *reconcileDone) hasRead(symbol string) bool {
	return in.fillsRead[symbol] || slices.Contains(in.unlisted, symbol)
}

// reconciled applies the result of a reconciliation. Fills come before the reports that count
// them, orders before positions, and all of these before what acts on them: the adoption of
// positions, the first snapshot, protection, and the comparison with the venue's list.
func (s *state) reconciled(step stepContext, in reconcileDone) {
	s.recon.end(in.kind)
	if in.isPostponed {
		s.recon.postponed++
		s.recon.repeat(in.kind, step.now.Add(postponeFor))
		return
	}
	if in.err != nil {
		s.recon.repeat(in.kind, step.now.Add(min(reconcileRetry<<min(s.recon.failures, 8), reconcileBusy)))
		s.recon.failures++
		return
	}
	s.recon.failures = 0
	s.readingBegan = in.startedAt // of the orders; the positions were read after them
	s.positions.HedgeMode = in.hedge
	s.positions.HoldUnattributed(step.now, in.unattributed...)
	s.handleFills(step, in.fills)
	for _, l := range in.notInMemory {
		if s.findReported(&l.report) == nil {
			s.orderLookedUp(step, l)
		}
	}
	for _, r := range in.open {
		s.handleReport(step, r)
	}
	for _, answer := range in.answers {
		s.queryAnswered(step, answer)
	}
	s.applyFunds(step, in.funds, bothParts, in.versions)
	if in.kind != reconcileStart {
		s.orderList.readAt = deadline.Later(s.orderList.readAt, in.startedAt)
	}
	s.moveMarks(step, &in)
	if in.kind != reconcileStart || s.fillMarks.tradedUntil.IsZero() { // else fills of new positions are not read yet
		s.positions.AdoptUnexplained(s.forPositions(step), in.startedAt, in.funds.ReadAt, in.hasRead)
	}
	if !s.ready {
		s.ready = true
		s.after(s.openSnapshot())
		s.resumeProtection(step)
	}
	s.scheduleNext(step, &in)
	s.positions.Compare(s.forPositions(step), in.funds.ReadAt)
	s.withdrawRepeated(step)
	s.keepHalted(step)
}

// scheduleNext schedules the reconciliation after one that succeeded, unless one is due
// earlier.
func (s *state) scheduleNext(step stepContext, done *reconcileDone) {
	r := &s.recon
	wait := reconcileIdle
	switch {
	case done.kind == reconcileStart:
		r.startReadAt, wait = done.startedAt, 0
	case !r.requestedAt.IsZero() && !r.requestedAt.Before(done.startedAt):
		wait = 0
	case len(s.unfinished()) > 0:
		wait = reconcileBusy
	}
	if wait > 0 && r.due.IsZero() { // what was requested meanwhile is served
		r.isUrgent = false
	}
	if done.kind != reconcileStart {
		r.completeAt = deadline.Later(r.completeAt, done.startedAt)
	}
	r.requestedAt = time.Time{}
	r.due = deadline.Earlier(r.due, step.now.Add(wait))
}

// openSnapshot returns everything that is open, to replace what was published before the start.
func (s *state) openSnapshot() publishAll {
	all := publishAll{positions: s.positions.Listed(), balances: s.funds.balances}
	for _, o := range s.unfinished() {
		all.orders = append(all.orders, o.Order)
	}
	return all
}

// streamConnected requests a reconciliation, which finds what the stream has missed while it
// was not connected.
func (s *state) streamConnected(step stepContext) {
	s.recon.due = deadline.Earlier(s.recon.due, step.now)
	s.recon.isUrgent = s.recon.isUrgent || !s.recon.completeAt.IsZero()
	s.stream.upSince = step.now
}

// streamLost schedules a reconciliation after reconcileRetry.
func (s *state) streamLost(step stepContext) {
	s.recon.request(step.now.Add(reconcileRetry))
	s.stream.upSince = time.Time{}
}
