package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"venuegate/persistence"
)

var concurrencyCases = []conformanceCase{
	{"one of many concurrent commits gets a request id", concurrencyOneWinner},
	{"every batch is confirmed once and readable then", concurrencyConfirmed},
	{"readers see whole batches", concurrencyWhole},
	{"done may submit", concurrencyReentrant},
}

func concurrencyOneWinner(h *harness) {
	const keys, commits = 40, 16
	fence := h.fence("alice")
	for k := range keys {
		var wg sync.WaitGroup
		var winner, existing [commits]persistence.IdempotencyRecord
		var wins atomic.Int32
		for i := range commits {
			wg.Go(func() {
				r := NewIdempotency("alice", fmt.Sprint("race", k), 1, i)
				err := h.store.Commit(h.Context(), persistence.Batch{
					Fence: fence, Absent: []persistence.Key{r.Key()}, Puts: []persistence.Record{r},
				})
				exists, ok := errors.AsType[*persistence.ExistsError](err)
				switch {
				case err == nil:
					winner[wins.Add(1)-1] = r
				case ok:
					existing[i] = exists.Found.(persistence.IdempotencyRecord)
				default:
					h.Errorf("commit %d = %v, want nil or ErrExists", i, err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			h.Fatalf("request id %d: %d commits succeeded, want 1", k, wins.Load())
		}
		for _, found := range existing {
			if found.RequestID != "" {
				h.equal("existing record", found, winner[0])
			}
		}
	}
}

func concurrencyConfirmed(h *harness) {
	const customers, batches = 8, 60
	var wg sync.WaitGroup
	for c := range customers {
		customer := fmt.Sprint("customer", c)
		fence := h.fence(customer)
		wg.Go(func() {
			var calls [batches]atomic.Int32
			var pending sync.WaitGroup
			for i := range batches {
				pending.Add(1)
				h.store.Submit(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder(customer, i)}}, func(err error) {
					defer pending.Done()
					if calls[i].Add(1) != 1 || err != nil {
						h.Errorf("%s, batch %d: call %d of done with %v, want one with nil", customer, i, calls[i].Load(), err)
					}
				})
			}
			pending.Wait()
			page, err := h.store.Orders(h.Context(), persistence.OrderQuery{Customer: customer})
			if err != nil || len(page.Items) != batches {
				h.Errorf("%s: %d orders, %v; want %d", customer, len(page.Items), err, batches)
			}
		})
	}
	wg.Wait()
}

// concurrencyWhole commits an order and its fill in one batch while others read: an order
// without its fill is half a batch.
func concurrencyWhole(h *harness) {
	const pairs = 120
	fence := h.fence("alice")
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range pairs {
			b := persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", i), NewFill("alice", i)}}
			if err := h.store.Commit(h.Context(), b); err != nil {
				h.Errorf("commit of pair %d = %v, want nil", i, err)
			}
		}
	}()
	for done := false; !done; {
		select {
		case <-written:
			done = true
		default:
		}
		orders := must[orderPage](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice", Limit: 1}))
		fills := must[fillPage](h)(h.store.Fills(h.Context(), persistence.FillQuery{Customer: "alice", Limit: 1}))
		if len(orders.Items) == 1 && (len(fills.Items) == 0 || fills.Items[0].OrderID < orders.Items[0].OrderID) {
			h.Fatalf("order %s is visible without its fill", orders.Items[0].OrderID)
		}
	}
}

func concurrencyReentrant(h *harness) {
	fence := h.fence("alice")
	const depth = 50
	reply := make(chan error, 1)
	var next func(i int)
	next = func(i int) {
		h.store.Submit(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", i)}}, func(err error) {
			if err != nil || i == depth {
				reply <- err
				return
			}
			next(i + 1)
		})
	}
	next(1)
	if err := <-reply; err != nil {
		h.Fatal(err)
	}
	page := must[orderPage](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice"}))
	h.equal("orders", len(page.Items), depth)
}
