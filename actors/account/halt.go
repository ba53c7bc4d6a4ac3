package account

import (
	"context"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// haltMax is how long a halt keeps cancelling and closing.
	haltMax = 15 * time.Second
	// haltEvery is the time between two readings of the venue's lists.
	haltEvery = 500 * time.Millisecond
	// haltAgainMax is how long a halt that has given up runs again after each
	// reconciliation.
	haltAgainMax = 2 * time.Second
)

// halting is the state of the kill switch, which cancels orders until the venue has none,
// and closes the positions if flatten is set.
type halting struct {
	flatten bool
	// keepsOrders leaves open orders as they are: the halt comes from a restore of the store.
	keepsOrders bool
	// orderedAt identifies the halt; see persistence.VenueAccount.
	orderedAt venues.Time
	// running is set until the halt is done or deadline has passed, reading while the
	// venue's lists are read; due is when they are read next.
	running bool
	reading bool
	// gaveUp is set if deadline has passed with orders or positions left.
	gaveUp   bool
	due      time.Time
	deadline time.Time
	result   venues.HaltReport
	waiters  []haltReply
}

// configure sets the limits, and halts the account or resumes trading. A halt that is already
// in force is not begun again.
func (s *state) configure(step stepContext, in configure) {
	isNew := !s.risk.Halted || !s.halt.orderedAt.Equal(in.control.HaltedAt.Time)
	s.risk.Limits = in.control.Limits
	switch {
	case in.control.Halted && isNew:
		s.journal(step, "account.halted", string(s.exchange),
			persistence.JournalField{Name: "flatten", Value: strconv.FormatBool(in.control.Flatten)})
		s.setHalt(in.control)
		s.beginHalt(step)
	case s.risk.Halted && !in.control.Halted:
		s.journal(step, "account.resumed", string(s.exchange))
		s.setHalt(in.control)
		s.endHalt(step, false)
	}
	s.after(acknowledge{to: in.Reply})
}

func (s *state) setHalt(control persistence.VenueAccount) {
	s.risk.Halted, s.halt.flatten, s.halt.orderedAt, s.halt.keepsOrders = control.Halted, control.Flatten, control.HaltedAt, control.Hold
}

// restoreHalt resumes a halt that was running or has given up. A completed halt stays in
// force but is not repeated: it would close positions that were opened elsewhere since.
func (s *state) restoreHalt(step stepContext, control persistence.VenueAccount) {
	s.setHalt(control)
	switch {
	case !control.Halted:
	case control.Hold:
		s.halt.result.Done = true
	case !control.HaltedAt.IsZero() && s.risk.Record().HaltDone.Equal(control.HaltedAt.Time):
		s.halt.result.Done = true
	default:
		s.beginHalt(step)
	}
}

// beginHalt starts or restarts the halt, which takes effect after the first reconciliation.
func (s *state) beginHalt(step stepContext) {
	s.halt.running, s.halt.gaveUp = true, false
	s.halt.result = venues.HaltReport{OpenOrders: s.unfinishedCount(), OpenPositions: s.positions.ListedCount()}
	s.halt.deadline = step.now.Add(haltMax)
	s.halt.due = step.now
}

// awaitHalt answers at the end of the halt, immediately if none is running.
func (s *state) awaitHalt(in awaitHalt) {
	if !s.halt.running {
		s.after(replyHalt{to: in.Reply, value: s.halt.result}) // its end may not be durable yet
		return
	}
	s.halt.waiters = append(s.halt.waiters, in.Reply)
}

// nextDue returns when haltTick has something to do; zero for never.
func (h *halting) nextDue(ready bool) time.Time {
	if !h.running {
		return time.Time{}
	}
	if !ready || h.reading {
		return h.deadline
	}
	return deadline.Earlier(h.due, h.deadline)
}

// haltTick ends a halt at its deadline; until then it cancels orders and starts a reading of the
// venue's lists every haltEvery.
func (s *state) haltTick(step stepContext) {
	switch {
	case !s.halt.running:
	case deadline.Passed(s.halt.deadline, step.now):
		s.endHalt(step, false)
	case s.ready && !s.halt.reading && deadline.Passed(s.halt.due, step.now):
		s.halt.reading = true
		s.cancelAllOrders(step)
		s.after(callHaltRead{s.fundsVersions()})
	}
}

// cancelAllOrders cancels every order except market orders that close a position, which end
// on their own.
func (s *state) cancelAllOrders(step stepContext) {
	for _, o := range s.liveInOrder() {
		if o.Protection.IsActive() {
			s.protection(step).WithdrawLegs(&o.protectedOrder)
		}
		if !o.Status.IsClosed() && !o.closesAtMarket() {
			s.withdraw(step, o)
		}
	}
}

// closesAtMarket reports whether the order is a market order that closes a position.
func (o *order) closesAtMarket() bool { return o.ReduceOnly && o.Type == venues.TypeMarket }

// haltRead applies the venue's lists during a halt. Foreign orders are adopted and cancelled
// with the others.
func (s *state) haltRead(step stepContext, in haltReadDone) {
	s.halt.reading = false
	if !s.halt.running {
		return
	}
	s.halt.due = step.now.Add(haltEvery)
	if in.err != nil {
		return
	}
	for _, r := range in.open {
		s.handleReport(step, r)
	}
	s.applyFunds(step, in.funds, bothParts, in.versions)
	s.halt.result = venues.HaltReport{OpenOrders: max(len(in.open), s.unfinishedCount()), OpenPositions: len(in.funds.Positions)}
	if s.halt.flatten {
		s.flatten(step, in)
	}
	if s.halt.result.OpenOrders == 0 && (!s.halt.flatten || s.halt.result.OpenPositions == 0) {
		s.endHalt(step, true)
	}
}

// flatten closes each open position that no order is closing yet.
func (s *state) flatten(step stepContext, in haltReadDone) {
	closing := map[string]bool{}
	for _, o := range s.live {
		if !o.Status.IsClosed() && o.closesAtMarket() {
			closing[o.Symbol+"/"+string(o.Side)] = true
		}
	}
	for _, p := range in.funds.Positions {
		side := p.Side.ClosedBy()
		if closing[p.Symbol+"/"+string(side)] {
			continue
		}
		qty := p.Qty
		if limit, isLimited := in.maxMarketQty[p.Symbol]; isLimited {
			qty = decimal.Min(qty, limit) // the next reading finds the rest
		}
		o := s.newOrder(step, venues.PlaceOrder{
			OrderSpec: venues.OrderSpec{
				Symbol: p.Symbol, Side: side, Type: venues.TypeMarket, Qty: qty, ReduceOnly: true, TimeInForce: venues.ImmediateOrCancel,
			},
			Source: venues.SourceConsole, Comment: "halt",
		})
		s.after(callPlace{orderID: o.OrderID, request: o.request()})
		s.markDirty(o)
	}
}

// endHalt ends the halt's run and answers the waiters. done is false if it gives up.
func (s *state) endHalt(step stepContext, done bool) {
	if !s.halt.running {
		return
	}
	s.halt.running, s.halt.result.Done = false, done
	if done {
		s.risk.SetHaltDone(s.forRisk(step), s.halt.orderedAt)
	}
	if result := s.halt.result; !s.halt.gaveUp || done {
		s.journal(step, "account.halt_ended", string(s.exchange),
			persistence.JournalField{Name: "done", Value: strconv.FormatBool(result.Done)},
			persistence.JournalField{Name: "open_orders", Value: strconv.Itoa(result.OpenOrders)},
			persistence.JournalField{Name: "open_positions", Value: strconv.Itoa(result.OpenPositions)})
	}
	s.halt.gaveUp = !done
	for _, waiter := range s.halt.waiters {
		s.after(replyHalt{to: waiter, value: s.halt.result})
	}
	s.halt.waiters = nil
}

// keepHalted runs a halt that has given up again for haltAgainMax: the orders that were left
// may have ended, or have opened positions. After a completed halt it cancels orders of ours
// that appear late, and leaves foreign orders alone.
func (s *state) keepHalted(step stepContext) {
	if !s.risk.Halted || s.halt.running || s.halt.keepsOrders {
		return
	}
	if s.halt.gaveUp {
		s.halt.running = true
		s.halt.due, s.halt.deadline = step.now, step.now.Add(haltAgainMax)
		return
	}
	for _, o := range s.unfinished() {
		if o.Source != venues.SourceVenue && !o.ReduceOnly && o.Status.IsActive() {
			s.withdraw(step, o)
		}
	}
}

type callHaltRead struct{ versions fundsVersions }

func (e callHaltRead) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		done := haltReadDone{versions: e.versions, maxMarketQty: map[string]decimal.Decimal{}}
		if done.open, done.err = a.deps.Venue.OpenOrders(c); done.err != nil {
			return done
		}
		done.funds, done.err = a.fetchFunds(c, bothParts)
		for _, p := range done.funds.Positions {
			if i, known := a.deps.Market.Instrument(p.Symbol); known && i.MaxMarketQty.Valid {
				done.maxMarketQty[p.Symbol] = i.MaxMarketQty.Decimal
			}
		}
		return done
	}, func() any { return haltReadDone{err: errPoolFull} })
}
