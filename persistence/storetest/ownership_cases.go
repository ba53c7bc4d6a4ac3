package storetest

import (
	"errors"
	"sync"

	"venuegate/persistence"
)

var ownershipCases = []conformanceCase{
	{"only the owner of a customer can write it", ownershipRequired},
	{"an older epoch is rejected", ownershipEpoch},
	{"customers are owned separately", ownershipSeparate},
	{"a fence covers one customer and the installation", ownershipScope},
	{"ownership is taken in order with batches", ownershipInOrder},
	{"concurrent owners get different epochs", ownershipConcurrent},
	{"the installation has no owner", ownershipOfInstallation},
}

func ownershipRequired(h *harness) {
	for _, fence := range []persistence.Fence{{}, {Customer: "alice"}, {Customer: "alice", Epoch: 1}, {Customer: "alice", Epoch: 1 << 60}} {
		h.rejects(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 1)}}, persistence.ErrFenced)
	}
	h.isEmpty("alice")
}

func ownershipEpoch(h *harness) {
	old := h.fence("alice")
	h.put(NewOrder("alice", 1))
	delete(h.fences, "alice")
	if newer := h.fence("alice"); newer.Epoch <= old.Epoch {
		h.Errorf("epoch = %d, want more than %d", newer.Epoch, old.Epoch)
	}
	h.rejects(persistence.Batch{Fence: old, Puts: []persistence.Record{NewOrder("alice", 2)}}, persistence.ErrFenced)
	h.rejects(persistence.Batch{Fence: old, Events: []persistence.Event{NewEvent(1)}}, persistence.ErrFenced)
	h.put(NewOrder("alice", 3))
	page := must[orderPage](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice"}))
	h.equal("orders", len(page.Items), 2)
}

func ownershipSeparate(h *harness) {
	alice := h.fence("alice")
	bob := h.fence("bob")
	if _, err := h.store.TakeOwnership(h.Context(), "bob"); err != nil {
		h.Fatal(err)
	}
	h.rejects(persistence.Batch{Fence: bob, Puts: []persistence.Record{NewOrder("bob", 1)}}, persistence.ErrFenced)
	if err := h.store.Commit(h.Context(), persistence.Batch{Fence: alice, Puts: []persistence.Record{NewOrder("alice", 1)}}); err != nil {
		h.Errorf("Commit of alice after bob has a new owner = %v, want nil", err)
	}
}

func ownershipScope(h *harness) {
	alice := h.fence("alice")
	h.fence("bob")
	h.rejects(persistence.Batch{Fence: alice, Puts: []persistence.Record{NewOrder("bob", 1)}}, persistence.ErrFenced)
	h.rejects(persistence.Batch{Fence: alice, Absent: []persistence.Key{NewOrder("bob", 1).Key()}}, persistence.ErrFenced)
	h.isEmpty("bob")
	key := persistence.APIKey{ID: "k", Customer: "alice", Hash: []byte{1}}
	h.commit("alice", persistence.Batch{Puts: []persistence.Record{key}, Journal: []persistence.JournalEntry{NewJournal(1)}})
	h.equal("key", must[persistence.APIKey](h)(h.store.APIKey(h.Context(), "k")), key)
}

func ownershipInOrder(h *harness) {
	fence := h.fence("alice")
	replies := make(chan error, 2)
	h.store.Submit(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 1)}}, func(err error) { replies <- err })
	if _, err := h.store.TakeOwnership(h.Context(), "alice"); err != nil {
		h.Fatal(err)
	}
	h.store.Submit(persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 2)}}, func(err error) { replies <- err })
	if first, second := <-replies, <-replies; first != nil || !errors.Is(second, persistence.ErrFenced) {
		h.Errorf("Commit before TakeOwnership = %v, after it %v; want nil and ErrFenced", first, second)
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
			h.Errorf("two owners have epoch %d", f.Epoch)
		}
		seen[f.Epoch] = true
		if f.Epoch > newest.Epoch {
			newest = f
		}
	}
	for _, f := range fences {
		err := h.store.Commit(h.Context(), persistence.Batch{Fence: f, Journal: []persistence.JournalEntry{NewJournal(1)}})
		if (f == newest) != (err == nil) {
			h.Errorf("Commit under epoch %d = %v, want nil only for epoch %d", f.Epoch, err, newest.Epoch)
		}
	}
}

func ownershipOfInstallation(h *harness) {
	if _, err := h.store.TakeOwnership(h.Context(), ""); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("TakeOwnership of the installation = %v, want ErrUnavailable", err)
	}
	h.put(persistence.Setting{Name: "s"})
}
