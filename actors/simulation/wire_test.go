package simulation_test

import (
	"context"
	"errors"
	"time"

	"venuegate/venues"
)

// transit is the transport of one request: its delays in both directions and its fault.
type transit struct {
	fault    fault
	outbound time.Duration
	inbound  time.Duration
}

// changes are the kinds of requests that change something at the venue.
var changes = map[string]bool{"place": true, "amend": true, "cancel": true, "leverage": true}

func (w *world) transitOf(p *port, kind, key string) transit {
	occasion := "request/" + string(p.exchange) + "/" + p.customer + "/" + kind + "/" + key
	rng := w.swarm.random(occasion, w.count(occasion))
	f := transit{outbound: between(rng, 200*time.Microsecond, 20*time.Millisecond), inbound: between(rng, 200*time.Microsecond, 20*time.Millisecond)}
	if changes[kind] {
		f.fault = w.swarm.draw(rng, requestFaults, 1)
	} else {
		f.fault = w.swarm.draw(rng, readFaults, readWeight)
	}
	switch f.fault {
	case faultLateRequest:
		f.outbound = between(rng, time.Second, 12*time.Second)
	case faultSlowAnswer:
		f.inbound = between(rng, 500*time.Millisecond, 20*time.Second)
	default:
	}
	if f.fault != faultNone {
		w.struck(f.fault, key)
	}
	return f
}

type answer[T any] struct {
	value T
	err   error
}

// requestTimeout is the connectors' time limit of a request.
const requestTimeout = 10 * time.Second

// request transports one request to the venue and its response back. It is sent once,
// and arrives even if the process dies in the meantime.
func request[T any](ctx context.Context, p *port, kind, key string, execute func() (T, error)) (T, error) {
	var none T
	if p.process.isDead() {
		return none, errors.Join(errBroken, venues.ErrNotSent)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	f := p.w.transitOf(p, kind, key)
	answers := make(chan answer[T], 1)
	time.AfterFunc(f.outbound, func() {
		a, answered := arrive(f.fault, execute)
		p.w.trace("%s %s %s %s: %s %v", p.exchange, p.customer, kind, key, f.fault, a.err)
		if answered {
			time.AfterFunc(f.inbound, func() { answers <- a })
		}
	})
	unknown := errors.Join(errBroken, venues.ErrOutcomeUnknown)
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, unknown
	case <-p.process.dead:
		return none, unknown
	}
}

var errBroken = venues.Errorf(venues.CodeExchangeUnavailable, "the venue does not answer")

// arrive executes the request at the venue; it returns false if no response follows.
func arrive[T any](f fault, execute func() (T, error)) (a answer[T], answered bool) {
	switch f {
	case faultLostRequest:
		return a, false
	case faultBrokenBefore:
		a.err = errors.Join(errBroken, venues.ErrOutcomeUnknown)
	case faultRefused:
		a.err = venues.Errorf(venues.CodeExchangeUnavailable, "throttled").With("reason", "throttled")
	case faultLimited:
		a.err = errors.Join(venues.Errorf(venues.CodeRateLimited, "the limits are used up"), venues.ErrNotSent)
	case faultNotSent:
		a.err = errors.Join(errBroken, venues.ErrNotSent)
	default:
		a.value, a.err = execute()
	}
	if f == faultBrokenAfter {
		a.err = errors.Join(errBroken, venues.ErrOutcomeUnknown)
	}
	return a, f != faultLostAnswer
}
