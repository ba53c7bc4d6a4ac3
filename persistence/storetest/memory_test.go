package storetest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemoryConforms(t *testing.T) {
	storetest.Run(t, func(testing.TB) persistence.Store { return storetest.NewMemory() })
}

func TestAsyncMemoryConforms(t *testing.T) {
	storetest.Run(t, func(testing.TB) persistence.Store { return storetest.NewMemory(storetest.Async(0)) })
}

func takeOwnership(t *testing.T, m *storetest.Memory, customer string) persistence.Fence {
	t.Helper()
	reply := make(chan persistence.Fence, 1)
	go func() {
		fence, err := m.TakeOwnership(t.Context(), customer)
		if err != nil {
			t.Errorf("TakeOwnership: %v", err)
		}
		reply <- fence
	}()
	for {
		select {
		case fence := <-reply:
			return fence
		default:
			m.Sync(-1)
		}
	}
}

func order(fence persistence.Fence, n int) persistence.Batch {
	return persistence.Batch{Fence: fence, Puts: []persistence.Record{storetest.NewOrder(fence.Customer, n)}}
}

func count(t *testing.T, m *storetest.Memory, customer string) int {
	t.Helper()
	page, err := m.Orders(t.Context(), persistence.OrderQuery{Customer: customer})
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Items)
}

// countingArchive counts the records that it gets, and calls written after each Write.
type countingArchive struct {
	records int
	written func()
}

func (a *countingArchive) Write(records []persistence.Record) error {
	a.records += len(records)
	a.written()
	return nil
}

// Records that cannot be deleted are not archived by every call: none while the store rejects
// commits, and once if it rejects the deletion for some time.
func TestRejectedDeletionIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storetest.NewMemory()
		closed := storetest.NewOrder("alice", 1)
		closed.Status = venues.StatusFilled
		if err := m.Commit(t.Context(), persistence.Batch{Fence: takeOwnership(t, m, "alice"), Puts: []persistence.Record{closed}}); err != nil {
			t.Fatal(err)
		}
		before := persistence.Retention{Orders: closed.UpdatedAt.Add(1)}
		to := &countingArchive{written: func() { m.FailNext(persistence.ErrUnavailable) }}
		m.RejectAll(persistence.ErrUnavailable)
		if err := m.Archive(t.Context(), before, to); !errors.Is(err, persistence.ErrUnavailable) || to.records != 0 {
			t.Errorf("Archive of a store that rejects commits = %v with %d records, want ErrUnavailable with 0", err, to.records)
		}
		m.RejectAll(nil)
		for range 2 {
			if err := m.Archive(t.Context(), before, to); err != nil || to.records != 1 || count(t, m, "alice") != 0 {
				t.Errorf("Archive = %v with %d records, %d orders left; want nil with 1, 0", err, to.records, count(t, m, "alice"))
			}
		}
	})
}

func TestSyncMemoryIsDurableWhenSubmitReturns(t *testing.T) {
	m := storetest.NewMemory()
	fence := takeOwnership(t, m, "alice")
	confirmed := false
	m.Submit(order(fence, 1), func(err error) { confirmed = err == nil })
	if !confirmed || count(t, m, "alice") != 1 {
		t.Errorf("confirmed %t, %d orders; want true, 1", confirmed, count(t, m, "alice"))
	}
}

func TestAsyncMemoryIsDurableAfterItsLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storetest.NewMemory(storetest.Async(time.Millisecond))
		fence := takeOwnership(t, m, "alice")
		start := time.Now()
		for i := range 3 {
			m.Submit(order(fence, i), func(err error) {
				if took := time.Since(start); err != nil || took != time.Duration(i+1)*time.Millisecond {
					t.Errorf("batch %d = %v after %v, want nil after %v", i, err, took, time.Duration(i+1)*time.Millisecond)
				}
			})
		}
		if got := count(t, m, "alice"); got != 0 {
			t.Errorf("%d orders are durable immediately, want 0", got)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestManualMemoryWaitsForSync(t *testing.T) {
	m := storetest.NewMemory(storetest.Manual())
	fence := takeOwnership(t, m, "alice")
	var replies []int
	for i := range 4 {
		m.Submit(order(fence, i), func(error) { replies = append(replies, i) })
	}
	if len(replies) != 0 || m.Pending() != 4 {
		t.Fatalf("replies %v, %d pending before Sync; want none, 4", replies, m.Pending())
	}
	if n := m.Sync(3); n != 3 || len(replies) != 3 || count(t, m, "alice") != 3 {
		t.Errorf("Sync(3) = %d, replies %v; want 3 of each", n, replies)
	}
	if n := m.Sync(-1); n != 1 || m.Pending() != 0 {
		t.Errorf("Sync(-1) = %d, %d pending; want 1, 0", n, m.Pending())
	}
}

func TestCrashLosesTheNewestBatches(t *testing.T) {
	for survive := range 5 {
		m := storetest.NewMemory(storetest.Manual())
		fence := takeOwnership(t, m, "alice")
		m.Submit(order(fence, 0), func(error) {})
		m.Sync(-1)
		unknown := 0
		for i := 1; i <= 3; i++ {
			m.Submit(order(fence, i), func(err error) {
				if errors.Is(err, persistence.ErrOutcomeUnknown) {
					unknown++
				}
			})
		}
		after := m.Crash(survive)
		if got, want := count(t, after, "alice"), 1+min(survive, 3); got != want || unknown != 3 {
			t.Errorf("Crash(%d): %d orders, %d unknown outcomes; want %d, 3", survive, got, unknown, want)
		}
		var stale, old error
		after.Submit(order(fence, 9), func(err error) { stale = err })
		after.Sync(-1)
		m.Submit(order(fence, 9), func(err error) { old = err })
		if !errors.Is(stale, persistence.ErrFenced) || !errors.Is(old, persistence.ErrUnavailable) {
			t.Errorf("earlier fence = %v, earlier store = %v; want ErrFenced, ErrUnavailable", stale, old)
		}
		if newer := takeOwnership(t, after, "alice"); newer.Epoch <= fence.Epoch {
			t.Errorf("epoch after the crash = %d, want more than %d", newer.Epoch, fence.Epoch)
		}
	}
}

func TestCrashOfAnAsyncMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storetest.NewMemory(storetest.Async(time.Second))
		fence := takeOwnership(t, m, "alice")
		for i := range 3 {
			m.Submit(order(fence, i), func(error) {})
		}
		time.Sleep(1500 * time.Millisecond)
		after := m.Crash(0)
		if got := count(t, after, "alice"); got != 1 {
			t.Errorf("%d orders after the crash, want 1", got)
		}
		if err := after.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFailNext(t *testing.T) {
	m := storetest.NewMemory()
	fence := takeOwnership(t, m, "alice")
	m.FailNext(persistence.ErrUnavailable)
	m.LoseNextReply()
	for i, want := range []struct {
		err    error
		orders int
	}{{persistence.ErrUnavailable, 0}, {persistence.ErrOutcomeUnknown, 1}, {nil, 2}} {
		err := m.Commit(t.Context(), order(fence, i))
		if !errors.Is(err, want.err) || count(t, m, "alice") != want.orders {
			t.Errorf("commit %d = %v with %d orders, want %v with %d", i, err, count(t, m, "alice"), want.err, want.orders)
		}
	}
}

func TestRejectAll(t *testing.T) {
	m := storetest.NewMemory()
	defer m.Close() //nolint:errcheck // memory
	fence := takeOwnership(t, m, "a")
	m.LoseNextReply()
	m.RejectAll(persistence.ErrUnavailable)
	for n, want := range []error{persistence.ErrOutcomeUnknown, persistence.ErrUnavailable, persistence.ErrUnavailable} {
		if err := m.Commit(t.Context(), order(fence, n)); !errors.Is(err, want) {
			t.Errorf("batch %d = %v, want %v", n, err, want)
		}
	}
	m.RejectAll(nil)
	if err := m.Commit(t.Context(), order(fence, 3)); err != nil || count(t, m, "a") != 2 {
		t.Errorf("Commit after RejectAll(nil) = %v with %d orders, want nil with 2", err, count(t, m, "a"))
	}
}

func TestFullQueue(t *testing.T) {
	m := storetest.NewMemory(storetest.Manual())
	for range storetest.QueueMax {
		m.Submit(persistence.Batch{}, func(error) {})
	}
	var full error
	m.Submit(persistence.Batch{}, func(err error) { full = err })
	if !errors.Is(full, persistence.ErrUnavailable) {
		t.Errorf("Submit to a full queue = %v, want ErrUnavailable", full)
	}
	if n := m.Sync(-1); n != storetest.QueueMax {
		t.Errorf("Sync(-1) = %d, want %d", n, storetest.QueueMax)
	}
}

func TestBreakIntegrity(t *testing.T) {
	m := storetest.NewMemory()
	m.BreakIntegrity()
	if err := m.Integrity(); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Integrity = %v, want ErrIntegrity", err)
	}
}
