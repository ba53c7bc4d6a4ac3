package simnet

import (
	"sync"
	"time"
)

// promisesMax bounds what a venue has promised to do later.
const promisesMax = 10_000

// promises are what a venue acknowledged and does at a later step.
type promises struct {
	mu   sync.Mutex
	list []promise
	held bool
}

type promise struct {
	due time.Time
	do  func()
}

// Later does something at the first step after a delay of the base clock, in the
// order in which it was promised: at once where there is no delay, or where too
// much is promised already. do is called without a lock.
func (v *Venue) Later(delay time.Duration, do func()) {
	if delay <= 0 || !v.promised.add(promise{v.Clock.Base().Add(delay), do}) {
		do()
	}
}

// Hold keeps the venue from what it promised, however long that is due, until Release:
// a test lets happen before it what it likes.
func (v *Venue) Hold() { v.promised.hold(true) }

// Release ends Hold: what is due is done at the next step.
func (v *Venue) Release() { v.promised.hold(false) }

func (p *promises) hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
}

// add is false where the list is full.
func (p *promises) add(one promise) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) >= promisesMax {
		return false
	}
	p.list = append(p.list, one)
	return true
}

// keep does what is due.
func (p *promises) keep(base time.Time) {
	for _, one := range p.takeDue(base) {
		one.do()
	}
}

func (p *promises) takeDue(base time.Time) []promise {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		return nil
	}
	var due []promise
	waiting := p.list[:0]
	for _, one := range p.list {
		if one.due.After(base) {
			waiting = append(waiting, one)
		} else {
			due = append(due, one)
		}
	}
	clear(p.list[len(waiting):])
	p.list = waiting
	return due
}
