package account_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// muteVenue executes orders and never answers.
type muteVenue struct{ *ledgerVenue }

func (v muteVenue) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if _, err := v.ledgerVenue.Place(ctx, r); err != nil {
		return venues.ExecutionReport{}, err
	}
	<-ctx.Done()
	return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
}

// A stop does not wait for the answer to an order: its intent is durable, and the
// next start finds out what became of it.
func TestAStopDoesNotWaitForAnOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := newVenue()
		h := open(kit, storetest.NewMemory(), muteVenue{venue}, "before")
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			_, _ = h.place("r1", "59000")
		}()
		kit.Settle()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := kit.System.Stop(ctx); err != nil || time.Since(begun) != 0 {
			t.Errorf("stopped after %s: %v", time.Since(begun), err)
		}
		kit.System = actors.New(zap.NewNop())
		open(kit, h.store, venue, "after")
		kit.Advance(5 * time.Second)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen {
			t.Errorf("after the next start: %+v, %v", list, err)
		}
		if venue.placed != 1 {
			t.Errorf("%d orders at the venue", venue.placed)
		}
		<-asked
	})
}
