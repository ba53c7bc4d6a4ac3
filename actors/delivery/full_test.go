package delivery_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// fullStore rejects every commit with content while it is full.
type fullStore struct {
	persistence.Store
	full atomic.Bool
}

func (f *fullStore) Submit(b persistence.Batch, done func(error)) {
	if f.full.Load() && !b.Empty() {
		done(persistence.ErrUnavailable)
		return
	}
	f.Store.Submit(b, done)
}

// While the store is full no attempt can be recorded, and the same event would be sent
// over and over.
func TestNoAttemptsWhileTheStoreIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fullStore{Store: storetest.NewMemory()}
		h := open(t, store)
		defer h.close()
		r := newReceiver(refuse)
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		settle(time.Second)
		store.full.Store(true)
		settle(time.Hour)
		if posts := r.seen(); len(posts) != 2 { // one that was recorded, one that was not
			t.Errorf("posts in an hour of a full store = %d, want 2", len(posts))
		}
		store.full.Store(false)
		settle(2 * time.Second)
		if posts, d := r.seen(), h.deliveries("end_1")[id]; len(posts) != 3 || d.Attempts != 2 {
			t.Errorf("%d posts after the store has space, %+v, want 3 posts, Attempts 2", len(posts), d)
		}
	})
}
