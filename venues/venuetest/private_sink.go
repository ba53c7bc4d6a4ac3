package venuetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

const (
	// waitMax bounds every wait of a case. Only a failing case reaches it, so that it
	// suits the slowest machine.
	waitMax = time.Minute
	// orderLifetime is the time to the deadline of an order where a case does not depend
	// on it; shorter than a minute, in which the limits of C-300 count.
	orderLifetime = 30 * time.Second
)

// sink is a private sink that records events, and reports concurrent calls and invalid
// changes of status as errors.
type sink struct {
	wake    chan struct{}
	calling atomic.Bool

	mu sync.Mutex
	// anyOrder is set where a case itself changes the order of events.
	anyOrder bool
	// severalConnections is set where a venue publishes the events of an order on
	// several connections, so that an event may arrive after the end of its order.
	severalConnections bool
	faults             []string
	reports            []venues.ExecutionReport
	positions          []venues.Position
	balances           int
	connected          int
	lost               []error
}

func newSink() *sink { return &sink{wake: make(chan struct{}, 1)} }

func (h *sink) record(what func()) {
	overlaps := !h.calling.CompareAndSwap(false, true)
	h.mu.Lock()
	if overlaps {
		h.faults = append(h.faults, "two calls at once")
	}
	what()
	h.mu.Unlock()
	h.calling.Store(false)
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *sink) Report(r venues.ExecutionReport) {
	h.record(func() {
		before := h.before(&r)
		if h.severalConnections && before.IsClosed() && r.Status.IsActive() {
			return
		}
		if before != "" && !before.CanBecome(r.Status) && !h.anyOrder {
			h.faults = append(h.faults, fmt.Sprintf("%s (%s) went from %s to %s", r.ClientOrderID, r.VenueOrderID, before, r.Status))
		}
		if !r.Status.Valid() {
			h.faults = append(h.faults, fmt.Sprintf("%s is %q", r.ClientOrderID, r.Status))
		}
		h.reports = append(h.reports, r)
	})
}

func (h *sink) Position(p venues.Position) { h.record(func() { h.positions = append(h.positions, p) }) }
func (h *sink) BalancesChanged()           { h.record(func() { h.balances++ }) }
func (h *sink) Connected()                 { h.record(func() { h.connected++ }) }
func (h *sink) Lost(cause error)           { h.record(func() { h.lost = append(h.lost, cause) }) }

// before returns the newest status of an order before r; empty if there is none. Orders
// that the venue itself placed have no client id.
func (h *sink) before(r *venues.ExecutionReport) venues.OrderStatus {
	for _, reported := range slices.Backward(h.reports) {
		if reported.ClientOrderID == r.ClientOrderID && (r.ClientOrderID != "" || reported.VenueOrderID == r.VenueOrderID) {
			return reported.Status
		}
	}
	return ""
}

// stepsOf returns the statuses of an order as published by the stream, without
// repetitions.
func (h *sink) stepsOf(clientOrderID string) []venues.OrderStatus {
	var life []venues.OrderStatus
	for _, r := range h.reports {
		if r.ClientOrderID == clientOrderID && (len(life) == 0 || life[len(life)-1] != r.Status) {
			life = append(life, r.Status)
		}
	}
	return life
}

// last returns the newest report of an order.
func (h *sink) last(clientOrderID string) venues.ExecutionReport {
	for _, r := range slices.Backward(h.reports) {
		if r.ClientOrderID == clientOrderID {
			return r
		}
	}
	return venues.ExecutionReport{}
}

// fillsOf returns the fills of an order as published by the stream.
func (h *sink) fillsOf(clientOrderID string) []venues.Fill {
	var fills []venues.Fill
	for _, r := range h.reports {
		if r.ClientOrderID == clientOrderID && r.Fill != nil {
			fills = append(fills, *r.Fill)
		}
	}
	return fills
}

// position returns the newest state of a side; false if none was published.
func (h *sink) position(side venues.PositionSide) (venues.Position, bool) {
	for _, p := range slices.Backward(h.positions) {
		if p.Symbol == symbol && p.Side == side {
			return p, true
		}
	}
	return venues.Position{}, false
}

// hasPosition reports whether the newest state of a side is qty.
func (h *sink) hasPosition(side venues.PositionSide, qty string) bool {
	p, reported := h.position(side)
	return reported && p.Qty.Equal(d(qty))
}

func sumOf(fills []venues.Fill) (qty decimal.Decimal) {
	for _, f := range fills {
		qty = qty.Add(f.Qty)
	}
	return qty
}

// await waits until done returns true, which is called under the lock.
func (h *sink) await(t *testing.T, what string, done func(*sink) bool) {
	t.Helper()
	late := time.After(waitMax)
	for {
		h.mu.Lock()
		ok := done(h)
		faults := h.faults
		h.faults = nil
		h.mu.Unlock()
		if len(faults) > 0 {
			t.Errorf("private stream: %v, want no errors", faults)
		}
		if ok {
			return
		}
		select {
		case <-h.wake:
		case <-late:
			h.mu.Lock()
			defer h.mu.Unlock()
			t.Fatalf("timeout, want %s; %s; %d positions, connected %d times, lost %v", what, h.summary(), len(h.positions), h.connected, h.lost)
		}
	}
}

func (h *sink) summary() string {
	text := "reports"
	for _, r := range h.reports {
		text += fmt.Sprintf(" %s:%s:%s", r.ClientOrderID, r.Status, r.FilledQty)
	}
	return text
}

// await waits for a condition of the case's private stream.
func (s *env) await(what string, done func(*sink) bool) {
	s.t.Helper()
	s.sink.await(s.t, what, done)
}

// awaitStatus waits until a status of an order is the newest that the stream has
// published.
func (s *env) awaitStatus(r venues.OrderRequest, status venues.OrderStatus) {
	s.t.Helper()
	s.await(r.ClientOrderID+" "+string(status), func(h *sink) bool {
		life := h.stepsOf(r.ClientOrderID)
		return len(life) > 0 && life[len(life)-1] == status
	})
}

// awaitSteps waits until the stream has published these statuses of an order in this
// order; a venue may publish others between them.
func (s *env) awaitSteps(r venues.OrderRequest, steps ...venues.OrderStatus) {
	s.t.Helper()
	s.await(fmt.Sprintf("%s %v", r.ClientOrderID, steps), func(h *sink) bool {
		life := h.stepsOf(r.ClientOrderID)
		for _, step := range steps {
			n := slices.Index(life, step)
			if n < 0 {
				return false
			}
			life = life[n:]
		}
		return true
	})
}
