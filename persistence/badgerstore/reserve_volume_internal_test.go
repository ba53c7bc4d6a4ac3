//go:build !race

package badgerstore

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// cancelled returns at least what an account commits for a cancelled order: the order, and
// a journal row.
func cancelled(fence persistence.Fence, n int) persistence.Batch {
	order := storetest.NewOrder("alice", n)
	order.Status, order.UpdatedAt = venues.StatusCancelled, venues.At(time.Now())
	return persistence.Batch{
		Fence: fence, Puts: []persistence.Record{order}, Journal: []persistence.JournalEntry{storetest.NewJournal(n + 1)}, Reserve: true,
	}
}

// cancelsMin is the number of cancels for which the reserve is sufficient; valueBytes is the
// size of a large row.
const (
	cancelsMin = 20_000
	valueBytes = 60 << 10
)

// The race detector takes ten times as long, and sees commits on a full disk in
// TestFullDiskAcceptsCommitsFromTheReserve.
func TestReserveIsEnoughForManyCancels(t *testing.T) {
	free := diskWith(roomyBytes)
	s := openOn(t, t.TempDir(), free)
	fence, err := s.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	free.Store(0)
	time.Sleep(diskCheckInterval)
	const depth = 4096 // less than the queue
	slots := make(chan struct{}, depth)
	var failed atomic.Int64
	for n := range cancelsMin {
		slots <- struct{}{}
		s.Submit(cancelled(fence, n), func(err error) {
			if err != nil {
				failed.Add(1)
			}
			<-slots
		})
	}
	err = nil
	for n := 0; err == nil && n <= ReserveLogBytes/valueBytes; n++ {
		err = s.Commit(t.Context(), reserved("s", valueBytes+n%2))
	}
	if failed.Load() > 0 {
		t.Errorf("%d of %d cancels were rejected on a full disk, want 0", failed.Load(), cancelsMin)
	}
	if !errors.Is(err, persistence.ErrDiskFull) {
		t.Errorf("Commit after the reserve is used up = %v, want ErrDiskFull", err)
	}
	free.Store(roomyBytes)
	time.Sleep(fullCheckInterval)
	if err := s.Commit(t.Context(), cancelled(fence, cancelsMin)); err != nil {
		t.Errorf("commit with enough space again = %v, want nil", err)
	}
}
