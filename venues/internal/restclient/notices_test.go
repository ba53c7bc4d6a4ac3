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

// board shows a notice after a second. How often it was read is guarded by the
// notices themselves: the race detector watches.
type board struct {
	notice restclient.Notice
	err    error
	hangs  bool
	read   int
}

func (b *board) show(ctx context.Context) (restclient.Notice, error) {
	b.read++
	if b.hangs {
		<-ctx.Done()
		return restclient.Notice{}, ctx.Err()
	}
	time.Sleep(time.Second)
	return b.notice, b.err
}

// turnedAway is the error of a request whose outcome is not known.
func turnedAway() error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "status 503").Because(venues.ErrOutcomeUnknown)
}

func TestCrowdOfFailuresReadsTheNoticesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &board{notice: restclient.Notice{Ongoing: true, Left: time.Hour}}
		began := time.Now()
		var crowd sync.WaitGroup
		for range 50 {
			crowd.Go(func() {
				err := n.Explain(t.Context(), turnedAway(), b.show)
				e, _ := errors.AsType[*venues.Error](err)
				if e == nil || e.Code != venues.CodeMaintenance || !errors.Is(err, venues.ErrOutcomeUnknown) || e.RetryAfter != time.Hour-time.Since(began) {
					t.Errorf("%v", err)
				}
			})
		}
		crowd.Wait()
		if b.read != 1 || time.Since(began) != time.Second {
			t.Errorf("read %d times in %s", b.read, time.Since(began))
		}
		b.notice.Ongoing = false
		time.Sleep(time.Minute)
		if err := n.Explain(t.Context(), turnedAway(), b.show); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("after its end: %v", err)
		}
	})
}

func TestMaintenanceWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &board{notice: restclient.Notice{Ongoing: true}}
		e, _ := errors.AsType[*venues.Error](n.Explain(t.Context(), turnedAway(), b.show))
		if e == nil || e.RetryAfter != time.Minute {
			t.Errorf("%+v", e)
		}
	})
}

// A venue that is quite gone must not hold every answer up.
func TestNoticesThatCannotBeReadAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &board{hangs: true}
		began := time.Now()
		for range 10 {
			if err := n.Explain(t.Context(), turnedAway(), b.show); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
				t.Error(err)
			}
		}
		if b.read != 1 || time.Since(began) > 2*time.Second {
			t.Errorf("read %d times in %s", b.read, time.Since(began))
		}
	})
}

// Somebody who has no time left reads nothing for the others.
func TestNoticesAreNotForgottenForOneThatGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &board{notice: restclient.Notice{Ongoing: true}, hangs: true}
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := n.Explain(hurried, turnedAway(), b.show); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Error(err)
		}
		b.hangs = false
		if err := n.Explain(t.Context(), turnedAway(), b.show); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Error(err)
		}
	})
}
