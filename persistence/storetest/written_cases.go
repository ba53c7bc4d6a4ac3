package storetest

import (
	"slices"
	"sync"

	"venuegate/persistence"
)

// Batches with Written: their sync may be delayed.
var writtenCases = []conformanceCase{
	{"a written batch is readable and becomes durable", writtenDurable},
	{"a commit makes written batches durable", writtenBefore},
	{"replies are in order of submission", writtenOrder},
	{"a rejected batch is not written", writtenRejected},
}

// writable returns the batch of an order with Written.
func writable(fence persistence.Fence, n int, written func()) persistence.Batch {
	return persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder(fence.Customer, n)}, Written: written}
}

func writtenDurable(h *harness) {
	const batches = 20
	fence := h.fence("alice")
	for i := range batches {
		steps := make(chan string, 2)
		h.store.Submit(writable(fence, i, func() { steps <- "written" }), func(err error) {
			if err != nil {
				h.Errorf("batch %d = %v, want nil", i, err)
			}
			steps <- "done"
		})
		h.equal("first call", <-steps, "written")
		want := NewOrder("alice", i)
		h.equal("order after Written", must[persistence.OrderRecord](h)(h.store.Order(h.Context(), "alice", want.OrderID)), want)
		h.equal("second call", <-steps, "done")
	}
}

func writtenBefore(h *harness) {
	const batches = 50
	fence := h.fence("alice")
	var mu sync.Mutex
	done := 0
	for i := range batches {
		h.store.Submit(writable(fence, 2*i, func() {}), func(err error) {
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				h.Errorf("batch %d = %v, want nil", i, err)
			}
			done++
		})
		h.commit("alice", persistence.Batch{Puts: []persistence.Record{NewOrder("alice", 2*i+1)}})
		mu.Lock()
		h.equal("batches done when a later one is durable", done, i+1)
		mu.Unlock()
	}
}

func writtenOrder(h *harness) {
	const batches = 300
	fence := h.fence("alice")
	var mu sync.Mutex
	var got []int
	want := make([]int, 0, batches)
	var pending sync.WaitGroup
	for i := range batches {
		want = append(want, i)
		b := writable(fence, i, nil)
		switch i % 7 {
		case 0, 3: // must be synced
		case 5:
			b.Absent = []persistence.Key{NewOrder("alice", i-1).Key()} // is rejected
			fallthrough
		default:
			b.Written = func() {}
		}
		pending.Add(1)
		h.store.Submit(b, func(error) {
			defer pending.Done()
			mu.Lock()
			defer mu.Unlock()
			got = append(got, i)
		})
	}
	pending.Wait()
	if !slices.Equal(got, want) {
		h.Errorf("replies came in the order %v, want 0 to %d", got, batches-1)
	}
}

func writtenRejected(h *harness) {
	fence := h.fence("alice")
	h.put(NewOrder("alice", 1))
	b := writable(fence, 2, func() { h.Error("Written was called for a rejected batch") })
	b.Absent = []persistence.Key{NewOrder("alice", 1).Key()}
	h.rejects(b, persistence.ErrExists)
	missing[persistence.OrderRecord](h)(h.store.Order(h.Context(), "alice", NewOrder("alice", 2).OrderID))
}
