package simulation_test

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account"
	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// alarmWithin is how soon an alarm is durable: a second beyond its time.
const alarmWithin = account.DefaultAlarmAfter + time.Second

// alarms are the rows of the journal that say that a fill is not protected.
var alarms = []string{"order.unprotected", "order.protection_lost", "order.closed_by_protection"}

// watchFill looks at a fill that is to be protected once it must be, or an alarm
// must have been raised. It is called under world.mu.
func (w *world) watchFill(p *process, r *persistence.OrderRecord, before decimal.Decimal) {
	isGuarded := r.EntryOrderID == "" && r.Protection.Awake() && r.FilledQty.GreaterThan(before)
	if !isGuarded || w.swarm.breaksStore() {
		return // an account that starts anew begins to count anew
	}
	id, filled := r.OrderID, r.FilledQty
	time.AfterFunc(alarmWithin, func() { w.checkGuarded(p, id, filled) })
}

func (w *world) checkGuarded(p *process, id string, filled decimal.Decimal) {
	w.mu.Lock()
	r, alarmed := w.orders[id].record, w.alarmed[id] || w.isWithdrawing(id)
	w.mu.Unlock()
	if p.isDead() || w.process != p || alarmed || !r.FilledQty.Equal(filled) {
		return
	}
	v := w.venues[r.Exchange]
	open := v.openQty(r.Customer, r.Symbol, r.Side)
	for _, kind := range []venues.Protecting{venues.ProtectingStopLoss, venues.ProtectingTakeProfit} {
		leg := r.Protection.Leg(kind)
		if leg == nil || (leg.Status != venues.ProtectionPending && leg.Status != venues.ProtectionLive) {
			continue
		}
		w.coverageOfGuards()
		covered, fate := v.coveredBy(w, &r, kind)
		if fate == legFired || !covered.LessThan(decimal.Min(open, r.FilledQty.Sub(r.ReleasedQty))) {
			continue
		}
		if fate == legEnded {
			if leg.Status == venues.ProtectionLive {
				continue // the account may not have heard of it yet
			}
			if wait := time.Until(r.UpdatedAt.Add(alarmWithin)); wait > 0 { // it was protected until then
				time.AfterFunc(wait, func() { w.checkGuarded(p, id, filled) })
				return
			}
		}
		w.violate("alarm", "of order %s %s are filled, the %s is %s for %s, and nobody says so", id, r.FilledQty, kind, leg.Status, covered)
	}
}

// isWithdrawing says whether a protecting order of an entry is being cancelled from
// here: its customer may want that. It is called under world.mu.
func (w *world) isWithdrawing(entry string) bool {
	for _, o := range w.orders {
		if o.record.EntryOrderID == entry && o.record.PendingAction == venues.PendingCancel {
			return true
		}
	}
	return false
}

func (w *world) coverageOfGuards() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.coverage.guards++
}

// noteAlarms remembers for which orders an alarm became durable. It is called under
// world.mu.
func (w *world) noteAlarms(rows []persistence.JournalEntry) {
	for i := range rows {
		if slices.Contains(alarms, rows[i].Kind) {
			w.alarmed[rows[i].Subject] = true
			w.coverage.alarms++
		}
	}
}

// openQty is what the venue has open of the position that a side opens.
func (v *venue) openQty(customer, symbol string, opening venues.Side) decimal.Decimal {
	for _, held := range v.openPositions(customer) {
		if held.Symbol == symbol && (held.Side == venues.Long) == (opening == venues.Buy) {
			return held.Qty
		}
	}
	return decimal.Zero
}

// legFate is what has become of the protecting orders of an entry at the venue.
type legFate int

const (
	legOpen legFate = iota // or there has never been one
	legEnded
	legFired
)

// coveredBy is the quantity of an entry's protecting orders of a kind that wait at
// the venue, the venue's own among them, and what has become of them: one that was
// reached closes the position.
func (v *venue) coveredBy(w *world, r *persistence.OrderRecord, kind venues.Protecting) (covered decimal.Decimal, fate legFate) {
	for _, c := range v.core.Conditionals(r.Customer, func(c *simcore.Conditional) bool { return c.Request.Symbol == r.Symbol }) {
		switch {
		case !w.protects(&c, r, kind):
		case c.Open():
			covered = decimal.Max(covered, c.Request.Qty)
		case c.Order != nil, c.Status == simcore.ConditionalTriggered, c.Status == simcore.ConditionalFinished:
			fate = legFired
		default:
			fate = max(fate, legEnded)
		}
	}
	return covered, fate
}

func (w *world) protects(c *simcore.Conditional, r *persistence.OrderRecord, kind venues.Protecting) bool {
	if attached, is := c.Request.Detail.(*attachedLeg); is {
		return attached.entry == r.VenueOrderID && attached.kind == kind
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	leg := w.orders[w.byClient[c.Request.ClientID]].record
	return leg.EntryOrderID == r.OrderID && leg.Protects == kind
}
