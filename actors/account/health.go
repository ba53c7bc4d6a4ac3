package account

import (
	"sync/atomic"
	"time"

	"venuegate/venues"
)

// Health is what an operator sees of an account. The zero value is that of an account
// that has not started.
type Health struct {
	// Ready is set once the account accepts orders, Halted while its kill switch is in
	// force.
	Ready, Halted bool
	// Unknown is the number of orders with an unknown outcome, UnknownSince since when the
	// oldest of them has it.
	Unknown      int
	UnknownSince time.Time
	// Unprotected is the number of positions that lack a leg which they should have.
	Unprotected int
	// unprotectedAt is when Unprotected last changed, unprotectedTotal the time that all
	// positions together had been unprotected until then.
	unprotectedAt    time.Time
	unprotectedTotal time.Duration
}

// UnprotectedTotal returns the time that all positions together have been unprotected.
func (h *Health) UnprotectedTotal(now time.Time) time.Duration {
	if h.Unprotected == 0 {
		return h.unprotectedTotal
	}
	return h.unprotectedTotal + time.Duration(h.Unprotected)*max(0, now.Sub(h.unprotectedAt))
}

// Monitor publishes the health of an account and counts its orders. It serves all
// incarnations of the account, and is safe for concurrent use.
type Monitor struct {
	counts *Counts
	health atomic.Pointer[Health]
}

// NewMonitor returns the monitor of an account whose orders are counted by counts.
func NewMonitor(counts *Counts) *Monitor {
	m := &Monitor{counts: counts}
	m.health.Store(&Health{})
	return m
}

// Health returns the health of the account.
func (m *Monitor) Health() Health { return *m.health.Load() }

// publish publishes a health that differs from the last one.
func (m *Monitor) publish(now time.Time, next Health) {
	last := m.health.Load()
	next.unprotectedAt, next.unprotectedTotal = last.unprotectedAt, last.unprotectedTotal
	if next == *last {
		return
	}
	changed := next // allocated only here, not after every step
	if changed.Unprotected != last.Unprotected {
		changed.unprotectedAt, changed.unprotectedTotal = now, last.UnprotectedTotal(now)
	}
	m.health.Store(&changed)
}

// Counts counts the orders of the accounts at one venue. The zero value is ready for use.
// It is safe for concurrent use.
type Counts struct{ orders [orderStatuses]atomic.Uint64 }

// orderStatuses is the number of venues.OrderStatuses.
const orderStatuses = 10

// order counts an order that has reached a status.
func (c *Counts) order(status venues.OrderStatus) { c.orders[statusIndex(status)].Add(1) }

// Orders returns how often orders have reached a status that was recorded.
func (c *Counts) Orders(status venues.OrderStatus) uint64 {
	return c.orders[statusIndex(status)].Load()
}

func statusIndex(status venues.OrderStatus) int {
	switch status {
	case venues.StatusPending:
		return 0
	case venues.StatusUntriggered:
		return 1
	case venues.StatusOpen:
		return 2
	case venues.StatusPartiallyFilled:
		return 3
	case venues.StatusFilled:
		return 4
	case venues.StatusCancelled:
		return 5
	case venues.StatusRejected:
		return 6
	case venues.StatusExpired:
		return 7
	case venues.StatusReplaced:
		return 8
	case venues.StatusUnknown:
		return 9
	}
	panic("account: status " + string(status))
}

// health returns the health after a step; nothing of an account that stops.
func (s *state) health() Health {
	if s.stopping {
		return Health{}
	}
	h := Health{Ready: s.ready, Halted: s.risk.Halted, Unknown: len(s.unknown)}
	for _, o := range s.unknown {
		if h.UnknownSince.IsZero() || o.UnknownSince.Before(h.UnknownSince) {
			h.UnknownSince = o.UnknownSince.Time
		}
	}
	if len(s.unprotected) > 0 {
		positions := make(map[string]bool, len(s.unprotected))
		for _, o := range s.unprotected {
			positions[o.ProtectedPosition()] = true
		}
		h.Unprotected = len(positions)
	}
	return h
}

// note adds an order to the lists of those that an operator watches, or removes it.
func (x *orderIndex) note(o *order) {
	inMemory := x.orders[o.OrderID] == o
	isUnknown, isUnprotected := o.Status == venues.StatusUnknown, o.Bracket.IsUnprotected()
	o.unknownWarned, o.unprotectedWarned = o.unknownWarned && isUnknown, o.unprotectedWarned && isUnprotected
	list(x.unknown, o, inMemory && isUnknown)
	list(x.unprotected, o, inMemory && isUnprotected)
}

func list(orders map[string]*order, o *order, listed bool) {
	switch {
	case listed:
		orders[o.OrderID] = o
	case len(orders) > 0:
		delete(orders, o.OrderID)
	}
}
