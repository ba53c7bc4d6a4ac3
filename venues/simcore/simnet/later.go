package simnet

import (
	"sync"
	"time"
)

// deferredCallsMax bounds the deferred calls of a venue.
const deferredCallsMax = 10_000

// deferredCalls are the calls that a venue makes at a later step.
type deferredCalls struct {
	mu   sync.Mutex
	list []deferredCall
	held bool
}

type deferredCall struct {
	due time.Time
	do  func()
}

// After calls do at the first step after a delay of the base clock; calls that are due
// are made in the order of After. It calls do immediately without a delay, or where
// too many calls are deferred. do is called without a lock.
func (v *Venue) After(delay time.Duration, do func()) {
	if delay <= 0 || !v.deferred.add(deferredCall{v.Clock.Base().Add(delay), do}) {
		do()
	}
}

// Hold holds the calls of After back until Release, even if they are due, so that a
// test determines what happens before them.
func (v *Venue) Hold() { v.deferred.hold(true) }

// Release ends Hold: calls that are due are made at the next step.
func (v *Venue) Release() { v.deferred.hold(false) }

func (p *deferredCalls) hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
}

// add returns false where the list is full.
func (p *deferredCalls) add(one deferredCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) >= deferredCallsMax {
		return false
	}
	p.list = append(p.list, one)
	return true
}

// run makes the calls that are due.
func (p *deferredCalls) run(base time.Time) {
	for _, one := range p.takeDue(base) {
		one.do()
	}
}

func (p *deferredCalls) takeDue(base time.Time) []deferredCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		return nil
	}
	var due []deferredCall
	pending := p.list[:0]
	for _, one := range p.list {
		if one.due.After(base) {
			pending = append(pending, one)
		} else {
			due = append(due, one)
		}
	}
	clear(p.list[len(pending):])
	p.list = pending
	return due
}
