package account

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/venues"
)

// protectedWithin is the time after a restart within which a position that was to be protected
// is protected.
const protectedWithin = 5 * time.Second

// killRun runs an account at a killVenue, and kills it at one point: after a commit whose
// effects are then not carried out, or after an effect whose answer is then lost.
type killRun struct {
	*fixture
	venue *killVenue
	// points counts the points; the account is killed at the one numbered killAt.
	points, killAt int
	killed         bool
	// arrivesLate lets the requests that were not sent arrive at the venue after the restart.
	arrivesLate bool
}

func newKillRun(t testing.TB) *killRun {
	return &killRun{fixture: newFixture(t, venues.Capabilities{}), venue: &killVenue{}}
}

// point counts one point and reports whether the account is killed at it or was before.
func (r *killRun) point() bool {
	r.points++
	r.killed = r.killed || r.points == r.killAt
	return r.killed
}

// do runs one step, and everything that follows from its effects immediately.
func (r *killRun) do(f func(step stepContext)) {
	if r.killed {
		return
	}
	r.carryOut(r.step(f))
}

func (r *killRun) carryOut(effects []effect) {
	if len(effects) > 0 && r.point() && r.arrivesLate {
		r.venue.late, r.venue.lateAt = effects, r.now.Add(2*time.Second)
	}
	for _, e := range effects {
		if r.killed {
			return
		}
		r.venue.now = r.now
		if answer := r.venue.carryOut(e, false); answer != nil && !r.point() {
			r.do(func(step stepContext) { r.apply(step, answer) })
		}
	}
}

func (r *killRun) apply(step stepContext, answer any) {
	switch in := answer.(type) {
	case placeDone:
		r.state.placed(step, in)
	case cancelDone:
		r.state.cancelled(step, in)
	case queryDone:
		r.state.queryAnswered(step, in)
	case reconcileDone:
		r.state.reconciled(step, in)
	case absenceCheckDone:
		r.state.absenceChecked(step, in)
	case haltReadDone:
		r.state.haltRead(step, in)
	case fundsDone:
		r.state.fundsRead(step, in)
	case fillsDone:
		r.state.fillsFetched(step, in)
	case lookedUpFills:
		r.state.lookedUpFills(step, in)
	default:
		r.t.Fatalf("%T is not applied", answer)
	}
}

// run advances the time until the account is killed.
func (r *killRun) run(d time.Duration) {
	for end := r.now.Add(d); !r.killed; {
		due := r.state.nextDue()
		if late := r.venue.lateAt; !late.IsZero() && (due.IsZero() || late.Before(due)) {
			due = late
		}
		if due.IsZero() || due.After(end) {
			r.now = end
			return
		}
		if due.After(r.now) {
			r.now = due
		}
		r.arrive()
		r.do(r.state.tick)
	}
}

// arrive carries out the late requests that are due. The private stream reports the results.
func (r *killRun) arrive() {
	if r.venue.lateAt.IsZero() || r.now.Before(r.venue.lateAt) {
		return
	}
	late := r.venue.late
	r.venue.late, r.venue.lateAt, r.venue.now = nil, time.Time{}, r.now
	for _, e := range late {
		switch done := r.venue.carryOut(e, true).(type) {
		case placeDone:
			if done.err == nil {
				r.do(func(step stepContext) { r.state.handleReport(step, done.report) })
			}
		case cancelDone:
			if done.err == nil {
				r.do(func(step stepContext) { r.state.handleReport(step, done.report) })
			}
		}
	}
}

// restart starts a new account with what is stored.
func (r *killRun) restart() {
	r.t.Helper()
	limit := r.maxMarketQty
	r.fixture = r.reload()
	r.state.ready, r.maxMarketQty, r.killed, r.killAt = false, limit, false, 0
	r.carryOut(r.effects)
}

// fill executes a part of an order at the venue and reports it.
func (r *killRun) fill(o *order, qty string) {
	r.venue.now = r.now
	at := r.venue.find(o.ClientOrderID)
	r.venue.fill(at, venues.MustDecimal(qty))
	report := at.ExecutionReport
	r.do(func(step stepContext) { r.state.handleReport(step, report) })
}

func (r *killRun) placeNow(in placeOrder) *order {
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	known := len(r.state.orders)
	r.do(func(step stepContext) { r.state.place(step, in) })
	all := r.state.allInOrder()
	if len(all) == known {
		r.t.Fatalf("the order was rejected: %v", r.lastReply().err)
	}
	return all[len(all)-1]
}

func (r *killRun) amendNow(o *order, change func(*venues.AmendOrder)) {
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		mark: venues.Some(venues.MustDecimal("60000")), cmd: venues.AmendOrder{OrderID: o.OrderID},
	}
	change(&in.cmd)
	r.do(func(step stepContext) { r.state.amend(step, in) })
}

// protectedPosition is an entry whose filled quantity is protected by a stop loss at 58000.
func (r *killRun) protectedPosition(qty string) *order {
	in := protectedLimitOrder()
	in.cmd.TakeProfit = venues.Optional{}
	o := r.placeNow(in)
	r.fill(o, qty)
	r.run(time.Second)
	return o
}

// reduceOnlyStop is a stop that a client has placed to protect a position of 1.
func (r *killRun) reduceOnlyStop() *order {
	r.fill(r.placeNow(limitOrder("r1")), "1")
	in := limitOrder("r2")
	in.cmd.Side, in.cmd.Type, in.cmd.ReduceOnly = venues.Sell, venues.TypeStopMarket, true
	in.cmd.Price, in.cmd.TriggerPrice = venues.Optional{}, venues.Some(venues.MustDecimal("58000"))
	return r.placeNow(in)
}

// wantOnlyStop checks that the only open order is a stop of a size at a trigger.
func (r *killRun) wantOnlyStop(trigger, qty string) error {
	all, stops := r.venue.stops(""), r.venue.stops(trigger)
	if len(r.venue.open()) != 1 || len(stops) != 1 || !stops[0].Qty.Equal(venues.MustDecimal(qty)) {
		return fmt.Errorf("stops = %s, want one of %s at %s", describe(all), qty, trigger)
	}
	return nil
}

func describe(stops []*killOrder) (text string) {
	for _, o := range stops {
		text += fmt.Sprintf("[%s at %s] ", o.Qty, o.TriggerPrice.Decimal)
	}
	return text
}

// wantFlat checks that neither the position nor an order of it is left.
func (r *killRun) wantFlat() error {
	if r.venue.position.IsPositive() || len(r.venue.open()) != 0 {
		return fmt.Errorf("position %s with %d open orders, want none", r.venue.position, len(r.venue.open()))
	}
	return nil
}

// wantFlatOr is wantFlat, and accepts a position that is kept because the order that was to close it was lost: it
// is protected as before.
func (r *killRun) wantFlatOr(stop string) error {
	if r.venue.position.IsPositive() {
		return r.wantOnlyStop(stop, r.venue.position.String())
	}
	return r.wantFlat()
}

// twoStepActs are the acts of an account that are several requests. begin is what precedes the
// act, act is what the account is killed in; want checks the end state.
var twoStepActs = map[string]struct {
	begin func(*killRun) *order
	act   func(*killRun, *order)
	want  func(*killRun) error
	// mayBeUnprotected is set if the act ends the protection.
	mayBeUnprotected bool
}{
	"protection after a fill": {
		begin: func(r *killRun) *order {
			in := protectedLimitOrder()
			in.cmd.TakeProfit = venues.Optional{}
			return r.placeNow(in)
		},
		act:  func(r *killRun, o *order) { r.fill(o, "1") },
		want: func(r *killRun) error { return r.wantOnlyStop("58000", "1") },
	},
	"protection after another fill": {
		begin: func(r *killRun) *order { return r.protectedPosition("0.4") },
		act:   func(r *killRun, o *order) { r.fill(o, "0.6") },
		want:  func(r *killRun) error { return r.wantOnlyStop("58000", "1") },
	},
	"move of a stop loss": {
		begin: func(r *killRun) *order { return r.protectedPosition("1") },
		act:   func(r *killRun, o *order) { r.amendNow(o, stopAt("59000")) },
		want:  func(r *killRun) error { return r.wantOnlyStop("59000", "1") },
	},
	"replacement of a reduce-only stop": {
		begin: (*killRun).reduceOnlyStop,
		act: func(r *killRun, o *order) {
			r.amendNow(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("59000")) })
		},
		want: func(r *killRun) error {
			if len(r.venue.stops("58000")) > 0 { // the cancel was lost
				return r.wantOnlyStop("58000", "1")
			}
			return r.wantOnlyStop("59000", "1")
		},
	},
	"replacement of an entry": {
		begin: func(r *killRun) *order { return r.placeNow(stopOrder()) },
		act: func(r *killRun, o *order) {
			r.amendNow(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("61500")) })
		},
		want: func(r *killRun) error {
			open := r.venue.open()
			lost := r.journalCount("absence_proven")
			if len(open) > 1 || (len(open) == 0) != (lost == 1) {
				return fmt.Errorf("%d open orders and %d reported as not placed, want one of either", len(open), lost)
			}
			return nil
		},
	},
	"close in parts": {
		begin: func(r *killRun) *order { r.maxMarketQty = "0.4"; return r.protectedPosition("1") },
		act: func(r *killRun, o *order) {
			stop := r.venue.stops("58000")[0]
			stop.Status, stop.VenueTime = venues.StatusRejected, r.now
			stop.RejectReason = &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: venues.ReasonWouldTrigger}
			report := stop.ExecutionReport
			r.do(func(step stepContext) { r.state.handleReport(step, report) })
		},
		want:             (*killRun).wantFlat,
		mayBeUnprotected: true,
	},
	"close, with its protection": {
		begin: func(r *killRun) *order { return r.protectedPosition("1") },
		act: func(r *killRun, _ *order) {
			in := limitOrder("r9")
			in.cmd.Side, in.cmd.Type, in.cmd.ReduceOnly, in.cmd.Price = venues.Sell, venues.TypeMarket, true, venues.Optional{}
			in.cmd.TimeInForce = venues.ImmediateOrCancel
			r.placeNow(in)
		},
		want: func(r *killRun) error { return r.wantFlatOr("58000") },
	},
	"halt that closes in parts": {
		begin: func(r *killRun) *order { return r.protectedPosition("1") },
		act: func(r *killRun, _ *order) {
			control := halted(r.now, true)
			r.puts[control.Key().String()] = control
			r.do(func(step stepContext) {
				r.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), control})
			})
		},
		want:             (*killRun).wantFlat,
		mayBeUnprotected: true,
	},
}

// An account is killed after each step of its acts that are several requests. The next start
// completes the act, or undoes it.
func TestKillWithinAnAct(t *testing.T) {
	for name, act := range twoStepActs {
		for kind, arrivesLate := range map[string]bool{"lost": false, "late": true} {
			for killAt, more := 1, true; more; killAt++ {
				t.Run(fmt.Sprintf("%s/%s/%d", name, kind, killAt), func(t *testing.T) {
					r := newKillRun(t)
					r.arrivesLate = arrivesLate
					o := act.begin(r)
					r.points, r.killAt = 0, killAt
					act.act(r, o)
					r.run(time.Minute)
					if more = r.killed; !more {
						if err := act.want(r); err != nil {
							t.Fatalf("without a kill: %v", err)
						}
						return
					}
					r.restart()
					r.run(protectedWithin)
					if err := r.protection(); err != nil && !act.mayBeUnprotected {
						t.Errorf("%s after the restart: %v", protectedWithin, err)
					}
					if n := len(r.venue.stops("")); n > 1 {
						t.Errorf("%s after the restart: stops %s, want at most one", protectedWithin, describe(r.venue.stops("")))
					}
					r.run(2 * time.Minute)
					if err := act.want(r); err != nil {
						t.Errorf("in the end: %v", err)
					}
				})
			}
		}
	}
}

// protection returns an error if the position is not protected.
func (r *killRun) protection() error {
	var covered decimal.Decimal
	for _, o := range r.venue.stops("") {
		covered = covered.Add(o.Qty)
	}
	if covered.LessThan(r.venue.position) {
		return fmt.Errorf("stops %sfor a position of %s, want one of its size", describe(r.venue.stops("")), r.venue.position)
	}
	return nil
}

// resolveMax is the time within which the outcome of an order is known, however often the
// account is killed.
const resolveMax = 45 * time.Second

// An order that was lost is killed between its intent and its answer, and the account again and
// again while it searches. No life is long enough for both answers "not found".
func TestOutcomeIsKnownInSpiteOfRepeatedKills(t *testing.T) {
	var longest time.Duration
	for _, life := range []time.Duration{1200 * time.Millisecond, 2300 * time.Millisecond, 4900 * time.Millisecond} {
		for first := 100 * time.Millisecond; first <= life; first += 200 * time.Millisecond {
			r := newKillRun(t)
			r.killAt = 1
			o := r.placeNow(limitOrder("r1"))
			begun := r.now
			for next := first; !r.state.orders[o.OrderID].Status.IsClosed(); next = life {
				r.restart()
				r.run(next)
				if took := r.now.Sub(begun); took > resolveMax {
					t.Fatalf("outcome unknown after %s with lives of %s, want at most %s", took, life, resolveMax)
				}
				if _, known := r.state.orders[o.OrderID]; !known {
					t.Fatal("the order was forgotten, want it known")
				}
			}
			r.want(r.state.orders[o.OrderID], venues.StatusRejected, "0")
			took := r.now.Sub(begun)
			if took < orderLifeMax+r.state.caps.AbsenceAfter {
				t.Fatalf("absence proven after %s, want it after the deadline and the venue's delay", took)
			}
			longest = max(longest, took)
		}
	}
	t.Logf("the outcome was known after at most %s", longest)
}
