package account

import (
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
	// fillsDelay is how long the private stream may take to deliver the fills of a held
	// report before they are read by REST.
	fillsDelay = 200 * time.Millisecond
)

// reconciliation is the state of the comparison of the account with its venue. The private
// stream is a hint; the result of a reconciliation is authoritative.
type reconciliation struct {
	due     time.Time
	running bool
	// again requests another reconciliation after the running one, which may have read before
	// the reason for the request.
	again    bool
	failures int
	// begunAt is when the last reconciliation that succeeded began.
	begunAt time.Time
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
	s.relinkProtection()
	s.isLoaded = true
	s.recon.due = step.now
}

// getReady answers, with an error until the account is reconciled.
func (s *state) getReady(in getReady) {
	if !s.ready {
		in.Reject(maintenance(s.exchange))
		return
	}
	s.after(acknowledge{to: in.Reply})
}

// reconcile starts a reconciliation; reading.go has its requests to the venue.
func (s *state) reconcile() {
	s.recon.due = time.Time{}
	if s.recon.running {
		s.recon.again = true
		return
	}
	s.recon.running = true
	e := callReconcile{fillsFrom: map[string]time.Time{}, tradedFrom: s.fillMarks.tradedFrom(), versions: s.fundsVersions()}
	for _, o := range s.unfinished() {
		if o.Status == venues.StatusPending {
			continue // its request has not been answered yet
		}
		e.refs = append(e.refs, orderRef{o.OrderID, s.ids.ref(o)})
		e.readFrom(o.Symbol, s.fillMarks.from(o.Symbol, o.CreatedAt.Time))
	}
	for symbol, since := range s.positions.Mismatched() {
		if until, known := s.fillMarks.until[symbol]; known {
			since = until
		} else if !s.recon.begunAt.IsZero() {
			since = s.recon.begunAt
		}
		e.readFrom(symbol, since.Add(-fillsOverlap))
	}
	for _, symbol := range s.fillMarks.quiet(e.fillsFrom) {
		e.fillsFrom[symbol] = s.fillMarks.until[symbol].Add(-fillsOverlap)
	}
	s.after(e)
}

// readFrom adds a symbol whose fills are read from a time on.
func (e *callReconcile) readFrom(symbol string, from time.Time) {
	if earliest, known := e.fillsFrom[symbol]; !known || from.Before(earliest) {
		e.fillsFrom[symbol] = from
	}
}

// reconciled applies the result of a reconciliation.
func (s *state) reconciled(step stepContext, in reconcileDone) {
	s.recon.running = false
	if in.err != nil {
		s.recon.due = step.now.Add(min(reconcileRetry<<min(s.recon.failures, 8), reconcileBusy))
		s.recon.failures++
		return
	}
	s.recon.failures = 0
	s.positions.HedgeMode = in.hedge
	s.positions.HoldUnattributed(step.now, in.unattributed...)
	s.handleFills(step, in.fills)
	for _, r := range in.open {
		s.handleReport(step, r)
	}
	for _, answer := range in.answers {
		s.queryAnswered(step, answer)
	}
	s.applyFunds(step, in.funds, bothParts, in.versions)
	for _, p := range s.positions.Listed() {
		opened := in.startedAt
		if !s.recon.begunAt.IsZero() { // it was opened since then
			opened = s.recon.begunAt
		}
		s.fillMarks.begin(p.Symbol, opened)
	}
	s.openList.readAt = deadline.Later(s.openList.readAt, in.startedAt)
	s.fillMarks.advance(&in)
	s.storeMarks()
	s.positions.Reconcile(s.forPositions(step), in.startedAt, in.funds.ReadAt, func(symbol string) bool { return in.fillsRead[symbol] })
	if !s.ready {
		s.ready = true
		s.after(s.openSnapshot())
		s.resumeProtection(step)
	}
	s.recon.begunAt = in.startedAt
	s.recon.due = step.now.Add(reconcileIdle)
	switch {
	case s.recon.again:
		s.recon.due = step.now
	case len(s.unfinished()) > 0:
		s.recon.due = step.now.Add(reconcileBusy)
	}
	s.recon.again = false
	s.positions.Compare(s.forPositions(step), in.funds.ReadAt)
	s.withdrawRepeated(step)
	s.keepHalted(step)
}

// openSnapshot returns everything that is open, to replace what was published before the start.
func (s *state) openSnapshot() publishAll {
	all := publishAll{positions: s.positions.Listed(), balances: s.funds.balances}
	for _, o := range s.unfinished() {
		all.orders = append(all.orders, o.Order)
	}
	return all
}

// storeMarks adds the fill marks to the step's commit.
func (s *state) storeMarks() { s.out.Batch.Puts = append(s.out.Batch.Puts, s.fillMarks.record()) }

// streamConnected requests a reconciliation, which finds what the stream has missed while it
// was not connected.
func (s *state) streamConnected(step stepContext) {
	s.recon.due = deadline.Earlier(s.recon.due, step.now)
	s.stream.upSince = step.now
}

// streamLost schedules a reconciliation after reconcileRetry.
func (s *state) streamLost(step stepContext) {
	s.recon.due = deadline.Earlier(s.recon.due, step.now.Add(reconcileRetry))
	s.stream.upSince = time.Time{}
}
