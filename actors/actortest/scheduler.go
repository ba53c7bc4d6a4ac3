package actortest

import (
	"hash"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// Scheduler is a dispatcher for simulations: it runs one event at a time, and its seed
// chooses among the possible ones. Events that became possible at the same instant are
// ordered by label first, so that the choice does not depend on the scheduling of
// goroutines.
//
// One seed gives one order of everything that the actors do, provided that the code they
// call is repeatable too: concurrent effects must not share state whose outcome depends
// on the order of their wake-ups, and Behaviours must not range over maps where order
// matters.
//
// It must be used in a synctest bubble. Settle, Advance and Do are called by the
// test's goroutine, which is the one on which the actors run.
type Scheduler struct {
	mu     sync.Mutex
	ready  []step
	random *rand.Rand
	wake   chan struct{}
	recent []string
	digest hash.Hash64
}

// recentStepsMax is the least number of steps that Recent returns; at most twice as many
// are kept.
const recentStepsMax = 1000

type step struct {
	label string
	run   func()
}

// NewScheduler returns a scheduler that chooses by seed.
func NewScheduler(seed uint64) *Scheduler {
	return &Scheduler{random: newRandom(seed), wake: make(chan struct{}, 1), digest: fnv.New64a()}
}

// Reseed makes seed determine the choices from now on, whatever was chosen before.
func (s *Scheduler) Reseed(seed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.random = newRandom(seed)
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// Schedule implements actors.Dispatcher.
func (s *Scheduler) Schedule(label string, run func()) {
	s.mu.Lock()
	s.ready = append(s.ready, step{label, run})
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Settle runs until nothing is possible at this instant.
func (s *Scheduler) Settle() {
	for {
		synctest.Wait() // everything of this instant has arrived
		next, ok := s.choose()
		if !ok {
			return
		}
		next.run()
	}
}

// Advance lets d of virtual time pass, and runs each event at its instant.
func (s *Scheduler) Advance(d time.Duration) {
	s.AdvanceUntil(d, func() bool { return false })
}

// AdvanceUntil is Advance, but ends at the first instant with events after which done
// returns true.
func (s *Scheduler) AdvanceUntil(d time.Duration, done func() bool) {
	end := time.Now().Add(d)
	pause := time.NewTimer(d)
	defer pause.Stop()
	for s.Settle(); time.Now().Before(end) && !done(); s.Settle() {
		select {
		case <-s.wake:
		case <-pause.C:
		}
	}
}

// Do runs call on another goroutine, and the system until call has returned and nothing
// is possible at that instant.
func (s *Scheduler) Do(call func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	for returned := false; !returned; {
		s.Settle()
		select {
		case <-s.wake:
		case <-done:
			returned = true
		}
	}
	s.Settle() // what became possible at the same instant as the return
}

// Digest identifies the order of all steps so far: two runs with equal digests had the
// same order.
func (s *Scheduler) Digest() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.digest.Sum64()
}

// Recent returns the labels of the last steps, oldest first.
func (s *Scheduler) Recent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.recent)
}

func (s *Scheduler) choose() (step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ready) == 0 {
		return step{}, false
	}
	slices.SortStableFunc(s.ready, func(a, b step) int { return strings.Compare(a.label, b.label) })
	i := s.random.IntN(len(s.ready))
	next := s.ready[i]
	s.ready = slices.Delete(s.ready, i, i+1)
	s.note(next.label)
	return next, true
}

func (s *Scheduler) note(label string) {
	_, _ = io.WriteString(s.digest, label+"\n")
	if len(s.recent) == 2*recentStepsMax {
		s.recent = slices.Delete(s.recent, 0, recentStepsMax)
	}
	s.recent = append(s.recent, label)
}
