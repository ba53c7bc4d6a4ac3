package position

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

// State holds the positions of one account: the ledgers of its instruments and the
// venue's list. It is not safe for concurrent use.
type State struct {
	// HedgeMode is set if both sides of an instrument can be open at once.
	HedgeMode bool

	customer string
	exchange venues.Venue
	ledgers  map[string]*ledger
	// toCheck has the ledgers that Finish must check, pending those with closings or reported
	// closes that are not confirmed.
	toCheck []*ledger
	pending map[string]*ledger
	// unattributed has the counted executions without an order, by unattributedKey.
	unattributed map[string]unattributed
	listed       listed
}

// Account is the account during one step, as State uses it. The first five methods and
// WithTriggers return values of the account, the others act as part of the step.
type Account interface {
	// Now returns the time of the step.
	Now() time.Time
	// Ready reports whether the account has read its venue since its start.
	Ready() bool
	// ReconciledAt returns when the newest successful complete reconciliation began.
	ReconciledAt() time.Time
	// IsComplete reports whether no execution of an instrument is known to be missing.
	IsComplete(symbol string) bool
	// CloseReason returns the close reason of a position whose executions do not have it.
	// openedAt is by the venue's clock; zero if it is unknown.
	CloseReason(symbol string, side venues.PositionSide, openedAt time.Time) venues.CloseReason

	// WithTriggers returns a position with the stop loss and take profit that protect it.
	WithTriggers(p venues.Position) venues.Position
	// Closed is called once for each confirmed closing.
	Closed(symbol string, c *Closing)
	// Dropped is called for each position that is removed from the list. It was flat at
	// flatAt.
	Dropped(p *venues.Position, flatAt time.Time)
	// Adopted is called for each quantity that is adopted from the venue's list because no
	// executions explain it.
	Adopted(symbol string, side venues.PositionSide, qty decimal.Decimal)
	// Publish publishes a position once the step is durable.
	Publish(p venues.Position)
	// Store stores a ledger with the step.
	Store(r persistence.PositionRecord)
	// ReconcileBy requests a reconciliation of the account at due or earlier.
	ReconcileBy(due time.Time)
	// ReadSoon requests a reading of the venue's list.
	ReadSoon()
}

// NewState returns a State without positions.
func NewState(customer string, exchange venues.Venue) *State {
	return &State{
		customer: customer, exchange: exchange,
		ledgers: map[string]*ledger{}, pending: map[string]*ledger{}, unattributed: map[string]unattributed{},
		listed: listed{open: map[string]venues.Position{}, closedAt: map[string]time.Time{}, asOf: map[string]time.Time{}, venueAt: map[string]time.Time{}},
	}
}

// Restore restores the ledger of an instrument from its record and the executions after the
// record's cut, which become known at knownAt.
func (s *State) Restore(r *persistence.PositionRecord, fills []persistence.FillRecord, knownAt time.Time) {
	l := s.ledger(r.Symbol)
	executions := make([]Execution, 0, len(fills))
	for i := range fills {
		executions = append(executions, ExecutionOf(&fills[i].Fill, causeFrom(&fills[i]), knownAt))
	}
	l.restore(r, executions)
	s.checkAtFinish(l)
}

func (s *State) ledger(symbol string) *ledger {
	l, known := s.ledgers[symbol]
	if !known {
		l = newLedger(symbol)
		s.ledgers[symbol] = l
	}
	return l
}

func (s *State) inOrder() []*ledger {
	return slices.SortedFunc(maps.Values(s.ledgers), func(a, b *ledger) int { return cmp.Compare(a.symbol, b.symbol) })
}

// checkAtFinish makes Finish check a ledger.
func (s *State) checkAtFinish(l *ledger) {
	if !l.toCheck {
		l.toCheck = true
		s.toCheck = append(s.toCheck, l)
	}
}

// Add counts an execution. The caller must not add one twice.
func (s *State) Add(a Account, symbol string, e Execution) {
	l := s.ledger(symbol)
	s.checkAtFinish(l)
	for _, c := range l.add(e) {
		s.publishClosing(a, l, c)
	}
	if len(l.closings) > 0 {
		a.ReadSoon() // so that the venue confirms it
	}
	for len(l.recent) > RecentMax {
		s.finalize(a, l, len(l.recent)/2+1)
	}
}

// Finish publishes the closings that are confirmed, and stores the ledgers that have changed.
// It must be called once at the end of each step.
func (s *State) Finish(a Account) {
	for _, l := range s.toCheck {
		l.toCheck = false
		if n := s.confirmed(a, l); n > 0 {
			s.finalize(a, l, n)
		}
		s.expireReported(a, l)
		if l.dirty {
			l.dirty = false
			a.Store(l.record(s.customer, s.exchange))
		}
		delete(s.pending, l.symbol)
		if len(l.closings) > 0 || len(l.reported) > 0 {
			s.pending[l.symbol] = l
		}
	}
	s.toCheck = s.toCheck[:0]
}

// Tick makes Finish check the pending ledgers, and requests the reconciliations that are due.
func (s *State) Tick(a Account) {
	for _, symbol := range slices.Sorted(maps.Keys(s.pending)) {
		l := s.pending[symbol]
		s.checkAtFinish(l)
		if l.reported.takeReconcileDue(a.Now()) {
			a.ReconcileBy(a.Now())
		}
	}
}

// Due returns when Tick has something to do; zero if nothing is pending.
func (s *State) Due(a Account) time.Time {
	var due time.Time
	for _, l := range s.pending {
		due = deadline.Earlier(due, l.reported.due())
		for _, c := range l.confirmable() {
			due = deadline.Earlier(due, s.confirmDeadline(a, l, &c))
		}
	}
	return due
}

// HasPending reports whether any closing or reported close is not confirmed.
func (s *State) HasPending() bool { return len(s.pending) > 0 }

// finalize makes the first n recent executions final and publishes the closings that they have
// made.
func (s *State) finalize(a Account, l *ledger, n int) {
	for _, c := range l.closings {
		if c.by < n {
			s.publishClosing(a, l, c)
		}
	}
	l.finalize(n)
}

// publishClosing publishes a confirmed closing.
func (s *State) publishClosing(a Account, l *ledger, c Closing) {
	p, published := s.takeReported(a, l, c.Side)
	if c.Position.Reason == "" {
		c.Position.Reason = a.CloseReason(l.symbol, c.Side, c.Position.OpenedAt.Time)
	}
	a.Closed(l.symbol, &c)
	if published {
		p.Reason = c.Position.Reason
		a.Publish(p)
	}
}

// takeReported returns the closed position to publish with a closing; false if there is none.
// It is that of the first reported close, which is removed or, without one, the listed position
// if it is older than the last execution, which is dropped from the list.
func (s *State) takeReported(a Account, l *ledger, side venues.PositionSide) (venues.Position, bool) {
	if closed, pending := l.reported.first(side); pending {
		l.reported.dropFirst(side)
		return closed.position, true
	}
	k := key(l.symbol, side)
	p, isListed := s.listed.open[k]
	l.maxListed[side] = p.Qty
	if !isListed || OpenQty(l.now.of(side)).IsPositive() || !p.UpdatedAt.Before(l.knownAt) {
		return p, false
	}
	s.listed.closedAt[k] = a.Now()
	delete(l.maxListed, side)
	return s.drop(a, p, a.Now().Add(ClockSkewMax)), true
}
