package account

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// state is the whole truth of one account as a pure machine: messages in, a
// batch to commit and effects out. It knows no clock and draws no ids: both come
// in with each step.
type state struct {
	customer string
	exchange venues.Venue
	caps     venues.Capabilities
	fence    persistence.Fence
	ids      clientIDs
	policy   ProtectionPolicy

	// isLoaded is false until the store was read; ready until the first
	// reconciliation: new orders are refused.
	isLoaded bool
	ready    bool
	// stopping says that this is the end: nothing is sent any more.
	stopping bool

	// orders are the unfinished ones, and closed ones for closedKeep; live are
	// those that a step has to go through, atRest the others as they came to it.
	orders map[string]*order
	live   map[string]*order
	// unrecordedFills are the closed ones of which executions are still to come.
	unrecordedFills map[string]*order
	atRest          []rest
	byClient        map[string]*order
	byVenue         map[venueKey]*order
	// watched orders have something due.
	watched map[string]*order

	fillsUntil map[string]time.Time
	// unlisted are symbols of fillsUntil that the venue has taken off its list since.
	unlisted map[string]bool
	lookups  map[string]*lookups
	funds    funds
	recon    reconciliation
	proof    proof
	stream   privateStream
	ledger   ledger
	risk     risk
	halt     halting
	openList openList

	dirty []*order
	owed  []answer
	out   output
}

// moment is the time and the source of ids of one step.
type moment struct {
	now   time.Time
	newID func(prefix string) string
	// price is the mark price of a currency in the settlement currency of an
	// instrument, if one is known. To ask makes it known later.
	price func(currency, symbol string) venues.Optional
	// mark is the mark price of an instrument, likewise.
	mark func(symbol string) venues.Optional
	// mostAtMarket is the quantity of the largest market order of an instrument.
	mostAtMarket func(symbol string) venues.Optional
}

// output is what a step asks for: after happens once batch is durable, and never
// before what earlier steps asked for.
type output struct {
	batch persistence.Batch
	after []effect
	// intent is the order that a command asked for, if the step did nothing but
	// make its intent; own is how many of after are the step's own, those of later
	// steps follow.
	intent string
	own    int
}

func newState(c Config, fence persistence.Fence) *state {
	return &state{
		customer: c.Customer, exchange: c.Exchange, caps: c.Capabilities, fence: fence,
		ids: clientIDs{c.ClientIDPrefix, c.Customer, c.Exchange}, policy: c.Protection.orDefault(),
		orders: map[string]*order{}, live: map[string]*order{}, unrecordedFills: map[string]*order{}, byClient: map[string]*order{}, byVenue: map[venueKey]*order{},
		watched: map[string]*order{}, fillsUntil: map[string]time.Time{}, unlisted: map[string]bool{}, lookups: map[string]*lookups{},
		funds:  funds{positions: map[string]venues.Position{}, closedAt: map[string]time.Time{}, asOf: map[string]time.Time{}},
		ledger: newLedger(),
	}
}

// stop begins the end: nobody can be told later what nobody here will find out.
func (s *state) stop() {
	s.stopping = true
	for _, o := range s.unfinished() {
		if len(o.change.waiters) > 0 {
			s.answerChange(o, nil) // with the change still pending
			s.touch(o)             // what is told must be durable
		}
		if len(o.waiters) > 0 && !o.storing {
			s.answer(o)
			s.touch(o)
		}
	}
}

// touch marks an order as changed: the end of the step stores and publishes it.
func (s *state) touch(o *order) {
	if !o.dirty {
		o.dirty = true
		s.dirty = append(s.dirty, o)
	}
}

func (s *state) after(e effect) { s.out.after = append(s.out.after, e) }

// finish ends a step: changed orders go into the batch and to the stream, those
// who wait are answered if they can be, and what is due next is noted.
func (s *state) finish(m moment) output {
	if s.out.intent == "" { // which is refused whole if the request id is taken
		s.settlePositions(m)
		s.judge(m)
	}
	for i := 0; i < len(s.dirty); i++ { // a replaced order adds its successor
		s.settleChange(m, s.dirty[i])
		s.endProtection(s.dirty[i])
		if s.dirty[i].EntryOrderID != "" {
			s.legChanged(m, s.dirty[i])
		}
	}
	for _, o := range s.dirty {
		o.dirty = false
		s.showStops(o)
		s.enlist(m, o)
		if o.storing && o.OrderID != s.out.intent {
			continue // until it is stored
		}
		if o.awaitsEnd() {
			s.settle(m, o)
			s.watch(o)
			if o.awaitsEnd() {
				continue
			}
		}
		s.out.batch.Journal = append(s.out.batch.Journal, o.notes...)
		o.notes = nil
		o.Amend = o.change.amendment
		if o.changed() {
			o.UpdatedAt = venues.At(m.now)
			o.stored = o.OrderRecord
			s.out.batch.Puts = append(s.out.batch.Puts, o.OrderRecord)
			s.after(publishOrder{o.Order})
		}
		s.settle(m, o)
		s.watch(o)
	}
	for _, a := range s.owed {
		s.after(replyOrder{to: a.to, order: a.about.Order, err: a.err})
	}
	s.dirty, s.owed = s.dirty[:0], s.owed[:0]
	out := s.out
	out.own = len(out.after)
	if !out.batch.Empty() {
		out.batch.Fence = s.fence
	}
	s.out = output{}
	return out
}

// watch keeps the order among those with something due, or lets it go.
func (s *state) watch(o *order) {
	if o.nextDue().IsZero() {
		delete(s.watched, o.OrderID)
		return
	}
	s.watched[o.OrderID] = o
}

func (o *order) nextDue() time.Time {
	due := earlier(o.replyDue, o.heldDue)
	due = earlier(due, o.inquiry.due)
	due = earlier(due, o.toldDue)
	due = earlier(due, o.guard.due)
	due = earlier(due, o.guard.alarmDue)
	return earlier(due, o.change.replyDue)
}

// earlier is the earlier of two moments, of which a zero one never comes.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// nextDue is when tick is wanted next; zero means not at all.
func (s *state) nextDue() time.Time {
	due := earlier(earlier(s.recon.due, s.positionsDue()), earlier(s.riskDue(), s.haltDue()))
	due = earlier(due, earlier(s.proof.due, s.openList.due()))
	for _, o := range s.watched {
		due = earlier(due, o.nextDue())
	}
	return due
}

// tick does everything that has fallen due.
func (s *state) tick(m moment) {
	for _, o := range s.watchedInOrder() {
		if isDue(o.heldDue, m.now) {
			s.releaseHeld(m, o)
		}
		if isDue(o.inquiry.due, m.now) {
			s.ask(m, o)
		}
		switch {
		case !isDue(o.replyDue, m.now):
		case o.storing: // it is answered with its commit
			o.replyDue = m.now.Add(answerWithin)
		default:
			s.answer(o)
			s.touch(o) // what is told must be durable
		}
		if isDue(o.change.replyDue, m.now) {
			s.answerChange(o, nil) // with the change still pending
			s.touch(o)
		}
		s.guardDue(m, o)
		if isDue(o.toldDue, m.now) {
			s.streamMissed(m, o)
		}
		s.watch(o)
	}
	if isDue(s.proof.due, m.now) {
		s.prove()
	}
	s.touchWaiting(m)
	s.haltTick(m)
	s.openTick(m)
	if isDue(s.recon.due, m.now) {
		s.reconcile()
		s.evictClosed(m)
		s.forgetStrangers(m)
	}
}

func isDue(due, now time.Time) bool { return !due.IsZero() && !now.Before(due) }
