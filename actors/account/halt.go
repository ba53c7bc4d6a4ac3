package account

import (
	"context"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// haltMax is how long a halt keeps cancelling and closing.
	haltMax = 15 * time.Second
	// haltEvery is the wait before the venue's own lists are read again.
	haltEvery = 500 * time.Millisecond
	// haltAgainMax is how long a halt that had to give up goes on after each
	// comparison with the venue.
	haltAgainMax = 2 * time.Second
)

// HaltResult is how far a halt has come: Done if the venue's own list of orders
// is empty, no outcome is unknown and, where positions are to be closed, theirs is
// empty too. Else what was left when it gave up; it goes on from time to time.
type HaltResult struct {
	Done          bool
	OpenOrders    int
	OpenPositions int
}

type haltReply = actors.Reply[HaltResult]

// halting is the kill switch: it cancels every order until the venue has none,
// and closes the positions if flatten is set.
type halting struct {
	flatten bool
	// orderedAt names the halt; see persistence.VenueAccount.
	orderedAt venues.Time
	// running until deadline; reading while the venue's lists are being read,
	// due when they are to be.
	running bool
	reading bool
	// gaveUp says that the last run has left something.
	gaveUp   bool
	due      time.Time
	deadline time.Time
	result   HaltResult
	waiters  []haltReply
}

// configure takes limits, and halts the account or lets it go on. A halt that is
// known already is not begun again: what came with it were other limits.
func (s *state) configure(m moment, in configure) {
	isNew := !s.risk.halted || !s.halt.orderedAt.Equal(in.control.HaltedAt.Time)
	s.risk.limits = in.control.Limits
	switch {
	case in.control.Halted && isNew:
		s.journal(m, "account.halted", string(s.exchange),
			persistence.JournalField{Name: "flatten", Value: strconv.FormatBool(in.control.Flatten)})
		s.takeHalt(in.control)
		s.beginHalt(m)
	case s.risk.halted && !in.control.Halted:
		s.journal(m, "account.resumed", string(s.exchange))
		s.takeHalt(in.control)
		s.endHalt(m, false)
	}
	s.after(replyDone{in.Reply})
}

func (s *state) takeHalt(control persistence.VenueAccount) {
	s.risk.halted, s.halt.flatten, s.halt.orderedAt = control.Halted, control.Flatten, control.HaltedAt
}

// restoreHalt goes on with a halt that was under way, or had to give up. One that
// was carried out stays in force, and that is all: it would close what was opened
// since.
func (s *state) restoreHalt(m moment, control persistence.VenueAccount) {
	s.takeHalt(control)
	switch {
	case !control.Halted:
	case !control.HaltedAt.IsZero() && s.risk.record.HaltDone.Equal(control.HaltedAt.Time):
		s.halt.result.Done = true
	default:
		s.beginHalt(m)
	}
}

// beginHalt starts the halt, or starts it anew. Before the first reconciliation
// it waits for that one.
func (s *state) beginHalt(m moment) {
	s.halt.running, s.halt.gaveUp = true, false
	s.halt.deadline = m.now.Add(haltMax)
	s.halt.due = m.now
}

// awaitHalt answers when the halt is over, or at once if none is on its way.
func (s *state) awaitHalt(in awaitHalt) {
	if !s.halt.running {
		in.Send(s.halt.result)
		return
	}
	s.halt.waiters = append(s.halt.waiters, in.Reply)
}

func (s *state) haltDue() time.Time {
	if !s.halt.running {
		return time.Time{}
	}
	if !s.ready || s.halt.reading {
		return s.halt.deadline
	}
	return earlier(s.halt.due, s.halt.deadline)
}

func (s *state) haltTick(m moment) {
	switch {
	case !s.halt.running:
	case isDue(s.halt.deadline, m.now):
		s.endHalt(m, false)
	case s.ready && !s.halt.reading && isDue(s.halt.due, m.now):
		s.halt.reading = true
		s.cancelEverything(m)
		s.after(callSweep{})
	}
}

// cancelEverything asks for the end of every order. Orders that close a position
// at once end by themselves.
func (s *state) cancelEverything(m moment) {
	for _, o := range s.liveInOrder() {
		if o.Protection.Awake() {
			s.cancelOtherLegs(m, o, "")
		}
		if !o.Status.IsClosed() && !o.flattens() {
			s.withdraw(m, o)
		}
	}
}

// flattens says whether the order closes a position at once.
func (o *order) flattens() bool { return o.ReduceOnly && o.Type == venues.TypeMarket }

// swept takes the venue's own lists: orders that are not known here are adopted
// and cancelled with the rest.
func (s *state) swept(m moment, in sweepDone) {
	s.halt.reading = false
	if !s.halt.running {
		return
	}
	s.halt.due = m.now.Add(haltEvery)
	if in.err != nil {
		return
	}
	for _, r := range in.open {
		s.report(m, r)
	}
	s.takeBalances(in.funds.Balances)
	s.takePositions(m, in.funds.Positions, in.funds.ReadAt)
	s.halt.result = HaltResult{OpenOrders: max(len(in.open), s.unfinishedCount()), OpenPositions: len(in.funds.Positions)}
	if s.halt.flatten {
		s.flatten(m, in)
	}
	if s.halt.result.OpenOrders == 0 && (!s.halt.flatten || s.halt.result.OpenPositions == 0) {
		s.endHalt(m, true)
	}
}

// flatten closes each open position that no order is closing yet.
func (s *state) flatten(m moment, in sweepDone) {
	closing := map[string]bool{}
	for _, o := range s.live {
		if !o.Status.IsClosed() && o.flattens() {
			closing[o.Symbol+"/"+string(o.Side)] = true
		}
	}
	for _, p := range in.funds.Positions {
		side := p.Side.ClosedBy()
		if closing[p.Symbol+"/"+string(side)] {
			continue
		}
		qty := p.Qty
		if most, bounded := in.most[p.Symbol]; bounded {
			qty = decimal.Min(qty, most) // the rest follows
		}
		o := s.newOrder(m, venues.PlaceOrder{
			OrderSpec: venues.OrderSpec{
				Symbol: p.Symbol, Side: side, Type: venues.TypeMarket, Qty: qty, ReduceOnly: true, TimeInForce: venues.ImmediateOrCancel,
			},
			Source: venues.SourceConsole, Comment: "halt",
		})
		s.after(callPlace{orderID: o.OrderID, request: o.request()})
		s.touch(o)
	}
}

// endHalt tells those who wait how it went.
func (s *state) endHalt(m moment, done bool) {
	if !s.halt.running {
		return
	}
	s.halt.running, s.halt.result.Done = false, done
	if done {
		s.risk.record.HaltDone = s.halt.orderedAt
		s.putRisk()
	}
	if result := s.halt.result; !s.halt.gaveUp || done {
		s.journalHalt(m, result)
	}
	s.halt.gaveUp = !done
	for _, waiter := range s.halt.waiters {
		s.after(replyHalt{waiter, s.halt.result})
	}
	s.halt.waiters = nil
}

func (s *state) journalHalt(m moment, result HaltResult) {
	s.journal(m, "account.halt_ended", string(s.exchange),
		persistence.JournalField{Name: "done", Value: strconv.FormatBool(result.Done)},
		persistence.JournalField{Name: "open_orders", Value: strconv.Itoa(result.OpenOrders)},
		persistence.JournalField{Name: "open_positions", Value: strconv.Itoa(result.OpenPositions)})
}

// keepHalted goes on for a moment with a halt that had to give up: what was left may
// have come to an end, or have opened a position. Once it is done, an order of ours
// that turns up all the same is cancelled, and what others do is left alone.
func (s *state) keepHalted(m moment) {
	if !s.risk.halted || s.halt.running {
		return
	}
	if s.halt.gaveUp {
		s.halt.running = true
		s.halt.due, s.halt.deadline = m.now, m.now.Add(haltAgainMax)
		return
	}
	for _, o := range s.unfinished() {
		if o.Source != venues.SourceVenue && !o.ReduceOnly && o.Status.IsActive() {
			s.withdraw(m, o)
		}
	}
}

type (
	callSweep struct{}
	replyHalt struct {
		to     haltReply
		result HaltResult
	}
	replyDone struct{ to actors.Reply[struct{}] }
)

func (callSweep) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		done := sweepDone{most: map[string]decimal.Decimal{}}
		if done.open, done.err = a.deps.Venue.OpenOrders(c); done.err != nil {
			return done
		}
		done.funds, done.err = a.fetchFunds(c)
		for _, p := range done.funds.Positions {
			if i, known := a.deps.Market.Instrument(p.Symbol); known && i.MaxMarketQty.Valid {
				done.most[p.Symbol] = i.MaxMarketQty.Decimal
			}
		}
		return done
	}, sweepDone{err: errPoolFull})
}

func (e replyHalt) run(*account, *actors.Context) { e.to.Send(e.result) }
func (e replyDone) run(*account, *actors.Context) { e.to.Send(struct{}{}) }
