package restclient

import (
	"context"
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// waitersMax bounds how many requests may wait for room at once.
const waitersMax = 1024

// Gate is a Ledger that requests can wait at. It is safe for concurrent use.
type Gate struct {
	mu     sync.Mutex
	ledger Ledger
	// waiting are the requests that found no room, in the order of their coming.
	waiting []*waiter
}

// waiter is a request that has come to the gate.
type waiter struct {
	lane  Lane
	costs []Cost
	// short is the budget that had no room.
	short *Budget
	// again wakes the request: somebody ahead of it has given up.
	again chan struct{}
}

// NewGate makes an open gate.
func NewGate() *Gate { return &Gate{} }

// Wait returns nil when the request may leave now, with its costs taken. Nobody
// overtakes a request of the same lane, or of a higher one, that waits for the
// same budget: a request that needs much room is not kept out by many that need
// little. It fails with rate_limited, and the time to wait, when the gate is
// frozen or when room will come too late for ctx. Nothing has been sent then.
func (g *Gate) Wait(ctx context.Context, lane Lane, costs ...Cost) error {
	w := &waiter{lane: lane, costs: costs, again: make(chan struct{}, 1)}
	for {
		now := time.Now()
		verdict, waits := g.admit(ctx, now, w)
		if verdict.Admitted {
			return nil
		}
		delay := verdict.RetryAt.Sub(now)
		var err error
		if waits {
			err = w.sleep(ctx, delay)
		}
		if !waits || err != nil {
			g.giveUp(w)
			return limited(verdict, delay).Because(err)
		}
	}
}

// admit lets the request through, or has it wait if that is of use and there is a
// place.
func (g *Gate) admit(ctx context.Context, now time.Time, w *waiter) (verdict Verdict, waits bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	verdict = g.ledger.Admit(now, w.lane, w.costs, g.ahead(w))
	if verdict.Admitted {
		g.remove(w)
		return verdict, false
	}
	deadline, bounded := ctx.Deadline()
	if verdict.Frozen || (bounded && verdict.RetryAt.After(deadline)) {
		return verdict, false
	}
	w.short = verdict.short
	if !slices.Contains(g.waiting, w) {
		if len(g.waiting) == waitersMax {
			return verdict, false
		}
		g.waiting = append(g.waiting, w)
	}
	return verdict, true
}

// ahead is what those who may leave before the request take of what they wait for.
func (g *Gate) ahead(w *waiter) (costs []Cost) {
	came := false
	for _, other := range g.waiting {
		came = came || other == w
		if other.lane < w.lane || (other.lane == w.lane && !came) {
			costs = append(costs, Cost{other.short, unitsOf(other.costs, other.short)})
		}
	}
	return costs
}

// remove takes a request out of those that wait, and says whether it was there; mu
// is held.
func (g *Gate) remove(w *waiter) bool {
	place := slices.Index(g.waiting, w)
	if place < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, place, place+1)
	return true
}

// giveUp takes back what a request has waited for. Whoever waits for the same
// budget may find room now.
func (g *Gate) giveUp(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.remove(w) {
		return
	}
	for _, other := range g.waiting {
		if other.short == w.short {
			other.wake()
		}
	}
}

func (w *waiter) wake() {
	select {
	case w.again <- struct{}{}:
	default:
	}
}

// sleep waits for delay, or until it is woken.
func (w *waiter) sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.again:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func limited(v Verdict, retryAfter time.Duration) *venues.Error {
	e := venues.Errorf(venues.CodeRateLimited, "the venue's request limit leaves no room")
	if v.Frozen {
		e = venues.Errorf(venues.CodeRateLimited, "the venue asked for silence")
	}
	if v.Budget != "" {
		e = e.With("limit", v.Budget)
	}
	e.RetryAfter = retryAfter
	return e
}

// Observe adopts the venue's own counter of a budget; see Ledger.Observe.
func (g *Gate) Observe(b *Budget, used int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ledger.Observe(time.Now(), b, used)
}

// Freeze sends nothing at all for d.
func (g *Gate) Freeze(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ledger.Freeze(time.Now().Add(d))
}

// Exhaust sends nothing but cancels on a budget for d.
func (g *Gate) Exhaust(b *Budget, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ledger.Exhaust(b, time.Now().Add(d))
}

// Resize adopts a limit that the venue publishes.
func (g *Gate) Resize(b *Budget, limit int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ledger.Resize(b, limit)
}

// FrozenFor is how long the gate stays frozen; zero if it is open. Whoever makes
// connections beside the gate's requests asks for it before each.
func (g *Gate) FrozenFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, time.Until(g.ledger.frozenUntil))
}
