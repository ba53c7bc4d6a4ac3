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
	// HedgeMode is the account's position mode: both sides of an instrument can be open
	// at once.
	HedgeMode bool

	customer string
	exchange venues.Venue
	ledgers  map[string]*ledger
	// marked are the ledgers that Settle has to look at, pending those whose closes
	// wait for the venue or for executions.
	marked  []*ledger
	pending map[string]*ledger
	// unattributed are the executions without an order that are counted.
	unattributed map[string]unattributed
	listed       listed
}

// Account is what State needs of the account during one step. The first five methods and
// WithTriggers return values of the account, the others act as part of the step.
type Account interface {
	// Now returns the time of the step.
	Now() time.Time
	// Ready reports whether the account has been reconciled since its start.
	Ready() bool
	// ReconciledAt returns when the last reconciliation that succeeded began.
	ReconciledAt() time.Time
	// IsComplete reports whether no execution of an instrument is known to be missing.
	IsComplete(symbol string) bool
	// CloseReason returns why a position closed where no execution gives the reason.
	// openedAt is by the venue's clock, and zero if it is not known.
	CloseReason(symbol string, side venues.PositionSide, openedAt time.Time) venues.CloseReason

	// WithTriggers adds to a position the stop loss and take profit that protect it.
	WithTriggers(p venues.Position) venues.Position
	// Closed receives each closed position once, with the step that counts it
	// permanently.
	Closed(symbol string, c *Closing)
	// Dropped receives each position that was taken off the list. It was flat at
	// flatAt.
	Dropped(p *venues.Position, flatAt time.Time)
	// Adopted receives each quantity that was taken from the venue's list because no
	// executions explain it.
	Adopted(symbol string, side venues.PositionSide, qty decimal.Decimal)
	// Publish publishes a position once the step is durable.
	Publish(p venues.Position)
	// Store stores a ledger with the step.
	Store(r persistence.PositionRecord)
	// ReconcileBy requests a reconciliation of the account, at due at the
	// latest.
	ReconcileBy(due time.Time)
	// ReadSoon requests a reading of the venue's list.
	ReadSoon()
}

// NewState returns the positions of an account without any.
func NewState(customer string, exchange venues.Venue) *State {
	return &State{
		customer: customer, exchange: exchange,
		ledgers: map[string]*ledger{}, pending: map[string]*ledger{}, unattributed: map[string]unattributed{},
		listed: listed{open: map[string]venues.Position{}, closedAt: map[string]time.Time{}, asOf: map[string]time.Time{}},
	}
}

// Restore loads the accounting of an instrument: its record and the executions after
// the record's cut, which become known at knownAt.
func (s *State) Restore(r *persistence.PositionRecord, fills []persistence.FillRecord, knownAt time.Time) {
	l := s.ledger(r.Symbol)
	executions := make([]Execution, 0, len(fills))
	for i := range fills {
		executions = append(executions, ExecutionOf(&fills[i].Fill, causeFrom(&fills[i]), knownAt))
	}
	l.restore(r, executions)
	s.mark(l)
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

// mark makes Settle look at a ledger.
func (s *State) mark(l *ledger) {
	if !l.marked {
		l.marked = true
		s.marked = append(s.marked, l)
	}
}

// Add counts an execution. The caller must not add one twice.
func (s *State) Add(a Account, symbol string, e Execution) {
	l := s.ledger(symbol)
	s.mark(l)
	for _, c := range l.add(e) {
		s.publishClosing(a, l, c)
	}
	if len(l.closings) > 0 {
		a.ReadSoon() // so that the venue confirms it
	}
	for len(l.recent) > RecentMax {
		s.settle(a, l, len(l.recent)/2)
	}
}

// Settle publishes the closes that are certain, and stores the ledgers that changed. It
// is called once at the end of each step.
func (s *State) Settle(a Account) {
	for _, l := range s.marked {
		l.marked = false
		if through := s.confirmed(a, l); through >= 0 {
			s.settle(a, l, through)
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
	s.marked = s.marked[:0]
}

// Tick marks the ledgers for which time matters, and requests a reconciliation if a close
// waits for what it may find.
func (s *State) Tick(a Account) {
	for _, symbol := range slices.Sorted(maps.Keys(s.pending)) {
		l := s.pending[symbol]
		s.mark(l)
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

// HasPending reports whether a close waits for the venue or for executions.
func (s *State) HasPending() bool { return len(s.pending) > 0 }

// settle counts executions permanently, and publishes the closes that they made.
func (s *State) settle(a Account, l *ledger, through int) {
	for _, c := range l.closings {
		if c.by <= through {
			s.publishClosing(a, l, c)
		}
	}
	l.settle(through)
}

// publishClosing publishes a closed position, once: with the step that counts it
// permanently.
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

// takeReported returns the closed position to publish for a closing; false if there is
// none. It takes the first reported close. Without one, a position that the venue lists
// from before the last execution is dropped from the list.
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
