package restclient_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// list is a venue's list that takes a second to be read. What it shows is when the
// reading began.
type list struct {
	shared *restclient.Shared[time.Time]
	// readings is guarded by the reading itself: the race detector watches that they
	// do not overlap.
	readings int
	err      error
}

func newList() *list { return &list{shared: restclient.NewShared[time.Time]()} }

const listTime = time.Second

func (l *list) read(ctx context.Context) (time.Time, error) {
	l.readings++
	began := time.Now()
	select {
	case <-time.After(listTime):
		return began, l.err
	case <-ctx.Done():
		return began, ctx.Err()
	}
}

func (l *list) ask(ctx context.Context) (time.Time, error) { return l.shared.Read(ctx, l.read) }

func TestReadingBeginsAfterTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		var askers sync.WaitGroup
		for n := range 60 { // six a second
			askers.Go(func() {
				time.Sleep(time.Duration(n) * listTime / 6)
				asked := time.Now()
				began, err := l.ask(t.Context())
				if err != nil || began.Before(asked) {
					t.Errorf("asked at %s, answered by what was read from %s on, %v", asked, began, err)
				}
				if waited := time.Since(asked); waited > 2*listTime {
					t.Errorf("waited for %s", waited)
				}
			})
		}
		askers.Wait()
		if l.readings > 12 {
			t.Errorf("%d readings for ten seconds of questions", l.readings)
		}
	})
}

func TestErrorOfAReadingGoesToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		l.err = errors.New("the venue is away")
		var askers sync.WaitGroup
		for range 10 {
			askers.Go(func() {
				if _, err := l.ask(t.Context()); !errors.Is(err, l.err) {
					t.Error(err)
				}
			})
		}
		askers.Wait()
		if l.readings > 2 {
			t.Errorf("read %d times", l.readings)
		}
		l.err = nil
		if _, err := l.ask(t.Context()); err != nil {
			t.Errorf("an old error is told again: %v", err)
		}
	})
}

// Whoever gives up leaves the others their answer, even if it was reading for them.
func TestAskerThatGivesUpLeavesTheOthersTheirAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		first, cancel := context.WithTimeout(t.Context(), listTime/2)
		defer cancel()
		var askers sync.WaitGroup
		askers.Go(func() {
			if _, err := l.ask(first); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the reader: %v", err)
			}
		})
		synctest.Wait()
		askers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), listTime/4)
			defer cancel()
			_, err := l.ask(ctx)
			if venues.CodeOf(err) != venues.CodeExchangeUnavailable || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("one that waits: %v", err)
			}
		})
		for range 5 {
			askers.Go(func() {
				if _, err := l.ask(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		askers.Wait()
		if l.readings != 2 {
			t.Errorf("read %d times, want what was given up and another", l.readings)
		}
	})
}

// One that gives up while it reads for others hands the reading on to them.
func TestReadingIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		held, release := context.WithCancel(t.Context())
		var askers sync.WaitGroup
		askers.Go(func() { _, _ = l.ask(held) }) // so that the next two share one
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), listTime/2)
		defer cancel()
		askers.Go(func() { _, _ = l.ask(short) })
		synctest.Wait()
		askers.Go(func() {
			if _, err := l.ask(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		release()
		askers.Wait()
		if l.readings != 3 {
			t.Errorf("read %d times, want two that were given up and another", l.readings)
		}
	})
}
