// Package deliveries_test runs delivery queues as the service does: the embedded store,
// the signing sender, receivers over real sockets. The process that delivers is this
// test binary, started again, so that it can be killed at any time.
package deliveries_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/delivery"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/webhook"
	"venuegate/venues"
)

const (
	customer = "cus_1"
	secret   = "whsec_deliveries"
	// childVariable has the plan of a child process.
	childVariable = "VENUEGATE_DELIVERIES_CHILD"
)

// plan is the task of a child process.
type plan struct {
	Dir     string
	Targets []string
	// Emit makes it emit until it is killed; otherwise it delivers the pending events
	// and ends.
	Emit bool
}

func TestMain(m *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var p plan
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newID(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) }

func endpointID(i int) string { return fmt.Sprintf("end_%04d", i) }

// process is the part of the service that delivers.
type process struct {
	store   *badgerstore.Store
	journal *journal.Client
	fence   persistence.Fence
	system  *actors.System
	sender  *webhook.Sender
	clients []delivery.Client
}

func start(ctx context.Context, dir string, targets []string, schedule delivery.Schedule, timeout time.Duration) (*process, error) {
	store, err := badgerstore.Open(dir, badgerstore.Options{FreeBytesMin: -1})
	if err != nil {
		return nil, err
	}
	p := &process{store: store, journal: journal.NewClient(store), system: actors.New(zap.NewNop())}
	p.journal.Listen(func(_ string, seq uint64) {
		for _, c := range p.clients {
			c.Wake(seq)
		}
	})
	if p.fence, err = p.journal.Own(ctx, customer); err != nil {
		return nil, err
	}
	p.sender = webhook.NewSender(webhook.Options{
		Policy:  webhook.DialPolicy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Secrets: webhook.Secrets{Unseal: func([]byte, persistence.Key) (venues.Secret, error) { return secret, nil }},
		Timeout: timeout, UserAgent: "venuegate/test",
	})
	pool := p.system.NewPool("store", 8, 2048)
	for i, target := range targets {
		to := persistence.Endpoint{ID: endpointID(i), Customer: customer, Kind: persistence.EndpointWebhook, Target: target, Sealed: []byte{1}}
		ref, err := p.system.Start(delivery.Child(delivery.Deps{
			Endpoint: to, Fence: p.fence, Store: store, Journal: p.journal, Sender: p.sender, Schedule: schedule,
			NewID: newID, Pool: pool, Disable: func(persistence.Endpoint, persistence.JournalEntry) {},
		}))
		if err != nil {
			return nil, err
		}
		p.clients = append(p.clients, delivery.NewClient(ref))
	}
	return p, nil
}

func (p *process) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := p.system.Stop(ctx)
	p.sender.Close()
	if closed := p.store.Close(); err == nil {
		err = closed
	}
	return err
}

// emit commits n events and returns their ids.
func (p *process) emit(ctx context.Context, n int) ([]string, error) {
	batch := persistence.Batch{Fence: p.fence}
	for range n {
		batch.Events = append(batch.Events, persistence.Event{
			ID: newID(persistence.PrefixEvent, time.Now()), Type: persistence.EventOrderFilled, CreatedAt: venues.At(time.Now()),
			Data: []byte(`{"orderId":"ord_1","exchange":"okx","symbol":"BTCUSDT","side":"buy","orderType":"market","qty":"0.01"}`),
		})
	}
	err := p.journal.Commit(ctx, batch)
	ids := make([]string, n) // the journal has put the sequences into them
	for i, e := range batch.Events {
		ids[i] = e.ID
	}
	return ids, err
}

// waiting returns the number of pending deliveries.
func (p *process) waiting(ctx context.Context) (int, error) {
	n := 0
	for i := range p.clients {
		cursor, err := p.store.EndpointCursor(ctx, customer, endpointID(i))
		if err != nil {
			return 1, nil //nolint:nilerr // the queue has not begun yet
		}
		events, err := p.store.EventsSince(ctx, customer, cursor.Seq, 1)
		if err != nil {
			return 0, err
		}
		rows, err := p.store.PendingDeliveries(ctx, customer, endpointID(i), 1)
		if err != nil {
			return 0, err
		}
		n += len(events) + len(rows)
	}
	return n, nil
}

// run runs a child process. Each line that it prints is the id of a durable event.
func (p plan) run(ctx context.Context) error {
	schedule := delivery.Schedule{Attempts: 5, Delays: []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond}}
	process, err := start(ctx, p.Dir, p.Targets, schedule, 200*time.Millisecond)
	if err != nil {
		return err
	}
	for p.Emit {
		ids, err := process.emit(ctx, 20)
		if err != nil {
			return err
		}
		for _, id := range ids {
			fmt.Fprintln(os.Stdout, id)
		}
	}
	for {
		n, err := process.waiting(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return process.stop()
		}
		time.Sleep(20 * time.Millisecond)
	}
}
