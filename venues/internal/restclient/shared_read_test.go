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

// list takes a second to be read. Its value is the time at which the read began.
type list struct {
	shared *restclient.SharedRead[time.Time]
	// reads is guarded by the read itself: the race detector checks that reads do not
	// overlap.
	reads int
	err   error
}

func newList() *list { return &list{shared: restclient.NewSharedRead[time.Time]()} }

const listTime = time.Second

func (l *list) read(ctx context.Context) (time.Time, error) {
	l.reads++
	began := time.Now()
	select {
	case <-time.After(listTime):
		return began, l.err
	case <-ctx.Done():
		return began, ctx.Err()
	}
}

func (l *list) ask(ctx context.Context) (time.Time, error) { return l.shared.Read(ctx, l.read) }

func TestReadBeginsAfterTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		var callers sync.WaitGroup
		for n := range 60 { // six a second
			callers.Go(func() {
				time.Sleep(time.Duration(n) * listTime / 6)
				asked := time.Now()
				began, err := l.ask(t.Context())
				if err != nil || began.Before(asked) {
					t.Errorf("call at %s, read began at %s, error %v, want a later read", asked, began, err)
				}
				if waited := time.Since(asked); waited > 2*listTime {
					t.Errorf("waited %s, want at most two reads", waited)
				}
			})
		}
		callers.Wait()
		if l.reads > 12 {
			t.Errorf("%d reads in ten seconds, want about ten", l.reads)
		}
	})
}

func TestReadErrorIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		l.err = errors.New("the venue is away")
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				if _, err := l.ask(t.Context()); !errors.Is(err, l.err) {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if l.reads > 2 {
			t.Errorf("%d reads, want 1", l.reads)
		}
		l.err = nil
		if _, err := l.ask(t.Context()); err != nil {
			t.Errorf("error %v of an earlier read, want none", err)
		}
	})
}

// A caller that gives up does not take the answer from the others, even if it was the one
// that read.
func TestCallerThatGivesUpDoesNotAffectOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		first, cancel := context.WithTimeout(t.Context(), listTime/2)
		defer cancel()
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := l.ask(first); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error of the reading caller: %v, want DeadlineExceeded", err)
			}
		})
		synctest.Wait()
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), listTime/4)
			defer cancel()
			_, err := l.ask(ctx)
			if venues.CodeOf(err) != venues.CodeExchangeUnavailable || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error of a waiting caller: %v, want exchange_unavailable by DeadlineExceeded", err)
			}
		})
		for range 5 {
			callers.Go(func() {
				if _, err := l.ask(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if l.reads != 2 {
			t.Errorf("%d reads, want the abandoned one and another", l.reads)
		}
	})
}

// A caller that gives up while it reads passes the read on to another one.
func TestReadIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		held, release := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() { _, _ = l.ask(held) }) // so that the next two share one
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), listTime/2)
		defer cancel()
		callers.Go(func() { _, _ = l.ask(short) })
		synctest.Wait()
		callers.Go(func() {
			if _, err := l.ask(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		release()
		callers.Wait()
		if l.reads != 3 {
			t.Errorf("%d reads, want two abandoned ones and another", l.reads)
		}
	})
}
