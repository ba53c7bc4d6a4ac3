package delivery_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/delivery"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const customer = "c1"

func newID(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) }

// post is one attempt as the receiver saw it.
type post struct {
	event   string
	attempt int
	at      time.Time
	signed  time.Time
}

// receiver is a Sender whose answers are scripted.
type receiver struct {
	answer func(ctx context.Context, e persistence.Event, attempt int) persistence.Attempt

	mu    sync.Mutex
	posts []post
	taken map[string]int
}

func newReceiver(answer func(ctx context.Context, e persistence.Event, attempt int) persistence.Attempt) *receiver {
	return &receiver{answer: answer, taken: map[string]int{}}
}

func (r *receiver) Send(ctx context.Context, _ persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	r.mu.Lock()
	r.posts = append(r.posts, post{e.ID, attempt, time.Now(), at})
	r.mu.Unlock()
	out := r.answer(ctx, e, attempt)
	if out.Err == nil {
		r.mu.Lock()
		r.taken[e.ID]++
		r.mu.Unlock()
	}
	return out
}

func (r *receiver) seen() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post(nil), r.posts...)
}

func accept(context.Context, persistence.Event, int) persistence.Attempt {
	return persistence.Attempt{Code: 200, Answer: []byte("ok")}
}

func refuse(context.Context, persistence.Event, int) persistence.Attempt {
	return persistence.Attempt{Code: 500, Answer: []byte("oops\xff"), Err: errors.New("answered 500")}
}

// process is one process: a store, the ownership of the customer, and queues.
type process struct {
	t       testing.TB
	store   persistence.Store
	journal *journal.Client
	fence   persistence.Fence
	system  *actors.System
	pool    *actors.Pool
	clients []delivery.Client
	events  int

	// monitor is that of all queues of the process.
	monitor *delivery.Monitor
	counts  delivery.Counts

	mu       sync.Mutex
	disabled []persistence.Endpoint
	// dropDisables drops the records that are to be disabled.
	dropDisables atomic.Bool
}

// open starts a process on a store.
func open(t testing.TB, store persistence.Store) *process {
	t.Helper()
	h := &process{t: t, store: store, journal: journal.NewClient(store), system: newSystem()}
	h.monitor = delivery.NewMonitor(&h.counts)
	h.pool = h.system.NewPool("store", 8, 1024)
	h.own()
	return h
}

func newSystem() *actors.System { return actors.New(zap.NewNop()) }

// own takes the customer, from another process if necessary.
func (h *process) own() {
	h.t.Helper()
	var err error
	if h.fence, err = h.journal.Own(context.Background(), customer); err != nil {
		h.t.Fatal(err)
	}
}

// close ends the process in order.
func (h *process) close() {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.system.Stop(ctx); err != nil {
		h.t.Error(err)
	}
}

func (h *process) start(e persistence.Endpoint, s delivery.Sender) delivery.Client {
	h.t.Helper()
	child := delivery.Child(delivery.Deps{
		Endpoint: e, Fence: h.fence, Store: h.store, Journal: h.journal.CommitQueue(e.Customer, e.ID), Sender: s, Schedule: delivery.ScheduleDefault(), Monitor: h.monitor,
		NewID: newID, Pool: h.pool, Disable: func(e persistence.Endpoint, entry persistence.JournalEntry) {
			if h.dropDisables.Load() {
				return
			}
			h.mu.Lock()
			h.disabled = append(h.disabled, e)
			h.mu.Unlock()
			h.journal.Submit(persistence.Batch{Fence: h.fence, Puts: []persistence.Record{e}, Journal: []persistence.JournalEntry{entry}}, func(error) {})
		},
	})
	ref, err := h.system.Start(child)
	if err != nil {
		h.t.Fatal(err)
	}
	h.clients = append(h.clients, delivery.NewClient(ref))
	return h.clients[len(h.clients)-1]
}

// disables returns every call of Disable so far. It is repeated while it has no effect.
func (h *process) disables() []persistence.Endpoint {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.disabled)
}

// emit commits n events of a type and returns their ids.
func (h *process) emit(kind persistence.EventType, n int) []string {
	h.t.Helper()
	ids, err := h.tryEmit(kind, n)
	if err != nil {
		h.t.Fatal(err)
	}
	return ids
}

func (h *process) tryEmit(kind persistence.EventType, n int) ([]string, error) {
	batch := persistence.Batch{Fence: h.fence}
	for range n {
		h.events++
		e := anEvent()
		e.Type, e.Data = kind, fmt.Appendf(nil, `{"n":%d}`, h.events)
		batch.Events = append(batch.Events, e)
	}
	err := h.journal.Commit(context.Background(), batch)
	ids := make([]string, 0, n)
	for _, e := range batch.Events { // with the sequences that the journal has assigned
		ids = append(ids, e.ID)
	}
	return ids, err
}

func anEvent() persistence.Event {
	return persistence.Event{
		ID: newID(persistence.PrefixEvent, time.Now()), Type: persistence.EventOrderFilled,
		CreatedAt: venues.At(time.Now()), Data: []byte(`{}`),
	}
}

func endpoint(id string) persistence.Endpoint {
	return persistence.Endpoint{ID: id, Customer: customer, Kind: persistence.EndpointWebhook, CreatedAt: venues.At(time.Now())}
}

// deliveries reads every delivery of an endpoint, by event.
func (h *process) deliveries(endpoint string) map[string]persistence.Delivery {
	h.t.Helper()
	found := map[string]persistence.Delivery{}
	q := persistence.DeliveryQuery{Customer: customer, Endpoint: endpoint}
	for {
		page, err := h.store.Deliveries(context.Background(), q)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, d := range page.Items {
			if _, twice := found[d.EventID]; twice {
				h.t.Errorf("event %s has two deliveries, want one", d.EventID)
			}
			found[d.EventID] = d
		}
		if page.Next == nil {
			return found
		}
		q.After = page.Next
	}
}

// rows reads the journal about a subject, oldest first, as "kind/result".
func (h *process) rows(subject string) []string {
	h.t.Helper()
	page, err := h.store.Journal(context.Background(), persistence.JournalQuery{Customer: customer, Subject: subject})
	if err != nil {
		h.t.Fatal(err)
	}
	slices.SortFunc(page.Items, func(a, b persistence.JournalEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	rows := make([]string, 0, len(page.Items))
	for _, e := range page.Items {
		rows = append(rows, e.Kind+"/"+e.Result)
	}
	return rows
}
