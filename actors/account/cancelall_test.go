package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// foreignOrder returns the report of an order that was made elsewhere.
func foreignOrder(n int) venues.ExecutionReport {
	return venues.ExecutionReport{
		Symbol: "BTCUSDT", ClientOrderID: fmt.Sprint("web_", n), VenueOrderID: fmt.Sprint(n), Side: venues.Sell, Type: venues.TypeLimit,
		Status: venues.StatusOpen, Qty: venues.MustDecimal("3"), Price: venues.Some(venues.MustDecimal("65000")),
	}
}

// Orders that arrive while others are being cancelled are cancelled too.
func TestCancelAllLeavesNothing(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		if _, err := h.place("r1", "59000"); err != nil {
			t.Fatal(err)
		}
		raced := 0
		h.venue.onCancel = func() error {
			if raced < 2 { // as many as there are readings of the list
				raced++
				r := foreignOrder(raced)
				h.venue.orders[r.ClientOrderID] = r
			}
			return nil
		}
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 3 {
			t.Fatalf("CancelAll = %+v, %v, want 3 results", results, err)
		}
		for _, r := range results {
			if r.Result != venues.CancelDone {
				t.Errorf("result = %+v, want %s", r, venues.CancelDone)
			}
		}
		if left, _ := h.venue.OpenOrders(context.Background()); len(left) != 0 {
			t.Fatalf("open orders = %+v, want none", left)
		}
	})
}

// Clients that call CancelAll while others place orders share the few readings of the venue's
// list: no other request costs more of the venue's rate limits.
func TestCancelAllReadsTheVenuesListSeldom(t *testing.T) {
	const readsMax = 4
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		if _, err := h.place("r1", "59000"); err != nil {
			t.Fatal(err)
		}
		raced := 0
		h.venue.onCancel = func() error {
			raced++
			r := foreignOrder(raced)
			h.venue.orders[r.ClientOrderID] = r
			return nil
		}
		before := h.venue.listsReceived()
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{}); err != nil {
					t.Errorf("CancelAll = %+v, %v, want no error", results, err)
				}
			})
		}
		wait.Wait()
		if read := h.venue.listsReceived() - before; read > readsMax {
			t.Errorf("%d readings of the venue's list, want at most %d", read, readsMax)
		}
	})
}

// While the private stream reports which orders appear, the venue's list is not read for every
// call, and no call takes longer than its cancels.
func TestCancelAllReliesOnThePrivateStream(t *testing.T) {
	const calls = 60
	actortest.Run(t, func(kit *actortest.Kit) {
		h := openStreamed(kit, newVenue())
		kit.Advance(time.Second)
		before := h.venue.listsReceived()
		for n := range calls {
			if _, err := h.place(fmt.Sprint("r", n), "59000"); err != nil {
				t.Fatal(err)
			}
			foreign := foreignOrder(n)
			h.venue.add(foreign)
			h.stream.Report(foreign)
			synctest.Wait()
			began := time.Now()
			results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
			if took := time.Since(began); err != nil || len(results) != 2 || took > 0 {
				t.Fatalf("CancelAll = %+v, %v after %s, want 2 results immediately", results, err, took)
			}
			kit.Advance(time.Second)
		}
		// One in fifteen seconds, including those of reconciliations.
		if read := h.venue.listsReceived() - before; read > calls/15+1 {
			t.Errorf("%d readings of the venue's list in a minute, want at most %d", read, calls/15+1)
		}
		if left, _ := h.venue.OpenOrders(context.Background()); len(left) != 0 {
			t.Errorf("open orders = %+v, want none", left)
		}
	})
}

// racedVenue calls race before the first cancel.
type racedVenue struct {
	*ledgerVenue
	race func()
	once sync.Once
}

func (v *racedVenue) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	v.once.Do(v.race)
	return v.ledgerVenue.Cancel(ctx, ref)
}

// An order that is placed during the cancels is cancelled too, although the venue's list is not
// read.
func TestCancelAllCancelsWhatIsPlacedMeanwhile(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := &racedVenue{ledgerVenue: newVenue()}
		h := openStreamed(kit, venue)
		kit.Advance(time.Second)
		if _, err := h.place("r1", "59000"); err != nil {
			t.Fatal(err)
		}
		venue.race = func() {
			time.Sleep(time.Millisecond) // the other reads of CancelAll are over
			if _, err := h.place("r2", "59000"); err != nil {
				t.Error(err)
			}
		}
		before := venue.listsReceived()
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 2 {
			t.Errorf("CancelAll = %+v, %v, want 2 results", results, err)
		}
		if read := venue.listsReceived() - before; read != 0 {
			t.Errorf("%d readings of the venue's list, want none", read)
		}
		if left, _ := venue.OpenOrders(context.Background()); len(left) != 0 {
			t.Errorf("open orders = %+v, want none", left)
		}
	})
}

// An order that ends before its cancel was open at the time of the call, and is in the result.
func TestCancelAllNamesWhatEndsMeanwhile(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		order, err := h.place("r1", "59000")
		if err != nil {
			t.Fatal(err)
		}
		h.venue.onCancel = func() error {
			for id, r := range h.venue.orders {
				r.Status = venues.StatusCancelled
				h.venue.orders[id] = r
			}
			return nil
		}
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 1 || results[0].OrderID != order.OrderID {
			t.Fatalf("CancelAll = %+v, %v, want the result of %s", results, err, order.OrderID)
		}
	})
}

// A call right after a reading of the list does not wait for the next reading: the orders
// that are known here are cancelled immediately.
func TestCancelAllDoesNotWaitForThePause(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		for _, requestID := range []string{"r1", "r2"} {
			if _, err := h.place(requestID, "59000"); err != nil {
				t.Fatal(err)
			}
			var cancelled time.Duration
			began := time.Now()
			h.venue.onCancel = func() error {
				cancelled = time.Since(began)
				return nil
			}
			results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
			if err != nil || len(results) != 1 || results[0].Result != venues.CancelDone || cancelled > 0 {
				t.Fatalf("%s: CancelAll = %+v, %v after %s, want one result %s immediately", requestID, results, err, cancelled, venues.CancelDone)
			}
		}
		if left, _ := h.venue.OpenOrders(context.Background()); len(left) != 0 {
			t.Fatalf("open orders = %+v, want none", left)
		}
	})
}

// Orders that the venue does not cancel are in the result when the time is over.
func TestCancelAllNamesWhatRemains(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		order, err := h.place("r1", "59000")
		if err != nil {
			t.Fatal(err)
		}
		tries := 0
		h.venue.onCancel = func() error {
			tries++
			return venues.Errorf(venues.CodeOrderRejected, "not now")
		}
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{Symbol: "BTC-USDT-SWAP"})
		if err != nil || len(results) != 1 || results[0].OrderID != order.OrderID || results[0].Result != venues.CancelFailed || results[0].Error == nil {
			t.Fatalf("CancelAll = %+v, %v, want order %s with result %s and its error", results, err, order.OrderID, venues.CancelFailed)
		}
		if tries < 2 {
			t.Fatalf("%d cancels, want at least 2", tries)
		}
	})
}

// A list that cannot be read is read again; meanwhile the known orders are cancelled.
func TestCancelAllWithoutTheVenuesList(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		if _, err := h.place("r1", "59000"); err != nil {
			t.Fatal(err)
		}
		h.venue.listError = errors.New("unreachable")
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 1 || results[0].Result != venues.CancelDone {
			t.Fatalf("CancelAll = %+v, %v, want one result %s", results, err, venues.CancelDone)
		}
		results, err = h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("CancelAll without a known order = %+v, %v, want %s", results, err, venues.CodeExchangeUnavailable)
		}
	})
}

// lateVenue returns the list of open orders late, as it was when it was requested.
type lateVenue struct {
	*ledgerVenue
	late atomic.Bool
}

func (v *lateVenue) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	list, err := v.ledgerVenue.OpenOrders(ctx)
	if v.late.Load() {
		time.Sleep(account.ListReadWithin / 2)
	}
	return list, err
}

// A cancel that fails is repeated, also of an order that was placed after a reading of the list
// began, so that the list lacks it.
func TestCancelAllRepeatsCancelsOfNewOrders(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := &lateVenue{ledgerVenue: newVenue()}
		h := openStreamed(kit, venue)
		kit.Advance(time.Minute) // the list is old
		venue.late.Store(true)
		var other sync.WaitGroup
		other.Go(func() { // this one begins the reading
			if results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{Symbol: "ETHUSDT"}); err != nil || len(results) != 0 {
				t.Errorf("CancelAll of another instrument = %+v, %v, want no results", results, err)
			}
		})
		synctest.Wait()
		if _, err := h.place("r1", "59000"); err != nil {
			t.Fatal(err)
		}
		tries := 0
		venue.onCancel = func() error {
			if tries++; tries == 1 {
				return venues.Errorf(venues.CodeOrderRejected, "not now")
			}
			return nil
		}
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 1 || results[0].Result != venues.CancelDone {
			t.Errorf("CancelAll = %+v, %v after %d cancels, want one result %s", results, err, tries, venues.CancelDone)
		}
		other.Wait()
	})
}

// slowVenue does not return its lists in time while slow is set.
type slowVenue struct {
	*ledgerVenue
	slow atomic.Bool
}

func (v *slowVenue) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	if v.slow.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return v.ledgerVenue.OpenOrders(ctx)
}

func (v *slowVenue) Positions(ctx context.Context) ([]venues.Position, error) {
	if v.slow.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return v.ledgerVenue.Positions(ctx)
}

// A reading of the list that does not return delays nothing: the known orders are
// cancelled.
func TestCancelAllDoesNotWaitForTheVenuesList(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := &slowVenue{ledgerVenue: newVenue()}
		h := open(kit, storetest.NewMemory(), venue, "account")
		if _, err := h.place("r1", "59000"); err != nil {
			t.Fatal(err)
		}
		venue.slow.Store(true)
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 1 || results[0].Result != venues.CancelDone {
			t.Fatalf("CancelAll = %+v, %v, want one result %s", results, err, venues.CancelDone)
		}
	})
}
