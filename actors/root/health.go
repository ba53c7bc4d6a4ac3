package root

import (
	"time"

	"venuegate/actors/account"
	"venuegate/actors/delivery"
	"venuegate/venues"
)

// CustomerCounts counts customers by what an operator has to know of them.
type CustomerCounts struct {
	// Loading is the number of customers with an account that is not reconciled with its
	// venue yet, Halted of those with an account whose kill switch is in force.
	Loading, Halted int
}

// CustomerCounts returns the counts of the customers that are not disabled, and whether
// the directory is loaded: the records of all of them have been read.
func (d *Directory) CustomerCounts() (counts CustomerCounts, loaded bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for id := range d.customers {
		_, loading := d.loading[id]
		halted := false
		for _, exchange := range venues.All() {
			key := accountKey{id, exchange}
			if _, connected := d.accounts[key]; !connected || d.monitors[key] == nil {
				continue
			}
			h := d.monitors[key].Health()
			loading, halted = loading || !h.Ready, halted || h.Halted
		}
		if loading {
			counts.Loading++
		}
		if halted {
			counts.Halted++
		}
	}
	return counts, len(d.loading) == 0
}

// EachAccount calls do with the health of every account that has been connected since the
// start, in no order.
func (d *Directory) EachAccount(do func(venues.Venue, account.Health)) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for key, m := range d.monitors {
		do(key.exchange, m.Health())
	}
}

// OrderCounts returns the counts of the orders at a venue.
func (d *Directory) OrderCounts(exchange venues.Venue) *account.Counts { return d.counts[exchange] }

// monitor returns the monitor of an account, which serves all its connections.
func (d *Directory) monitor(customer string, exchange venues.Venue) *account.Monitor {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := accountKey{customer, exchange}
	if d.monitors[key] == nil {
		d.monitors[key] = account.NewMonitor(d.counts[exchange])
	}
	return d.monitors[key]
}

// DeliveryStats are the deliveries of all endpoints.
type DeliveryStats struct {
	// Pending is the number of deliveries that are pending, as far as they are in memory.
	Pending int
	// OldestDue is when the first of them was or will be due; zero if there is none.
	OldestDue time.Time
	// Delivered and Undelivered count the deliveries that have ended since the start.
	Delivered, Undelivered uint64
}

// DeliveryStats returns the deliveries of all endpoints.
func (d *Directory) DeliveryStats() DeliveryStats {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s := DeliveryStats{Delivered: d.deliveryCounts.Delivered(), Undelivered: d.deliveryCounts.Undelivered()}
	for _, m := range d.deliveries {
		h := m.Health()
		s.Pending += h.Pending
		if !h.OldestDue.IsZero() && (s.OldestDue.IsZero() || h.OldestDue.Before(s.OldestDue)) {
			s.OldestDue = h.OldestDue
		}
	}
	return s
}

// deliveryMonitor returns the monitor of an endpoint's queue.
func (d *Directory) deliveryMonitor(id string) *delivery.Monitor {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.deliveries[id] == nil {
		d.deliveries[id] = delivery.NewMonitor(&d.deliveryCounts)
	}
	return d.deliveries[id]
}
