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

// slowVenue takes a second to say that it does not know an order.
type slowVenue struct {
	venues.Account
	asking, most atomic.Int32
}

func (v *slowVenue) Order(_ context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	if now := v.asking.Add(1); now > v.most.Load() {
		v.most.Store(now)
	}
	time.Sleep(time.Second)
	v.asking.Add(-1)
	return venues.ExecutionReport{ClientOrderID: ref.ClientOrderID}, nil
}

// A reconciliation asks for many orders at the same time: a connector that has to
// read a list for the answer reads it once for all of them.
func TestReconciliationAsksForManyAtOnce(t *testing.T) {
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
			t.Errorf("fifty questions of a second took %s", took)
		}
		if v.most.Load() != queriesAtOnce {
			t.Errorf("%d questions at the same time", v.most.Load())
		}
		for n, answer := range answers {
			if answer.orderID != fmt.Sprint("o", n) || answer.report.ClientOrderID != fmt.Sprint("c", n) || answer.began.Before(began) {
				t.Fatalf("answer %d: %+v", n, answer)
			}
		}
	})
}
