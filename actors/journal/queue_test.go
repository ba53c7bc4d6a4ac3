package journal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// harness is a queue over a store whose commits the test completes one by one.
type harness struct {
	store   *storetest.Memory
	queue   *journal.CommitQueue
	fence   persistence.Fence
	answers []string
}

func open(t interface{ Fatal(...any) }) *harness {
	store := storetest.NewMemory(storetest.Manual())
	client := journal.NewClient(store)
	taken := make(chan error, 1)
	h := &harness{store: store}
	go func() {
		var err error
		h.fence, err = client.Own(context.Background(), "c1")
		taken <- err
	}()
	for {
		select {
		case err := <-taken:
			if err != nil {
				t.Fatal(err)
			}
			h.queue = client.CommitQueue("c1", "account")
			return h
		default:
			store.Sync(1)
		}
	}
}

func (h *harness) submit(name string, b persistence.Batch) {
	b.Fence = h.fence
	h.queue.Submit(b, func(err error) { h.answers = append(h.answers, name+" "+outcome(err)) })
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, persistence.ErrExists):
		return "exists"
	case errors.Is(err, persistence.ErrUnavailable):
		return "unavailable"
	default:
		return "unknown"
	}
}

// change sets the quantity of an order and emits an event.
func change(order string, qty int) persistence.Batch {
	name := fmt.Sprintf("%s_%d", order, qty)
	return persistence.Batch{
		Puts:   []persistence.Record{persistence.Setting{Name: order, Value: []byte(fmt.Sprint(qty))}},
		Events: []persistence.Event{event(name)},
	}
}

func claim(name string) persistence.Batch {
	record := persistence.Setting{Name: name}
	return persistence.Batch{Absent: []persistence.Key{record.Key()}, Puts: []persistence.Record{record}}
}

func (h *harness) drain() {
	for h.store.Pending() > 0 {
		h.store.Sync(1)
	}
}

func (h *harness) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(h.answers, want) {
		t.Fatalf("answers = %q, want %q", h.answers, want)
	}
}

func TestBatchesBehindACommitAreMerged(t *testing.T) {
	h := open(t)
	for n := range 4 {
		h.submit(fmt.Sprint(n), change("a", n))
	}
	if n := h.store.Pending(); n != 1 {
		t.Fatalf("%d commits are under way, want 1", n)
	}
	h.store.Sync(1)
	h.expect(t, "0 ok")
	h.store.Sync(1)
	h.expect(t, "0 ok", "1 ok", "2 ok", "3 ok")
	events, err := h.store.EventsSince(context.Background(), "c1", 0, 10)
	if err != nil || len(events) != 4 {
		t.Fatalf("got %d events, %v, want 4", len(events), err)
	}
	last, err := h.store.Setting(context.Background(), "a")
	if err != nil || string(last.Value) != "3" {
		t.Fatalf("stored value = %q, %v, want 3", last.Value, err)
	}
}

func TestNothingIsStoredBehindAFailedCommit(t *testing.T) {
	for _, failure := range []error{persistence.ErrUnavailable, persistence.ErrOutcomeUnknown} {
		h := open(t)
		h.store.FailNext(failure)
		h.submit("1", change("a", 1))
		h.submit("2", change("a", 2))
		h.submit("claim", claim("b"))
		h.drain()
		h.submit("3", change("a", 3))
		h.expect(t, "1 "+outcome(failure), "2 unavailable", "claim unavailable", "3 unavailable")
		// The next incarnation submits an empty batch first.
		h.submit("begin", persistence.Batch{})
		h.submit("4", change("a", 4))
		h.drain()
		if last := h.answers[len(h.answers)-2:]; !slices.Equal(last, []string{"begin ok", "4 ok"}) {
			t.Fatalf("answers = %q, want begin ok and 4 ok last", h.answers)
		}
	}
}

func TestRefusedClaimDoesNotBreakTheQueue(t *testing.T) {
	h := open(t)
	h.submit("first", claim("a"))
	h.submit("again", claim("a"))
	h.submit("step", change("b", 1))
	h.submit("other", claim("c"))
	if n := h.store.Pending(); n != 3 {
		t.Fatalf("%d commits are under way, want 3", n)
	}
	h.store.Sync(1)
	h.store.FailNext(persistence.ErrExists)
	h.drain()
	h.expect(t, "first ok", "again exists", "step ok", "other ok")
}

// A store whose queue is full answers immediately; the answers keep their order.
func TestAnswersKeepTheirOrder(t *testing.T) {
	h := open(t)
	h.submit("first", claim("a"))
	for range storetest.QueueMax - 1 {
		h.store.Submit(persistence.Batch{}, func(error) {})
	}
	h.submit("full", claim("b"))
	h.expect(t)
	h.drain()
	h.expect(t, "first ok", "full unavailable")
}

// Whatever fails, a record is durable together with every event that led to it.
func TestRecordsAndEventsAgreeAfterFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := open(t)
		qty := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				h.store.FailNext(rapid.SampledFrom([]error{persistence.ErrUnavailable, persistence.ErrOutcomeUnknown}).Draw(t, "failure"))
			case 1:
				h.store.Sync(1)
			case 2:
				h.submit("claim", claim(fmt.Sprint("claim", qty)))
			default:
				qty++
				h.submit(fmt.Sprint(qty), change("a", qty))
			}
		}
		h.drain()
		last, err := h.store.Setting(context.Background(), "a")
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			t.Fatal(err)
		}
		events, err := h.store.EventsSince(context.Background(), "c1", 0, 100)
		if err != nil || (len(events) > 0) != (last.Value != nil) || (last.Value != nil && fmt.Sprint(len(events)) != string(last.Value)) {
			t.Fatalf("record = %s after %d events, %v, want them equal", last.Value, len(events), err)
		}
	})
}

// writable returns a batch whose sync may be delayed, and which notes when it is written.
func (h *harness) writable(name string, qty int) persistence.Batch {
	b := change(name, qty)
	b.Written = func() { h.answers = append(h.answers, name+" written") }
	return b
}

func TestNextCommitFollowsAWrittenOne(t *testing.T) {
	h := open(t)
	h.submit("a", h.writable("a", 1))
	h.submit("b", claim("b"))
	if n := h.store.Queued(); n != 1 {
		t.Fatalf("%d commits are queued, want 1", n)
	}
	h.store.Write()
	h.expect(t, "a written")
	if n := h.store.Queued(); n != 1 {
		t.Fatalf("%d commits are queued behind the written one, want 1", n)
	}
	h.store.Sync(1)
	h.expect(t, "a written", "a ok", "b ok")
}

func TestCommitThatIsMergedFromAnyBatchToSyncIsNotDelayed(t *testing.T) {
	h := open(t)
	h.submit("first", change("first", 1)) // under way
	h.submit("a", h.writable("a", 1))
	h.submit("b", change("b", 1))
	h.store.Sync(1)
	h.store.Write()
	h.expect(t, "first ok", "a ok", "b ok")
	if n := h.store.Pending(); n != 0 {
		t.Errorf("%d commits are not durable, want 0", n)
	}
}

func TestCommitsBehindAWrittenOneAreLostWithIt(t *testing.T) {
	h := open(t)
	h.submit("a", h.writable("a", 1))
	h.store.Write()
	h.submit("b", change("b", 1))
	next := h.store.Crash(0)
	h.expect(t, "a written", "a unknown", "b unknown")
	for _, name := range []string{"a", "b"} {
		if _, err := next.Setting(t.Context(), name); !errors.Is(err, persistence.ErrNotFound) {
			t.Errorf("Setting(%s) after the power failure = %v, want ErrNotFound", name, err)
		}
	}
}

// Batches that may use the reserve of a full disk do not depend on those that may not.
func TestMergedCommitsKeepTheReserve(t *testing.T) {
	h := open(t)
	under := change("o1", 1)
	under.Reserve = true
	h.submit("o1", under) // is under way
	for i, reserve := range []bool{true, true, false, true} {
		b := change(fmt.Sprint("p", i), i)
		b.Reserve = reserve
		h.submit(fmt.Sprint("p", i), b)
	}
	h.store.FillDisk(true)
	for h.store.Sync(1) > 0 {
	}
	if want := []string{"o1 ok", "p0 ok", "p1 ok", "p2 unavailable", "p3 unavailable"}; !slices.Equal(h.answers, want) {
		t.Errorf("answers on a full disk = %q, want %q", h.answers, want)
	}
}
