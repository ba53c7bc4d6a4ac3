package account

import (
	"cmp"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// reconcileBusy and reconcileIdle are how often an account is compared with
	// its venue while orders are open, and while none is.
	reconcileBusy = 30 * time.Second
	reconcileIdle = 5 * time.Minute
	// reconcileRetry is the wait after one that failed, and after the private
	// stream was lost; it doubles up to reconcileBusy.
	reconcileRetry = 2 * time.Second
	// quietSymbolsMax bounds the symbols without an open order whose fills one
	// reconciliation reads: those that were read longest ago.
	quietSymbolsMax = 10
	// fillsOverlap is how far back each reading of fills begins before the end
	// of the last one: venues show executions late. Repeats are recognized.
	fillsOverlap = time.Minute
	// tradedOverlap is the same for the question which instruments were traded.
	tradedOverlap = 5 * time.Minute
	// fillsDelay gives the private stream time to bring the fills that a report
	// told of, before they are read by REST.
	fillsDelay = 200 * time.Millisecond
)

// reconciliation is the comparison of the account with its venue. What the
// private stream told is a hint; what is found here is the truth.
type reconciliation struct {
	due     time.Time
	running bool
	// again asks for another one after the one that is running: it may have read
	// too early.
	again    bool
	failures int
	// begunAt is when the last one that succeeded began.
	begunAt time.Time
	// tradedUntil is up to when the venue was asked which instruments were traded.
	tradedUntil time.Time
}

// loaded takes what the store knows of the account at start. Every intent
// without an outcome is unknown until the venue has been asked.
func (s *state) loaded(m moment, in loadDone) {
	for symbol, until := range in.account.FillsUntil {
		s.fillsUntil[symbol] = until.Time
	}
	s.recon.tradedUntil = in.account.TradedUntil.Time
	s.restoreRisk(m, in)
	s.restorePositions(in.positions, m.now)
	for _, l := range in.orders {
		o := s.restore(l)
		s.touch(o)
		if o.Status == venues.StatusPending {
			s.lose(m, o)
		}
		if o.inquiry = (inquiry{}); o.Status == venues.StatusUnknown {
			s.inquire(m, o, inquiryWait) // the reconciliation asks too, and may take its time
		}
		s.resumeChange(m, o)
		if !o.Status.IsClosed() {
			s.after(publishOrder{o.Order})
		}
	}
	s.relink()
	s.isLoaded = true
	s.recon.due = m.now
}

// reconcile reads everything once; see effects.go for the requests.
func (s *state) reconcile() {
	s.recon.due = time.Time{}
	if s.recon.running {
		s.recon.again = true
		return
	}
	s.recon.running = true
	e := callReconcile{fillsFrom: map[string]time.Time{}}
	if !s.recon.tradedUntil.IsZero() { // what was before the account was known here is not followed
		e.tradedFrom = s.recon.tradedUntil.Add(-tradedOverlap)
	}
	for _, o := range s.unfinished() {
		if o.Status == venues.StatusPending {
			continue // its own request is on its way
		}
		e.refs = append(e.refs, orderRef{o.OrderID, s.ref(o)})
		from := o.CreatedAt.Add(-fillsOverlap)
		if until, known := s.fillsUntil[o.Symbol]; known && until.After(from) {
			from = until.Add(-fillsOverlap)
		}
		if earliest, known := e.fillsFrom[o.Symbol]; !known || from.Before(earliest) {
			e.fillsFrom[o.Symbol] = from
		}
	}
	s.doubtfulFrom(e.fillsFrom)
	for _, symbol := range s.quietSymbols(e.fillsFrom) {
		e.fillsFrom[symbol] = s.fillsUntil[symbol].Add(-fillsOverlap)
	}
	s.after(e)
}

// quietSymbols picks the symbols, other than the busy ones, whose fills were
// read longest ago.
func (s *state) quietSymbols(busy map[string]time.Time) []string {
	var quiet []string
	for symbol := range s.fillsUntil {
		if _, isBusy := busy[symbol]; !isBusy && !s.unlisted[symbol] {
			quiet = append(quiet, symbol)
		}
	}
	slices.SortFunc(quiet, func(a, b string) int {
		return cmp.Or(s.fillsUntil[a].Compare(s.fillsUntil[b]), cmp.Compare(a, b))
	})
	return quiet[:min(len(quiet), quietSymbolsMax)]
}

// reconciled takes what the venue answered.
func (s *state) reconciled(m moment, in reconcileDone) {
	s.recon.running = false
	if in.err != nil {
		s.recon.due = m.now.Add(min(reconcileRetry<<min(s.recon.failures, 8), reconcileBusy))
		s.recon.failures++
		return
	}
	s.recon.failures = 0
	s.risk.hedge = in.hedge
	s.holdStrangers(m, in.strangers)
	s.fills(m, in.fills)
	for _, r := range in.open {
		s.report(m, r)
	}
	s.takeAnswers(m, in)
	s.takeBalances(in.funds.Balances)
	s.takePositions(m, in.funds.Positions, in.funds.ReadAt)
	s.funds.readAt = in.funds.ReadAt
	s.advanceFills(in)
	s.resolveDoubts(m, in)
	if !s.ready {
		s.ready = true
		s.after(s.everything())
		s.resumeProtection(m)
	}
	s.recon.begunAt = in.startedAt
	s.recon.due = m.now.Add(reconcileIdle)
	switch {
	case s.recon.again:
		s.recon.due = m.now
	case len(s.unfinished()) > 0:
		s.recon.due = m.now.Add(reconcileBusy)
	}
	s.recon.again = false
	s.doubtPositions(m, in.funds.ReadAt)
	s.keepHalted(m)
}

// everything is what is open now, for those who heard of an incarnation before.
func (s *state) everything() publishAll {
	all := publishAll{positions: s.positions(), balances: s.funds.balances}
	for _, o := range s.unfinished() {
		all.orders = append(all.orders, o.Order)
	}
	return all
}

// takeAnswers goes through the orders that were not among the open ones and were
// asked for one by one.
func (s *state) takeAnswers(m moment, in reconcileDone) {
	for _, a := range in.answers {
		s.queried(m, a)
	}
}

// advanceFills remembers up to when fills were read, of every symbol ever traded
// here. Where the orders of some are still being looked up the old mark stays
// until they are recorded.
func (s *state) advanceFills(in reconcileDone) {
	for _, p := range s.funds.positions {
		if _, known := s.fillsUntil[p.Symbol]; known {
			continue
		}
		s.fillsUntil[p.Symbol] = in.startedAt
		if !s.recon.begunAt.IsZero() { // it was opened since then
			s.fillsUntil[p.Symbol] = s.recon.begunAt
		}
	}
	for _, symbol := range in.unlisted {
		s.unlisted[symbol] = true
	}
	for symbol := range in.fillsRead {
		delete(s.unlisted, symbol)
		if l := s.lookups[symbol]; l != nil {
			l.readAt = in.startedAt
			if _, known := s.fillsUntil[symbol]; !known { // found by having been traded
				s.fillsUntil[symbol] = s.recon.tradedUntil.Add(-tradedOverlap)
			}
			continue
		}
		s.fillsUntil[symbol] = in.startedAt
	}
	s.recon.tradedUntil = in.startedAt
	s.putFillsUntil()
}

func (s *state) putFillsUntil() {
	record := persistence.AccountState{
		Customer: s.customer, Exchange: s.exchange, FillsUntil: make(map[string]venues.Time, len(s.fillsUntil)),
		TradedUntil: venues.At(s.recon.tradedUntil),
	}
	for symbol, until := range s.fillsUntil {
		record.FillsUntil[symbol] = venues.At(until)
	}
	s.out.batch.Puts = append(s.out.batch.Puts, record)
}

// lookups are the orders of one symbol's fills that are being looked up. What
// was read at readAt counts as read once all of them are recorded.
type lookups struct {
	running int
	failed  bool
	readAt  time.Time
}

func (s *state) lookupBegins(symbol string) {
	if s.lookups[symbol] == nil {
		s.lookups[symbol] = &lookups{}
	}
	s.lookups[symbol].running++
}

func (s *state) lookupEnds(symbol string, failed bool) {
	l := s.lookups[symbol]
	l.running--
	l.failed = l.failed || failed
	if l.running > 0 {
		return
	}
	delete(s.lookups, symbol)
	if !l.failed && !l.readAt.IsZero() {
		s.fillsUntil[symbol] = l.readAt
		s.putFillsUntil()
	}
}

// streamConnected follows each new private connection: what happened while
// there was none is read.
func (s *state) streamConnected(m moment) {
	s.recon.due = earlier(s.recon.due, m.now)
	s.stream.upSince = m.now
}

// streamLost makes the next reconciliation come soon.
func (s *state) streamLost(m moment) {
	s.recon.due = earlier(s.recon.due, m.now.Add(reconcileRetry))
	s.stream.upSince = time.Time{}
}
