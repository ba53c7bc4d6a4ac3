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

// noticeBoard returns a notice after a second. read is guarded by the notices themselves,
// which the race detector checks.
type noticeBoard struct {
	notice restclient.Notice
	err    error
	hangs  bool
	read   int
}

func (b *noticeBoard) show(ctx context.Context) (restclient.Notice, error) {
	b.read++
	if b.hangs {
		<-ctx.Done()
		return restclient.Notice{}, ctx.Err()
	}
	time.Sleep(time.Second)
	return b.notice, b.err
}

// unavailableError is the error of a request whose outcome is unknown.
func unavailableError() error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "status 503").Because(venues.ErrOutcomeUnknown)
}

func TestBurstOfFailuresReadsNoticesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &noticeBoard{notice: restclient.Notice{Ongoing: true, Left: time.Hour}}
		began := time.Now()
		var crowd sync.WaitGroup
		for range 50 {
			crowd.Go(func() {
				err := n.Explain(t.Context(), unavailableError(), b.show)
				e, _ := errors.AsType[*venues.Error](err)
				if e == nil || e.Code != venues.CodeMaintenance || !errors.Is(err, venues.ErrOutcomeUnknown) || e.RetryAfter != time.Hour-time.Since(began) {
					t.Errorf("error %v, want maintenance with an unknown outcome and RetryAfter %v", err, time.Hour-time.Since(began))
				}
			})
		}
		crowd.Wait()
		if b.read != 1 || time.Since(began) != time.Second {
			t.Errorf("%d reads in %s, want 1 in 1 s", b.read, time.Since(began))
		}
		b.notice.Ongoing = false
		time.Sleep(time.Minute)
		if err := n.Explain(t.Context(), unavailableError(), b.show); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("error after the end of the maintenance: %v, want exchange_unavailable", err)
		}
	})
}

func TestMaintenanceWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &noticeBoard{notice: restclient.Notice{Ongoing: true}}
		e, _ := errors.AsType[*venues.Error](n.Explain(t.Context(), unavailableError(), b.show))
		if e == nil || e.RetryAfter != time.Minute {
			t.Errorf("error %+v, want RetryAfter 1m", e)
		}
	})
}

// A venue that does not answer at all must not delay every answer.
func TestUnreadableNoticesDelayOnlyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &noticeBoard{hangs: true}
		began := time.Now()
		for range 10 {
			if err := n.Explain(t.Context(), unavailableError(), b.show); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
				t.Error(err)
			}
		}
		if b.read != 1 || time.Since(began) > 2*time.Second {
			t.Errorf("%d reads in %s, want 1 in at most 2 s", b.read, time.Since(began))
		}
	})
}

// A caller whose context ends does not store a result for the others.
func TestCancelledReadIsNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n restclient.Notices
		b := &noticeBoard{notice: restclient.Notice{Ongoing: true}, hangs: true}
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := n.Explain(hurried, unavailableError(), b.show); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Error(err)
		}
		b.hangs = false
		if err := n.Explain(t.Context(), unavailableError(), b.show); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Error(err)
		}
	})
}
