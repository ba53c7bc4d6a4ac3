package delivery_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// onDisk returns a store whose commits become durable when the test says so, and a
// process on it with one event.
func onDisk(t *testing.T) (*storetest.Memory, *process) {
	t.Helper()
	store := storetest.NewMemory(storetest.Manual())
	go func() {
		synctest.Wait()
		store.Sync(-1) // the ownership
	}()
	return store, open(t, store)
}

func TestAttemptsWaitUntilDeliveriesAreDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, h := onDisk(t)
		r := newReceiver(accept)
		c := h.start(endpoint("end_1"), r)
		sync := func() { settle(0); store.Sync(-1); settle(0) }
		sync() // the barrier
		sync() // the cursor
		h.journal.Submit(persistence.Batch{Fence: h.fence, Events: []persistence.Event{anEvent()}}, func(error) {})
		sync()
		c.Wake(1 << 40)
		settle(5 * time.Second)
		if n := len(r.seen()); n != 0 || store.Pending() != 1 {
			t.Errorf("%d posts, %d commits pending, want no post before the commit", n, store.Pending())
		}
		sync()
		if n := len(r.seen()); n != 1 {
			t.Errorf("%d posts, want 1", n)
		}
		// The commit of the attempt is under way when the next incarnation begins,
		// which waits for it and repeats nothing.
		h.close()
		next := &process{t: t, store: store, journal: h.journal, fence: h.fence, system: newSystem()}
		next.pool = next.system.NewPool("store", 1, 8)
		next.start(endpoint("end_1"), r)
		sync()
		settle(time.Minute)
		sync()
		if n := len(r.seen()); n != 1 {
			t.Errorf("%d posts after the restart, want 1", n)
		}
		next.close()
	})
}
