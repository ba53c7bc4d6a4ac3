package account

import (
	"sort"
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
	// stream came back.
	reconcileRetry = 2 * time.Second
	// fillsOverlap is how far back each reading of fills begins before the end
	// of the last one: venues show executions late. Repeats are recognized.
	fillsOverlap = time.Minute
	// fillsDelay gives the private stream time to bring the fills that a report
	// told of, before they are read by REST.
	fillsDelay = 200 * time.Millisecond
)

// reconciliation is the comparison of the account with its venue. What the
// private stream told is a hint; what is found here is the truth.
type reconciliation struct {
	due     time.Time
	running bool
}

// loaded takes what the store knows of the account at start. Every intent
// without an outcome is unknown until the venue has been asked.
func (s *state) loaded(m moment, in loadDone) {
	for symbol, until := range in.account.FillsUntil {
		s.fillsUntil[symbol] = until.Time
	}
	for _, l := range in.orders {
		o := s.restore(l)
		s.touch(o)
		if o.Status == venues.StatusPending {
			s.lose(m, o)
		}
		o.inquiry.due = time.Time{} // the reconciliation asks for all of them
		s.watch(o)
		s.after(publishOrder{o.Order})
	}
	s.relink(m)
	s.isLoaded = true
	s.recon.due = m.now
}

// reconcile reads everything once; see effects.go for the requests.
func (s *state) reconcile() {
	s.recon.due = time.Time{}
	if s.recon.running {
		return
	}
	s.recon.running = true
	e := callReconcile{fillsFrom: map[string]time.Time{}}
	for _, o := range s.unfinished() {
		if o.Status == venues.StatusPending {
			continue // its own request is on its way
		}
		e.refs = append(e.refs, orderRef{o.OrderID, o.ref()})
		from := o.CreatedAt.Add(-fillsOverlap)
		if until, known := s.fillsUntil[o.Symbol]; known && until.After(from) {
			from = until.Add(-fillsOverlap)
		}
		if earliest, known := e.fillsFrom[o.Symbol]; !known || from.Before(earliest) {
			e.fillsFrom[o.Symbol] = from
		}
	}
	for symbol, until := range s.fillsUntil {
		if _, known := e.fillsFrom[symbol]; !known {
			e.fillsFrom[symbol] = until.Add(-fillsOverlap)
		}
	}
	s.after(e)
}

// reconciled takes what the venue answered.
func (s *state) reconciled(m moment, in reconcileDone) {
	s.recon.running = false
	if in.err != nil {
		s.recon.due = m.now.Add(reconcileRetry)
		return
	}
	s.fills(m, in.fills)
	for _, r := range in.open {
		s.report(m, r)
	}
	s.takeAnswers(m, in)
	s.takeBalances(in.funds.Balances)
	s.takePositions(m, in.funds.Positions, in.funds.ReadAt)
	s.funds.readAt = in.funds.ReadAt
	s.advanceFills(in)
	s.ready = true
	s.recon.due = m.now.Add(reconcileIdle)
	if len(s.unfinished()) > 0 {
		s.recon.due = m.now.Add(reconcileBusy)
	}
}

// takeAnswers goes through the orders that were not among the open ones and were
// asked for one by one.
func (s *state) takeAnswers(m moment, in reconcileDone) {
	for _, a := range in.answers {
		s.queried(m, a)
		if o := s.orders[a.orderID]; o != nil && o.Status == venues.StatusUnknown && o.inquiry.due.IsZero() {
			s.inquire(m, o, inquirySteps[0])
		}
	}
}

// advanceFills remembers up to when fills were read. Symbols with a position or
// an order stay on the list; so does every symbol ever traded here.
func (s *state) advanceFills(in reconcileDone) {
	record := persistence.AccountState{
		Customer: s.customer, Exchange: s.exchange, FillsUntil: map[string]venues.Time{},
	}
	for _, o := range s.orders {
		if _, known := s.fillsUntil[o.Symbol]; !known {
			s.fillsUntil[o.Symbol] = o.CreatedAt.Time
		}
	}
	for _, p := range s.funds.positions {
		if _, known := s.fillsUntil[p.Symbol]; !known {
			s.fillsUntil[p.Symbol] = in.startedAt
		}
	}
	for symbol := range in.fillsRead {
		s.fillsUntil[symbol] = in.startedAt
	}
	for symbol, until := range s.fillsUntil {
		record.FillsUntil[symbol] = venues.At(until)
	}
	s.out.batch.Puts = append(s.out.batch.Puts, record)
}

// streamConnected follows each new private connection: what happened while
// there was none is read.
func (s *state) streamConnected(m moment) {
	s.recon.due = earlier(s.recon.due, m.now)
}

// streamLost makes the next reconciliation come soon.
func (s *state) streamLost(m moment) {
	s.recon.due = earlier(s.recon.due, m.now.Add(reconcileRetry))
}

// matching lists the ids of the orders that are not closed, of one symbol or of
// all.
func (s *state) matching(symbol string) []string {
	var ids []string
	for _, o := range s.unfinished() {
		if symbol == "" || o.Symbol == symbol {
			ids = append(ids, o.OrderID)
		}
	}
	sort.Strings(ids)
	return ids
}
