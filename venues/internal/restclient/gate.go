package restclient

import (
	"context"
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// waitersMax bounds the requests that wait at the same time.
const waitersMax = 1024

// Gate is a Limiter at which requests can wait. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	limiter Limiter
	// waiting are the requests that were not admitted, in the order of arrival.
	waiting []*waiter
	usage   usage
}

// waiter is a request at the gate.
type waiter struct {
	priority Priority
	costs    []Cost
	// exhausted is the budget that was used up.
	exhausted *Budget
	// retry wakes the request: one ahead of it has given up.
	retry chan struct{}
}

// NewGate returns an open gate.
func NewGate() *Gate { return &Gate{} }

// Wait takes the costs of a request and returns nil when it may be sent. No request
// overtakes one of the same or a higher priority that waits for the same budget, so many
// cheap requests cannot starve an expensive one. If the gate is frozen, or the budget is
// available too late for ctx, Wait fails with rate_limited and the time to wait.
func (g *Gate) Wait(ctx context.Context, priority Priority, costs ...Cost) error {
	w := &waiter{priority: priority, costs: costs, retry: make(chan struct{}, 1)}
	for {
		now := time.Now()
		decision, waits := g.admit(ctx, now, w)
		if decision.Admitted {
			return nil
		}
		delay := decision.RetryAt.Sub(now)
		var err error
		if waits {
			err = w.sleep(ctx, delay)
		}
		if !waits || err != nil {
			g.giveUp(w)
			return limited(decision, delay).Because(err)
		}
	}
}

// admit admits the request, or queues it if waiting can succeed and the queue is not full.
func (g *Gate) admit(ctx context.Context, now time.Time, w *waiter) (decision Decision, waits bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	decision = g.limiter.Admit(now, w.priority, w.costs, g.ahead(w))
	if decision.Admitted {
		g.usage.note(w.costs)
		g.remove(w)
		return decision, false
	}
	deadline, bounded := ctx.Deadline()
	if decision.Frozen || (bounded && decision.RetryAt.After(deadline)) {
		return decision, false
	}
	w.exhausted = decision.exhausted
	if !slices.Contains(g.waiting, w) {
		if len(g.waiting) == waitersMax {
			return decision, false
		}
		g.waiting = append(g.waiting, w)
	}
	return decision, true
}

// ahead returns the units for which requests with precedence over w wait.
func (g *Gate) ahead(w *waiter) (costs []Cost) {
	seen := false
	for _, other := range g.waiting {
		seen = seen || other == w
		if other.priority < w.priority || (other.priority == w.priority && !seen) {
			costs = append(costs, Cost{other.exhausted, unitsOf(other.costs, other.exhausted)})
		}
	}
	return costs
}

// remove removes a request from the waiting ones and reports whether it was one; mu is
// held.
func (g *Gate) remove(w *waiter) bool {
	place := slices.Index(g.waiting, w)
	if place < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, place, place+1)
	return true
}

// giveUp removes a request that no longer waits and wakes those that wait for the same
// budget.
func (g *Gate) giveUp(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.remove(w) {
		return
	}
	for _, other := range g.waiting {
		if other.exhausted == w.exhausted {
			other.wake()
		}
	}
}

func (w *waiter) wake() {
	select {
	case w.retry <- struct{}{}:
	default:
	}
}

// sleep waits for delay or until it is woken.
func (w *waiter) sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.retry:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func limited(d Decision, retryAfter time.Duration) *venues.Error {
	e := venues.Errorf(venues.CodeRateLimited, "the venue's rate limit is used up")
	if d.Frozen {
		e = venues.Errorf(venues.CodeRateLimited, "the venue stopped requests for a time")
	}
	e = e.With("scope", venues.LimitOfVenue)
	if d.Budget != "" {
		e = e.With("limit", d.Budget)
	}
	e.RetryAfter = retryAfter
	return e
}

// Observe adopts the venue's own counter of a budget; see Limiter.Observe.
func (g *Gate) Observe(b *Budget, used int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limiter.Observe(time.Now(), b, used)
}

// Freeze stops all requests for d.
func (g *Gate) Freeze(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limiter.Freeze(time.Now().Add(d))
}

// Exhaust stops all requests except cancels on a budget for d.
func (g *Gate) Exhaust(b *Budget, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limiter.Exhaust(b, time.Now().Add(d))
}

// Resize adopts a limit that the venue publishes.
func (g *Gate) Resize(b *Budget, limit int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limiter.Resize(b, limit)
}

// FrozenFor returns how long the gate stays frozen; zero if it is open. Connections that
// do not pass the gate check it before they dial.
func (g *Gate) FrozenFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, time.Until(g.limiter.frozenUntil))
}
