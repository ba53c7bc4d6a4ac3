package restclient

import (
	"context"
	"sync"
	"time"

	"venuegate/venues"
)

// waitersMax bounds how many requests may wait for room at once.
const waitersMax = 1024

// Gate is a Ledger that requests can wait at. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	ledger  Ledger
	waiting int
}

// NewGate makes an open gate.
func NewGate() *Gate { return &Gate{} }

// Wait returns nil when the request may leave now, with its costs taken. It
// fails with rate_limited, and the time to wait, when the gate is frozen or when
// room will come too late for ctx. Nothing has been sent then.
func (g *Gate) Wait(ctx context.Context, lane Lane, costs ...Cost) error {
	for {
		now := time.Now()
		verdict := g.admit(now, lane, costs)
		if verdict.Admitted {
			return nil
		}
		delay := verdict.RetryAt.Sub(now)
		deadline, bounded := ctx.Deadline()
		if verdict.Frozen || (bounded && verdict.RetryAt.After(deadline)) {
			return limited(verdict, delay)
		}
		if !g.enter() {
			return limited(verdict, delay)
		}
		err := sleep(ctx, delay)
		g.leave()
		if err != nil {
			return limited(verdict, delay).Because(err)
		}
	}
}

func (g *Gate) admit(now time.Time, lane Lane, costs []Cost) Verdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ledger.Admit(now, lane, costs)
}

func (g *Gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting >= waitersMax {
		return false
	}
	g.waiting++
	return true
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting--
}

func sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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

// FrozenFor is how long the gate stays frozen; zero if it is open.
func (g *Gate) FrozenFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, time.Until(g.ledger.frozenUntil))
}
