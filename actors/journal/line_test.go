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

// desk is a line over a store whose commits the test lets go on one by one.
type desk struct {
	store   *storetest.Memory
	line    *journal.Line
	fence   persistence.Fence
	answers []string
}

func openDesk(t interface{ Fatal(...any) }) *desk {
	store := storetest.NewMemory(storetest.Manual())
	client := journal.NewClient(store)
	taken := make(chan error, 1)
	d := &desk{store: store}
	go func() {
		var err error
		d.fence, err = client.Own(context.Background(), "c1")
		taken <- err
	}()
	for {
		select {
		case err := <-taken:
			if err != nil {
				t.Fatal(err)
			}
			d.line = client.Line("c1", "account")
			return d
		default:
			store.Sync(1)
		}
	}
}

func (d *desk) submit(name string, b persistence.Batch) {
	b.Fence = d.fence
	d.line.Submit(b, func(err error) { d.answers = append(d.answers, name+" "+outcome(err)) })
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

// stepOf moves an order to a quantity and tells of it.
func stepOf(order string, qty int) persistence.Batch {
	name := fmt.Sprintf("%s_%d", order, qty)
	return persistence.Batch{
		Puts:   []persistence.Record{persistence.Setting{Name: order, Value: []byte(fmt.Sprint(qty))}},
		Events: []persistence.Event{event(name)},
	}
}

func claimOf(name string) persistence.Batch {
	record := persistence.Setting{Name: name}
	return persistence.Batch{Absent: []persistence.Key{record.Key()}, Puts: []persistence.Record{record}}
}

func (d *desk) drain() {
	for d.store.Waiting() > 0 {
		d.store.Sync(1)
	}
}

func (d *desk) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(d.answers, want) {
		t.Fatalf("answers %q, want %q", d.answers, want)
	}
}

func TestCommitsThatMeetAreMerged(t *testing.T) {
	d := openDesk(t)
	for n := range 4 {
		d.submit(fmt.Sprint(n), stepOf("a", n))
	}
	if n := d.store.Waiting(); n != 1 {
		t.Fatalf("%d commits are under way", n)
	}
	d.store.Sync(1)
	d.expect(t, "0 ok")
	d.store.Sync(1)
	d.expect(t, "0 ok", "1 ok", "2 ok", "3 ok")
	events, err := d.store.EventsSince(context.Background(), "c1", 0, 10)
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	last, err := d.store.Setting(context.Background(), "a")
	if err != nil || string(last.Value) != "3" {
		t.Fatalf("%q, %v", last.Value, err)
	}
}

func TestNothingIsStoredBehindAFailedCommit(t *testing.T) {
	for _, failure := range []error{persistence.ErrUnavailable, persistence.ErrOutcomeUnknown} {
		d := openDesk(t)
		d.store.FailNext(failure)
		d.submit("1", stepOf("a", 1))
		d.submit("2", stepOf("a", 2))
		d.submit("claim", claimOf("b"))
		d.drain()
		d.submit("3", stepOf("a", 3))
		d.expect(t, "1 "+outcome(failure), "2 unavailable", "claim unavailable", "3 unavailable")
		// The next incarnation begins with an empty batch.
		d.submit("begin", persistence.Batch{})
		d.submit("4", stepOf("a", 4))
		d.drain()
		if last := d.answers[len(d.answers)-2:]; !slices.Equal(last, []string{"begin ok", "4 ok"}) {
			t.Fatalf("answers %q", d.answers)
		}
	}
}

func TestARefusedClaimConcernsNobodyElse(t *testing.T) {
	d := openDesk(t)
	d.submit("first", claimOf("a"))
	d.submit("again", claimOf("a"))
	d.submit("step", stepOf("b", 1))
	d.submit("other", claimOf("c"))
	if n := d.store.Waiting(); n != 3 {
		t.Fatalf("%d commits are under way", n)
	}
	d.store.Sync(1)
	d.store.FailNext(persistence.ErrExists)
	d.drain()
	d.expect(t, "first ok", "again exists", "step ok", "other ok")
}

// A store whose queue is full answers at once; the answers keep their order.
func TestAnswersKeepTheirOrder(t *testing.T) {
	d := openDesk(t)
	d.submit("first", claimOf("a"))
	for range storetest.QueueMax - 1 {
		d.store.Submit(persistence.Batch{}, func(error) {})
	}
	d.submit("full", claimOf("b"))
	d.expect(t)
	d.drain()
	d.expect(t, "first ok", "full unavailable")
}

// Whatever fails, a record is durable with every event that led to it.
func TestALineHasNoHoles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := openDesk(t)
		qty := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				d.store.FailNext(rapid.SampledFrom([]error{persistence.ErrUnavailable, persistence.ErrOutcomeUnknown}).Draw(t, "failure"))
			case 1:
				d.store.Sync(1)
			case 2:
				d.submit("claim", claimOf(fmt.Sprint("claim", qty)))
			default:
				qty++
				d.submit(fmt.Sprint(qty), stepOf("a", qty))
			}
		}
		d.drain()
		last, err := d.store.Setting(context.Background(), "a")
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			t.Fatal(err)
		}
		events, err := d.store.EventsSince(context.Background(), "c1", 0, 100)
		if err != nil || (len(events) > 0) != (last.Value != nil) || (last.Value != nil && fmt.Sprint(len(events)) != string(last.Value)) {
			t.Fatalf("the record is at %s after %d events: %v", last.Value, len(events), err)
		}
	})
}
