package badgerstore_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// The test binary runs itself as the process that is killed, and as the one that opens
// damaged stores, because badger ends the process on some damage. The environment
// variable childEnv selects the role; the arguments are in the command line.
const childEnv = "VENUEGATE_STORE_CHILD"

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // a twelfth less processor time: each store allocates memory tables
	switch os.Getenv(childEnv) {
	case "write":
		childWrites(os.Args[1])
	case "damage":
		childDamages(os.Args[1:])
	default:
		goleak.VerifyTestMain(m)
	}
}

func child(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// writers is the number of customers for which the writing child commits concurrently.
const writers = 6

// childWrites commits orders until it is killed. It prints each order after it is
// confirmed.
func childWrites(dir string) {
	o := small
	o.FreeBytesMin = 0 // with the reserve, as a service
	store, err := badgerstore.Open(dir, o)
	if err != nil {
		fatal("open: %v", err)
	}
	if err := store.Integrity(); err != nil {
		fatal("integrity: %v", err)
	}
	failed := make(chan error)
	for w := range writers {
		go func() { failed <- writeFor(store, fmt.Sprint("customer", w)) }()
	}
	fatal("write: %v", <-failed)
}

func writeFor(store *badgerstore.Store, customer string) error {
	ctx := context.Background()
	fence, err := store.TakeOwnership(ctx, customer)
	if err != nil {
		return err
	}
	last, err := store.LastSequence(ctx, customer)
	if err != nil {
		return err
	}
	for n := int(last) + 1; ; n++ {
		order := storetest.NewOrder(customer, n)
		key := storetest.NewIdempotency(customer, order.RequestID, 1, n)
		b := persistence.Batch{
			Fence: fence, Absent: []persistence.Key{key.Key()}, Puts: []persistence.Record{order, key},
			Events: []persistence.Event{storetest.NewEvent(n)},
		}
		if err := store.Commit(ctx, b); err != nil {
			return fmt.Errorf("order %d of %s: %w", n, customer, err)
		}
		fmt.Fprintf(os.Stdout, "%s %d\n", customer, n)
	}
}

func fatal(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// acked is the number of confirmed orders by customer. The orders of a customer are
// numbered from 1 and committed one after the other.
type acked map[string]int

// total returns the number of confirmed orders.
func (a acked) total() int {
	sum := 0
	for _, n := range a {
		sum += n
	}
	return sum
}

// writeAndKill runs a child until n more orders are confirmed, kills it and adds the
// confirmed orders.
func (a acked) writeAndKill(t testing.TB, dir string, n int) {
	t.Helper()
	cmd := child(t, "write", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for confirmed := 0; lines.Scan(); confirmed++ {
		if confirmed == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		customer, number, _ := strings.Cut(lines.Text(), " ")
		count, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("the child printed %q", lines.Text())
		}
		a[customer] = max(a[customer], count)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the writing child ended with %v, want killed", err)
	}
}

// missing reads all confirmed orders by every query and returns an error for the first
// one that is missing.
func (a acked) missing(ctx context.Context, store persistence.Reader) error {
	for customer, n := range a {
		byPage, err := ordersOf(ctx, store, customer)
		if err != nil {
			return err
		}
		events, err := eventsOf(ctx, store, customer)
		if err != nil {
			return err
		}
		for i := 1; i <= n; i++ {
			want := storetest.NewOrder(customer, i)
			got, err := store.Order(ctx, customer, want.OrderID)
			if err != nil {
				return fmt.Errorf("order %s of %s: %w", want.OrderID, customer, err)
			}
			if !got.Price.Decimal.Equal(want.Price.Decimal) {
				return fmt.Errorf("order %s of %s has price %v, want %v", want.OrderID, customer, got.Price.Decimal, want.Price.Decimal)
			}
			if _, err := store.OrderByClientID(ctx, customer, want.ClientOrderID); err != nil {
				return fmt.Errorf("client id %s of %s: %w", want.ClientOrderID, customer, err)
			}
			if _, err := store.Idempotency(ctx, customer, persistence.ScopeREST, want.RequestID); err != nil {
				return fmt.Errorf("request id %s of %s: %w", want.RequestID, customer, err)
			}
			if !byPage[want.OrderID] || !events[uint64(i)] {
				return fmt.Errorf("order %s of %s: in a page: %v, its event: %v; want both", want.OrderID, customer, byPage[want.OrderID], events[uint64(i)])
			}
		}
	}
	return nil
}

func ordersOf(ctx context.Context, store persistence.Reader, customer string) (map[string]bool, error) {
	ids := map[string]bool{}
	q := persistence.OrderQuery{Customer: customer, View: persistence.OrdersOpen}
	for {
		page, err := store.Orders(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, o := range page.Items {
			ids[o.OrderID] = true
		}
		if page.Next == nil {
			return ids, nil
		}
		q.After = page.Next
	}
}

func eventsOf(ctx context.Context, store persistence.Reader, customer string) (map[uint64]bool, error) {
	seqs := map[uint64]bool{}
	after := ""
	for {
		events, err := store.Events(ctx, customer, after, 0)
		if err != nil || len(events) == 0 {
			return seqs, err
		}
		for _, e := range events {
			seqs[e.Seq] = true
			after = e.ID
		}
	}
}
