package storetest

import (
	"errors"
	"sync"

	"venuegate/persistence"
)

var ownershipCases = []conformanceCase{
	{"a customer is written by its owner alone", ownershipNeeded},
	{"an older epoch is refused", ownershipMoves},
	{"customers are owned apart", ownershipApart},
	{"a fence covers one customer and the installation", ownershipCovers},
	{"a taking is in order with batches", ownershipInOrder},
	{"epochs of concurrent takings differ", ownershipConcurrent},
	{"the installation has no owner", ownershipNobody},
}

func ownershipNeeded(h *harness) {
	for _, fence := range []persistence.Fence{{}, {Customer: "alice"}, {Customer: "alice", Epoch: 1}, {Customer: "alice", Epoch: 1 << 60}} {
		h.refused(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 1)}}, persistence.ErrFenced)
	}
	h.nothing("alice")
}

func ownershipMoves(h *harness) {
	old := h.fence("alice")
	h.put(NewOrder("alice", 1))
	delete(h.fences, "alice")
	if newer := h.fence("alice"); newer.Epoch <= old.Epoch {
		h.Errorf("epoch went from %d to %d", old.Epoch, newer.Epoch)
	}
	h.refused(persistence.Batch{Fence: old, Puts: []persistence.Record{NewOrder("alice", 2)}}, persistence.ErrFenced)
	h.refused(persistence.Batch{Fence: old, Events: []persistence.Event{NewEvent(1)}}, persistence.ErrFenced)
	h.put(NewOrder("alice", 3))
	page := must[persistence.Page[persistence.OrderRecord]](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice"}))
	h.same("orders", len(page.Items), 2)
}

func ownershipApart(h *harness) {
	alice := h.fence("alice")
	bob := h.fence("bob")
	if _, err := h.store.TakeOwnership(h.Context(), "bob"); err != nil {
		h.Fatal(err)
	}
	h.refused(persistence.Batch{Fence: bob, Puts: []persistence.Record{NewOrder("bob", 1)}}, persistence.ErrFenced)
	if err := h.store.Commit(h.Context(), persistence.Batch{Fence: alice, Puts: []persistence.Record{NewOrder("alice", 1)}}); err != nil {
		h.Errorf("alice lost her ownership to bob's new owner: %v", err)
	}
}

func ownershipCovers(h *harness) {
	alice := h.fence("alice")
	h.fence("bob")
	h.refused(persistence.Batch{Fence: alice, Puts: []persistence.Record{NewOrder("bob", 1)}}, persistence.ErrFenced)
	h.refused(persistence.Batch{Fence: alice, Absent: []persistence.Key{NewOrder("bob", 1).Key()}}, persistence.ErrFenced)
	h.nothing("bob")
	key := persistence.APIKey{ID: "k", Customer: "alice", Hash: []byte{1}}
	h.commit("alice", persistence.Batch{Puts: []persistence.Record{key}, Journal: []persistence.JournalEntry{NewJournal(1)}})
	h.same("key", must[persistence.APIKey](h)(h.store.APIKey(h.Context(), "k")), key)
}

func ownershipInOrder(h *harness) {
	fence := h.fence("alice")
	answers := make(chan error, 2)
	h.store.Submit(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 1)}}, func(err error) { answers <- err })
	if _, err := h.store.TakeOwnership(h.Context(), "alice"); err != nil {
		h.Fatal(err)
	}
	h.store.Submit(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 2)}}, func(err error) { answers <- err })
	if first, second := <-answers, <-answers; first != nil || !errors.Is(second, persistence.ErrFenced) {
		h.Errorf("before the taking %v, after it %v; want nil and ErrFenced", first, second)
	}
}

func ownershipConcurrent(h *harness) {
	const takers = 32
	fences := make([]persistence.Fence, takers)
	var wg sync.WaitGroup
	for i := range takers {
		wg.Go(func() {
			var err error
			if fences[i], err = h.store.TakeOwnership(h.Context(), "alice"); err != nil {
				h.Errorf("TakeOwnership: %v", err)
			}
		})
	}
	wg.Wait()
	seen := map[uint64]bool{}
	newest := fences[0]
	for _, f := range fences {
		if seen[f.Epoch] {
			h.Errorf("epoch %d was given twice", f.Epoch)
		}
		seen[f.Epoch] = true
		if f.Epoch > newest.Epoch {
			newest = f
		}
	}
	for _, f := range fences {
		err := h.store.Commit(h.Context(), persistence.Batch{Fence: f, Journal: []persistence.JournalEntry{NewJournal(1)}})
		if (f == newest) != (err == nil) {
			h.Errorf("commit under epoch %d of %d gave %v", f.Epoch, newest.Epoch, err)
		}
	}
}

func ownershipNobody(h *harness) {
	if _, err := h.store.TakeOwnership(h.Context(), ""); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("taking the installation gave %v, want ErrUnavailable", err)
	}
	h.put(persistence.Setting{Name: "s"})
}
