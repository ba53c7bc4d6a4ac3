package account

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// closedKeep is how long a closed order stays in memory for late reports; after that it is
// read from the store. An entry stays in memory as long as its legs.
const closedKeep = 10 * time.Minute

// orderIndex holds the orders in memory: the unfinished ones, and closed ones for
// closedKeep.
type orderIndex struct {
	ids clientIDs
	// orders has all orders by order id, byClient by client order id, byVenue by venue order
	// id. adopted has those made outside the service by their identity.
	orders   map[string]*order
	byClient map[string]*order
	byVenue  map[venueKey]*order
	adopted  map[string]*order

	// live has the orders that can still change or have protection in force, idle the
	// others, in the order in which they became idle. A step may iterate over all live
	// orders, but not over all idle ones, which are many.
	live map[string]*order
	idle []idleOrder
	// watched has the orders with a due time.
	watched map[string]*order
	// unknown has the orders with an unknown outcome, unprotected the entries whose position
	// lacks a leg.
	unknown, unprotected map[string]*order
	// unrecordedFills has the closed orders whose fills are not all recorded.
	unrecordedFills map[string]*order
}

// venueKey identifies an order at its venue. Venues number conditional orders separately.
type venueKey struct {
	symbol, id    string
	isConditional bool
}

// idleOrder is an entry of orderIndex.idle. It is void if since differs from the order's
// idleSince: a later step has changed the order.
type idleOrder struct {
	order *order
	since time.Time
}

func newOrderIndex(ids clientIDs) orderIndex {
	return orderIndex{
		ids: ids, orders: map[string]*order{}, byClient: map[string]*order{}, byVenue: map[venueKey]*order{},
		adopted: map[string]*order{},
		live:    map[string]*order{}, watched: map[string]*order{}, unrecordedFills: map[string]*order{},
		unknown: map[string]*order{}, unprotected: map[string]*order{},
	}
}

// insert adds an order as live.
func (x *orderIndex) insert(r persistence.OrderRecord) *order {
	o := &order{protectedOrder: protectedOrder{OrderRecord: r}, tracking: tracking{fillKeys: map[string]bool{}}}
	x.orders[o.OrderID], x.live[o.OrderID] = o, o
	if o.ClientOrderID != "" {
		x.byClient[o.ClientOrderID] = o
	}
	if !x.ids.isOurs(o.ClientOrderID) {
		x.adopted[persistence.IdentityOfID(o.OrderID)] = o
	}
	x.indexVenueID(o)
	return o
}

// indexVenueID adds the order to byVenue under its venue order id.
func (x *orderIndex) indexVenueID(o *order) {
	key := venueKey{o.Symbol, o.VenueOrderID, o.ConditionalID}
	if o.VenueOrderID != "" && x.byVenue[key] != o {
		x.byVenue[key] = o
		o.venueKeys = append(o.venueKeys, key)
	}
}

// findReported returns the order that a report is about; nil if it is not in memory.
func (x *orderIndex) findReported(r *venues.ExecutionReport) *order {
	if o, ok := x.byClient[r.ClientOrderID]; ok && x.ids.isAbout(&o.OrderRecord, r) {
		return o
	}
	if o, ok := x.byVenue[venueKey{r.Symbol, r.VenueOrderID, r.ConditionalID}]; ok {
		return o
	}
	if id, ours := x.ids.orderID(r.ClientOrderID); ours {
		return x.orders[id]
	}
	return x.adopted[x.ids.identityOf(r)]
}

// findFilled returns the order of a fill; nil if it is not in memory. A conditional
// order is executed under the venue order id of the order that it becomes.
func (x *orderIndex) findFilled(f *venues.Fill) *order {
	return x.byVenue[venueKey{symbol: f.Symbol, id: f.VenueOrderID}]
}

// updateActivity moves an order that a step has changed at now to the live or the idle
// orders.
func (x *orderIndex) updateActivity(now time.Time, o *order) {
	delete(x.unrecordedFills, o.OrderID)
	if x.orders[o.OrderID] == o && o.Status.IsClosed() && o.fillsQty.LessThan(o.FilledQty) {
		x.unrecordedFills[o.OrderID] = o
	}
	switch {
	case x.orders[o.OrderID] != o: // evicted in the same step
		return
	case o.Unfinished() || o.storing:
		x.live[o.OrderID] = o
		return
	}
	delete(x.live, o.OrderID)
	o.idleSince = now
	x.idle = append(x.idle, idleOrder{o, now})
}

// watch adds the order to the watched ones if it has a due time, or removes it.
func (x *orderIndex) watch(o *order) {
	x.note(o)
	if o.nextDue().IsZero() {
		delete(x.watched, o.OrderID)
		return
	}
	x.watched[o.OrderID] = o
}

// evictClosed removes the orders from memory that have been idle for closedKeep.
func (x *orderIndex) evictClosed(now time.Time) {
	n := 0
	for n < len(x.idle) && now.Sub(x.idle[n].since) > closedKeep {
		o, since := x.idle[n].order, x.idle[n].since
		n++
		switch {
		case !o.idleSince.Equal(since) || o.Unfinished():
		case o.nextDue().IsZero() && !o.Bracket.HasOpenOrders():
			x.evict(o)
		default:
			x.updateActivity(now, o) // checked again after another closedKeep
		}
	}
	x.idle = slices.Delete(x.idle, 0, n)
}

// evict removes an order from memory.
func (x *orderIndex) evict(o *order) {
	delete(x.orders, o.OrderID)
	delete(x.live, o.OrderID)
	delete(x.unrecordedFills, o.OrderID)
	if x.byClient[o.ClientOrderID] == o {
		delete(x.byClient, o.ClientOrderID)
	}
	if identity := persistence.IdentityOfID(o.OrderID); x.adopted[identity] == o {
		delete(x.adopted, identity)
	}
	for _, key := range o.venueKeys {
		if x.byVenue[key] == o {
			delete(x.byVenue, key)
		}
	}
	delete(x.watched, o.OrderID)
	x.note(o)
}

// idleAfter iterates over the orders that became idle at from or later, the newest
// first.
func (x *orderIndex) idleAfter(from time.Time) iter.Seq[*order] {
	return func(yield func(*order) bool) {
		for i := len(x.idle) - 1; i >= 0 && !x.idle[i].since.Before(from); i-- {
			r := x.idle[i]
			if r.order.idleSince.Equal(r.since) && x.live[r.order.OrderID] == nil && !yield(r.order) {
				return
			}
		}
	}
}

// liveInOrder returns the orders that can still change or have protection in force,
// oldest first.
func (x *orderIndex) liveInOrder() []*order { return oldestFirst(maps.Values(x.live)) }

// allInOrder returns every order in memory, oldest first.
func (x *orderIndex) allInOrder() []*order { return oldestFirst(maps.Values(x.orders)) }

// watchedInOrder returns the orders with a due time, oldest first.
func (x *orderIndex) watchedInOrder() []*order { return oldestFirst(maps.Values(x.watched)) }

func oldestFirst(orders iter.Seq[*order]) []*order {
	return slices.SortedFunc(orders, func(a, b *order) int { return cmp.Compare(a.OrderID, b.OrderID) })
}

// unfinished returns the orders that are not closed, oldest first.
func (x *orderIndex) unfinished() []*order {
	return slices.DeleteFunc(x.liveInOrder(), func(o *order) bool { return o.Status.IsClosed() })
}

// unfinishedCount returns the number of orders that are not closed.
func (x *orderIndex) unfinishedCount() int {
	n := 0
	for _, o := range x.live {
		if !o.Status.IsClosed() {
			n++
		}
	}
	return n
}
