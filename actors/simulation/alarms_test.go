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

// alarmWithin is the time by which an alert must be durable: one second after it is due.
const alarmWithin = account.DefaultAlarmAfter + time.Second

// alarms are the journal rows that report an unprotected fill.
var alarms = []string{"order.unprotected", "order.protection_lost", "order.closed_by_protection"}

// watchFill checks a fill that requires protection at the time when it must be
// protected or an alert must have been raised. It is called with world.mu held.
func (w *world) watchFill(p *process, r *persistence.OrderRecord, before decimal.Decimal) {
	isGuarded := r.EntryOrderID == "" && r.Protection.IsActive() && r.FilledQty.GreaterThan(before)
	if !isGuarded || w.swarm.breaksStore() {
		return // a restarted account starts its timers again
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
	for _, kind := range []venues.LegKind{venues.LegStopLoss, venues.LegTakeProfit} {
		leg := r.Protection.Leg(kind)
		if leg == nil || (leg.Status != venues.ProtectionPending && leg.Status != venues.ProtectionLive) {
			continue
		}
		w.coverageOfGuards()
		covered, state := v.coveredBy(w, &r, kind)
		if state == legFired || !covered.LessThan(decimal.Min(open, r.FilledQty.Sub(r.ReleasedQty))) {
			continue
		}
		if state == legEnded {
			if leg.Status == venues.ProtectionLive {
				continue // the account may not have received the report yet
			}
			if wait := time.Until(r.UpdatedAt.Add(alarmWithin)); wait > 0 { // it was protected until then
				time.AfterFunc(wait, func() { w.checkGuarded(p, id, filled) })
				return
			}
		}
		w.violate("alarm", "of order %s %s are filled, the %s is %s for %s, and there is no alert", id, r.FilledQty, kind, leg.Status, covered)
	}
}

// isWithdrawing reports whether the service is cancelling a protecting order of an
// entry, as its customer may request. It is called with world.mu held.
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

// noteAlarms records for which orders an alert became durable. It is called with
// world.mu held.
func (w *world) noteAlarms(rows []persistence.JournalEntry) {
	for i := range rows {
		if slices.Contains(alarms, rows[i].Kind) {
			w.alarmed[rows[i].Subject] = true
			w.coverage.alarms++
		}
	}
}

// openQty returns the venue's quantity of the position that a side opens.
func (v *venue) openQty(customer, symbol string, opening venues.Side) decimal.Decimal {
	for _, held := range v.openPositions(customer) {
		if held.Symbol == symbol && (held.Side == venues.Long) == (opening == venues.Buy) {
			return held.Qty
		}
	}
	return decimal.Zero
}

// legState is the state of an entry's protecting orders at the venue.
type legState int

const (
	legOpen legState = iota // or there has never been one
	legEnded
	legFired
)

// coveredBy returns the quantity of an entry's open protecting orders of a kind at the
// venue, including the venue's own, and their state: a triggered one closes the
// position.
func (v *venue) coveredBy(w *world, r *persistence.OrderRecord, kind venues.LegKind) (covered decimal.Decimal, state legState) {
	for _, c := range v.core.Conditionals(r.Customer, func(c *simcore.Conditional) bool { return c.Request.Symbol == r.Symbol }) {
		switch {
		case !w.protects(&c, r, kind):
		case c.Open():
			covered = decimal.Max(covered, c.Request.Qty)
		case c.Order != nil, c.Status == simcore.ConditionalTriggered, c.Status == simcore.ConditionalFinished:
			state = legFired
		default:
			state = max(state, legEnded)
		}
	}
	return covered, state
}

func (w *world) protects(c *simcore.Conditional, r *persistence.OrderRecord, kind venues.LegKind) bool {
	if attached, is := c.Request.Detail.(*attachedLeg); is {
		return attached.entry == r.VenueOrderID && attached.kind == kind
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	leg := w.orders[w.byClient[c.Request.ClientID]].record
	return leg.EntryOrderID == r.OrderID && leg.Protects == kind
}
