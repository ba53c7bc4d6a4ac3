package account_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// fullStore is a journal that rejects writes while it is full.
type fullStore struct {
	persistence.Submitter
	mu   sync.Mutex
	full bool
}

func (f *fullStore) Submit(b persistence.Batch, done func(error)) {
	f.mu.Lock()
	full := f.full
	f.mu.Unlock()
	if full && !b.Empty() {
		done(persistence.ErrUnavailable)
		return
	}
	f.Submitter.Submit(b, done)
}

func (f *fullStore) fill(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

// While the store is full the account sends no requests to its venue. It accepts orders
// again soon after the store has space.
func TestAccountOutlivesAFullStore(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		f, venue := &fullStore{}, newVenue()
		h := openWith(kit, storetest.NewMemory(), venue, "account", func(c persistence.Submitter) persistence.Submitter {
			f.Submitter = c
			return f
		})
		if _, err := h.place("r0", "59000"); err != nil {
			t.Fatal(err)
		}
		f.fill(true)
		kit.Advance(time.Minute) // the next reconciliation has something to store
		before := venue.listsReceived()
		for n := range 60 {
			if _, err := h.place(fmt.Sprintf("full%d", n), "59000"); venues.CodeOf(err) != venues.CodeMaintenance {
				t.Fatalf("Place with a full store = %v, want %s", err, venues.CodeMaintenance)
			}
			kit.Advance(10 * time.Second)
		}
		if read := venue.listsReceived() - before; read > 0 {
			t.Errorf("%d readings of the venue in ten minutes with a full store, want 0", read)
		}
		f.fill(false)
		kit.Advance(2 * storeRetry)
		if _, err := h.place("r1", "59000"); err != nil {
			t.Errorf("Place %s after the store has space = %v, want no error", 2*storeRetry, err)
		}
	}, actortest.ExpectFailures())
}

// storeRetry is the constant of package account.
const storeRetry = time.Second

func TestFullStoreRejectsAndRecovers(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.store.FailNext(persistence.ErrUnavailable)
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Fatalf("Place with a full store = %v, want %s", err, venues.CodeMaintenance)
		}
		if h.venue.placed != 0 {
			t.Fatalf("%d orders were sent without a durable intent, want 0", h.venue.placed)
		}
		if order, err := h.place("r1", "59000"); err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("Place = %+v, %v, want status %s", order, err, venues.StatusOpen)
		}
	})
}
