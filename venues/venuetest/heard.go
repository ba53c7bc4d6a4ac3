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
	// patience is how long a case waits for what must come. Only a case that
	// fails spends it, so that it serves the slowest machine.
	patience = time.Minute
	// orderLifetime is how far off the deadline of an order is where a case does
	// not care; shorter than a minute, in which the limits of C-300 count.
	orderLifetime = 30 * time.Second
)

// heard is a private sink that remembers, and finds fault with calls that
// overlap and with steps that no order may take.
type heard struct {
	wake    chan struct{}
	calling atomic.Bool

	mu sync.Mutex
	// disordered is set where a case brings events out of order itself.
	disordered bool
	// severalSockets is set where a venue tells of one order on several
	// connections, so that a step may come after the end; it is late then.
	severalSockets bool
	faults         []string
	reports        []venues.ExecutionReport
	positions      []venues.Position
	balances       int
	connected      int
	lost           []error
}

func newHeard() *heard { return &heard{wake: make(chan struct{}, 1)} }

func (h *heard) note(what func()) {
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

func (h *heard) Report(r venues.ExecutionReport) {
	h.note(func() {
		before := h.before(&r)
		if h.severalSockets && before.IsClosed() && r.Status.IsActive() {
			return
		}
		if before != "" && !before.CanBecome(r.Status) && !h.disordered {
			h.faults = append(h.faults, fmt.Sprintf("%s (%s) went from %s to %s", r.ClientOrderID, r.VenueOrderID, before, r.Status))
		}
		if !r.Status.Valid() {
			h.faults = append(h.faults, fmt.Sprintf("%s is %q", r.ClientOrderID, r.Status))
		}
		h.reports = append(h.reports, r)
	})
}

func (h *heard) Position(p venues.Position) { h.note(func() { h.positions = append(h.positions, p) }) }
func (h *heard) BalancesChanged()           { h.note(func() { h.balances++ }) }
func (h *heard) Connected()                 { h.note(func() { h.connected++ }) }
func (h *heard) Lost(cause error)           { h.note(func() { h.lost = append(h.lost, cause) }) }

// before is the newest status of an order that was told before r; empty if none
// was. Orders of the venue's own making have no client id.
func (h *heard) before(r *venues.ExecutionReport) venues.OrderStatus {
	for _, told := range slices.Backward(h.reports) {
		if told.ClientOrderID == r.ClientOrderID && (r.ClientOrderID != "" || told.VenueOrderID == r.VenueOrderID) {
			return told.Status
		}
	}
	return ""
}

// lifeOf is the steps of an order as the stream told them, repeats left out.
func (h *heard) lifeOf(clientOrderID string) []venues.OrderStatus {
	var life []venues.OrderStatus
	for _, r := range h.reports {
		if r.ClientOrderID == clientOrderID && (len(life) == 0 || life[len(life)-1] != r.Status) {
			life = append(life, r.Status)
		}
	}
	return life
}

// last is the newest report of an order.
func (h *heard) last(clientOrderID string) venues.ExecutionReport {
	for _, r := range slices.Backward(h.reports) {
		if r.ClientOrderID == clientOrderID {
			return r
		}
	}
	return venues.ExecutionReport{}
}

// fillsOf is the fills that the stream told of an order.
func (h *heard) fillsOf(clientOrderID string) []venues.Fill {
	var fills []venues.Fill
	for _, r := range h.reports {
		if r.ClientOrderID == clientOrderID && r.Fill != nil {
			fills = append(fills, *r.Fill)
		}
	}
	return fills
}

// position is the newest state of a side; false if nothing was told.
func (h *heard) position(side venues.PositionSide) (venues.Position, bool) {
	for _, p := range slices.Backward(h.positions) {
		if p.Symbol == symbol && p.Side == side {
			return p, true
		}
	}
	return venues.Position{}, false
}

// holds says whether the newest state of a side is qty.
func (h *heard) holds(side venues.PositionSide, qty string) bool {
	p, told := h.position(side)
	return told && p.Qty.Equal(d(qty))
}

func sumOf(fills []venues.Fill) (qty decimal.Decimal) {
	for _, f := range fills {
		qty = qty.Add(f.Qty)
	}
	return qty
}

// await waits until done likes what was heard; it runs under the lock.
func (h *heard) await(t *testing.T, what string, done func(*heard) bool) {
	t.Helper()
	late := time.After(patience)
	for {
		h.mu.Lock()
		ok := done(h)
		faults := h.faults
		h.faults = nil
		h.mu.Unlock()
		if len(faults) > 0 {
			t.Errorf("private stream: %v", faults)
		}
		if ok {
			return
		}
		select {
		case <-h.wake:
		case <-late:
			h.mu.Lock()
			defer h.mu.Unlock()
			t.Fatalf("%s did not come; %s; %d positions, connected %d, lost %v", what, h.story(), len(h.positions), h.connected, h.lost)
		}
	}
}

func (h *heard) story() string {
	text := "reports"
	for _, r := range h.reports {
		text += fmt.Sprintf(" %s:%s:%s", r.ClientOrderID, r.Status, r.FilledQty)
	}
	return text
}

// await waits on the case's private stream.
func (s *stage) await(what string, done func(*heard) bool) {
	s.t.Helper()
	s.heard.await(s.t, what, done)
}

// reaches waits until the stream tells a status of an order and it is the newest.
func (s *stage) reaches(r venues.OrderRequest, status venues.OrderStatus) {
	s.t.Helper()
	s.await(r.ClientOrderID+" "+string(status), func(h *heard) bool {
		life := h.lifeOf(r.ClientOrderID)
		return len(life) > 0 && life[len(life)-1] == status
	})
}

// lived waits until an order's life has these steps in this order; a venue may
// tell steps between them.
func (s *stage) lived(r venues.OrderRequest, steps ...venues.OrderStatus) {
	s.t.Helper()
	s.await(fmt.Sprintf("%s %v", r.ClientOrderID, steps), func(h *heard) bool {
		life := h.lifeOf(r.ClientOrderID)
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
