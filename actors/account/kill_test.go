package account

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/persistence"
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

func newKillRun(t testing.TB) *killRun { return newKillRunAt(t, venues.Capabilities{}) }

// newKillRunAt returns a killRun at a venue with certain capabilities.
func newKillRunAt(t testing.TB, caps venues.Capabilities) *killRun {
	return &killRun{fixture: newFixture(t, caps), venue: &killVenue{attaches: caps.AttachedProtection}}
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
	if len(effects) > 0 && !r.killed && r.point() && r.arrivesLate {
		r.venue.late, r.venue.lateAt = append(r.venue.late, effects...), r.now.Add(2*time.Second)
	}
	for _, e := range effects {
		if r.killed {
			return
		}
		r.venue.now = r.now
		if answer := r.answer(e); answer != nil && !r.point() {
			r.do(func(step stepContext) { r.apply(step, answer) })
		}
		if _, changes := e.(callProtect); changes {
			r.stream(r.venue.legs()...)
		}
	}
}

// answer carries out one effect and returns the message with its result.
func (r *killRun) answer(e effect) any {
	switch in := e.(type) {
	case lookUp:
		return r.lookUp(in.report)
	case callReconcile:
		done := r.venue.reconcile(in)
		for _, report := range othersThan(in.refs, done.open) {
			done.notInMemory = append(done.notInMemory, r.lookUp(report))
		}
		return done
	}
	return r.venue.carryOut(e, false)
}

// lookUp looks the order of a report up in the store.
func (r *killRun) lookUp(report venues.ExecutionReport) lookedUp {
	id, ours := r.state.ids.orderID(report.ClientOrderID)
	for _, stored := range r.puts {
		o, is := stored.(persistence.OrderRecord)
		if is && (ours && o.OrderID == id || !ours && persistence.IdentityOfID(o.OrderID) == r.state.ids.identityOf(&report)) {
			return lookedUp{report, &loadedOrder{record: o}}
		}
	}
	return lookedUp{report: report}
}

// stream delivers reports by the private stream.
func (r *killRun) stream(reports ...venues.ExecutionReport) {
	for _, report := range reports {
		r.do(func(step stepContext) { r.state.handleReport(step, report) })
	}
}

func (r *killRun) apply(step stepContext, answer any) {
	switch in := answer.(type) {
	case placeDone:
		r.state.placed(step, in)
	case cancelDone:
		r.state.cancelled(step, in)
	case amendDone:
		r.state.amended(step, in)
	case protectDone:
		r.state.protected(step, in)
	case lookedUp:
		r.state.orderLookedUp(step, in)
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
		done := placeDone{err: errTimeout}
		switch answer := r.venue.carryOut(e, true).(type) {
		case placeDone:
			done = answer
		case cancelDone:
			done = placeDone(answer)
		case amendDone:
			done = placeDone(answer)
		case protectDone:
			r.stream(r.venue.legs()...)
		}
		if done.err == nil {
			r.stream(done.report)
		}
	}
}

// restart starts a new account with what is stored. It is killed again at killAt.
func (r *killRun) restart() {
	r.t.Helper()
	limit, journal := r.maxMarketQty, r.journal
	r.fixture = r.reload()
	r.state.ready, r.maxMarketQty, r.killed = false, limit, false
	r.journal = append(journal, r.journal...)
	r.carryOut(r.effects)
}

// fill executes a part of an order at the venue and reports it.
func (r *killRun) fill(o *order, qty string) {
	r.venue.now = r.now
	at := r.venue.find(o.ClientOrderID)
	r.venue.fill(at, venues.MustDecimal(qty))
	r.stream(at.ExecutionReport)
	r.stream(r.venue.legs()...)
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

// An account is killed after each step of its acts. The start that follows completes the act, or
// undoes it.
func TestKillWithinAnAct(t *testing.T) { killWithinActs(t, 0) }

// killWithinActs kills an account at each point of each act, and after each of these kills again
// at the first restartPoints points of the start that follows.
func killWithinActs(t *testing.T, restartPoints int) {
	for name, act := range killActs {
		for kind, arrivesLate := range map[string]bool{"lost": false, "late": true} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				for killAt := 1; act.killed(t, arrivesLate, killAt); killAt++ {
					for again := 1; again <= restartPoints && act.killed(t, arrivesLate, killAt, again); again++ {
					}
				}
			})
		}
	}
}

// killed runs the act, kills the account at a point of it, starts it, kills it at a point of that
// start, and so on, and checks what follows after the last start. It reports whether there are
// such points.
func (act *killAct) killed(t *testing.T, arrivesLate bool, points ...int) bool {
	r := newKillRunAt(t, act.caps)
	r.arrivesLate = arrivesLate
	o := act.begin(r)
	for n, killAt := range points {
		r.points, r.killAt = 0, killAt
		if n == 0 {
			act.act(r, o)
		} else {
			r.restart()
		}
		if r.run(time.Minute); !r.killed {
			if err := act.check(r, n); err != nil {
				t.Errorf("killed at %d: %v", points[:n], err)
			}
			return false
		}
	}
	r.restart()
	r.run(protectedWithin)
	if err := r.protection(); err != nil && !act.mayBeUnprotected && len(points) == 1 {
		t.Errorf("killed at %d, %s after the restart: %v", points, protectedWithin, err)
	}
	if n := len(r.stopLosses()); n > 1 {
		t.Errorf("killed at %d, %s after the restart: stops %s, want at most one", points, protectedWithin, describe(r.stopLosses()))
	}
	r.run(2 * time.Minute)
	if err := act.check(r, len(points)); err != nil {
		t.Errorf("killed at %d, in the end: %v", points, err)
	}
	return !t.Failed()
}

// check checks the end of the act after a number of kills, and that the records agree with the
// venue.
func (act *killAct) check(r *killRun, kills int) error {
	err := act.want(r)
	if err != nil && kills > 1 {
		err = act.checkBefore(r)
	}
	if err != nil {
		return err
	}
	for _, stored := range r.puts {
		o, is := stored.(persistence.OrderRecord)
		if !is {
			continue
		}
		at := r.venue.lookUp(venues.OrderRef{ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID})
		isOpen := at != nil && !at.Status.IsClosed()
		if o.Status == venues.StatusUnknown || o.PendingAction != venues.PendingNone || o.Status.IsClosed() == isOpen {
			return fmt.Errorf("%s of %s is %s, pending %q, and open at the venue is %t", o.Type, o.Qty, o.Status, o.PendingAction, isOpen)
		}
	}
	return nil
}

// checkBefore checks that everything is as before the act, or closed.
func (act *killAct) checkBefore(r *killRun) error {
	if act.before != nil {
		return act.before(r)
	}
	if n := len(r.stopLosses()); n > 1 {
		return fmt.Errorf("%d stop losses, want at most one", n)
	}
	return r.protection()
}

// protection returns an error if the position is not protected.
func (r *killRun) protection() error {
	var covered decimal.Decimal
	for _, o := range r.stopLosses() {
		covered = covered.Add(o.Qty)
	}
	if covered.LessThan(r.venue.position) {
		return fmt.Errorf("stops %sfor a position of %s, want one of its size", describe(r.stopLosses()), r.venue.position)
	}
	return nil
}

// stopLosses returns the open stops below the market.
func (r *killRun) stopLosses() []*killOrder {
	return slices.DeleteFunc(r.venue.stops(""), func(o *killOrder) bool {
		return o.TriggerPrice.Decimal.GreaterThan(venues.MustDecimal("60000"))
	})
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
			r.killAt = 0
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
			if took < requestLife+r.state.caps.AbsenceAfter {
				t.Fatalf("absence proven after %s, want it after the deadline and the venue's delay", took)
			}
			longest = max(longest, took)
		}
	}
	t.Logf("the outcome was known after at most %s", longest)
}
