package delivery

import (
	"sync/atomic"
	"time"
)

// Health is what an operator sees of a queue.
type Health struct {
	// Pending is the number of pending deliveries in memory: all of them, or the windowMax
	// that are due first. A paused endpoint has none in memory.
	Pending int
	// OldestDue is when the first of them was or will be due; zero if there is none.
	OldestDue time.Time
}

// Monitor publishes the health of a queue and counts its deliveries. It serves all
// incarnations of the queue, and is safe for concurrent use.
type Monitor struct {
	counts *Counts
	health atomic.Pointer[Health]
}

// NewMonitor returns the monitor of a queue whose deliveries are counted by counts.
func NewMonitor(counts *Counts) *Monitor {
	m := &Monitor{counts: counts}
	m.health.Store(&Health{})
	return m
}

// Health returns the health of the queue.
func (m *Monitor) Health() Health { return *m.health.Load() }

func (m *Monitor) publish(next Health) {
	if next != *m.health.Load() {
		changed := next // allocated only here, not after every step
		m.health.Store(&changed)
	}
}

// Counts counts the deliveries that have ended. The zero value is ready for use. It is
// safe for concurrent use.
type Counts struct{ delivered, undelivered atomic.Uint64 }

// Delivered returns the number of deliveries that have succeeded.
func (c *Counts) Delivered() uint64 { return c.delivered.Load() }

// Undelivered returns the number of deliveries that were given up.
func (c *Counts) Undelivered() uint64 { return c.undelivered.Load() }

// health returns the health of the window.
func (w *window) health() Health {
	h := Health{Pending: len(w.byEvent)}
	for _, x := range w.byEvent {
		if h.OldestDue.IsZero() || x.DueAt.Before(h.OldestDue) {
			h.OldestDue = x.DueAt.Time
		}
	}
	return h
}
