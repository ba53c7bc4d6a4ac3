package account

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
)

// slowVenue answers each query of an order after a second, and counts concurrent queries.
type slowVenue struct {
	venues.Account
	running, most atomic.Int32
}

func (v *slowVenue) Order(_ context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	if now := v.running.Add(1); now > v.most.Load() {
		v.most.Store(now)
	}
	time.Sleep(time.Second)
	v.running.Add(-1)
	return venues.ExecutionReport{ClientOrderID: ref.ClientOrderID}, nil
}

// A reconciliation queries many orders at the same time, so that a connector which needs
// a list for the answers reads it once for all of them.
func TestReconciliationQueriesManyOrdersAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &slowVenue{}
		a := &account{deps: Deps{Venue: v}}
		var refs []orderRef
		for n := range 50 {
			refs = append(refs, orderRef{orderID: fmt.Sprint("o", n), ref: venues.OrderRef{ClientOrderID: fmt.Sprint("c", n)}})
		}
		began := time.Now()
		answers := a.queryEach(t.Context(), refs)
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("50 queries of a second each took %s, want 4s", took)
		}
		if v.most.Load() != queriesAtOnce {
			t.Errorf("%d queries at the same time, want %d", v.most.Load(), queriesAtOnce)
		}
		for n, answer := range answers {
			if answer.orderID != fmt.Sprint("o", n) || answer.report.ClientOrderID != fmt.Sprint("c", n) || answer.began.Before(began) {
				t.Fatalf("answer %d = %+v, want that of order %d, queried after the start", n, answer, n)
			}
		}
	})
}
