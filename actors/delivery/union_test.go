package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// randomReceiver returns a receiver that accepts, fails, resets, hangs or throttles at random.
func randomReceiver(random *rand.Rand) *receiver {
	var mu sync.Mutex
	return newReceiver(func(ctx context.Context, _ persistence.Event, _ int) persistence.Attempt {
		mu.Lock()
		mood, delay := random.IntN(100), time.Duration(random.IntN(50))*time.Millisecond
		mu.Unlock()
		switch {
		case mood < 70:
			time.Sleep(delay)
			return persistence.Attempt{Code: 200}
		case mood < 72:
			return persistence.Attempt{Code: 429, Err: errors.New("too many"), RetryAfterSec: 2, Throttled: true}
		case mood < 86:
			return persistence.Attempt{Code: 500, Err: errors.New("answered 500")}
		case mood < 98:
			return persistence.Attempt{Err: errors.New("connection reset")}
		default:
			<-ctx.Done()
			return persistence.Attempt{Err: ctx.Err()}
		}
	})
}

// equation checks that every event emitted for an endpoint is delivered, pending or
// undelivered.
func (h *process) equation(endpoint string, emitted []persistence.Event, r *receiver) (delivered, pending, undelivered int) {
	h.t.Helper()
	cursor, err := h.store.EndpointCursor(context.Background(), customer, endpoint)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		h.t.Fatal(err)
	}
	rows := h.deliveries(endpoint)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range emitted {
		d, queued := rows[e.ID]
		delete(rows, e.ID)
		switch {
		case !queued && e.Seq > cursor.Seq:
			pending++
		case !queued:
			h.t.Errorf("%s: no delivery of event %s at %d before the cursor %d, want one", endpoint, e.ID, e.Seq, cursor.Seq)
		case d.Status == persistence.DeliveryPending:
			pending++
		case d.Status == persistence.DeliveryUndelivered:
			undelivered++
		case r.taken[e.ID] == 0:
			h.t.Errorf("%s: event %s was never received, want its delivery not delivered", endpoint, e.ID)
		default:
			delivered++
		}
	}
	for id := range rows {
		h.t.Errorf("%s: delivery of %s, want none: it was not emitted", endpoint, id)
	}
	return delivered, pending, undelivered
}

// emitted reads every event of the store.
func (h *process) emitted() []persistence.Event {
	h.t.Helper()
	var all []persistence.Event
	ids := map[string]bool{}
	for seq := uint64(0); ; {
		page, err := h.store.EventsSince(context.Background(), customer, seq, 0)
		if err != nil {
			h.t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		for _, e := range page {
			if ids[e.ID] {
				h.t.Errorf("event id %s occurs twice, want it once", e.ID)
			}
			ids[e.ID] = true
		}
		all, seq = append(all, page...), page[len(page)-1].Seq
	}
}

func TestNothingIsLostOverCrashes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	total := 0
	synctest.Test(t, func(t *testing.T) { total = overCrashes(t, seed, 500) })
	t.Logf("%d deliveries", total)
}

// overCrashes sends n events of one customer through four endpoints while the process
// crashes again and again, with commits under way. It returns the number of
// deliveries.
func overCrashes(t *testing.T, seed uint64, n int) int {
	t.Helper()
	const endpoints, crashes = 4, 10
	random := rand.New(rand.NewPCG(seed, 0))
	store := storetest.NewMemory(storetest.Async(50 * time.Microsecond))
	receivers := make([]*receiver, endpoints)
	records := make([]persistence.Endpoint, endpoints)
	for i := range endpoints {
		receivers[i], records[i] = randomReceiver(rand.New(rand.NewPCG(seed, uint64(i+1)))), endpoint(fmt.Sprint("end_", i))
	}
	acked := map[string]bool{}
	for range crashes {
		h := open(t, store)
		clients := make([]delivery.Client, endpoints)
		for i := range endpoints {
			clients[i] = h.start(records[i], receivers[i])
		}
		h.emitBulk(random, n/crashes, acked, clients)
		time.Sleep(time.Duration(random.IntN(60)) * time.Second)
		next := store.Crash(random.IntN(8))
		h.close()
		store = next
		h.store = store
		all := h.emitted()
		for i := range endpoints {
			h.equation(records[i].ID, all, receivers[i])
		}
	}
	h := open(t, store)
	defer h.close()
	for i := range endpoints {
		h.start(records[i], receivers[i])
	}
	time.Sleep(10 * time.Hour)
	synctest.Wait()
	all := h.emitted()
	for i := range endpoints {
		delivered, pending, undelivered := h.equation(records[i].ID, all, receivers[i])
		if pending != 0 || delivered+undelivered != len(all) {
			t.Errorf("seed %d: delivered, undelivered, pending = %d, %d, %d, want a sum of %d and none pending", seed, delivered, undelivered, pending, len(all))
		}
	}
	for _, e := range all {
		delete(acked, e.ID)
	}
	if len(acked) != 0 || len(all) < n*9/10 {
		t.Errorf("seed %d: events = %d, lost acknowledged ones = %d, want at least %d and 0", seed, len(all), len(acked), n*9/10)
	}
	return len(all) * endpoints
}

// emitBulk emits in bursts.
func (h *process) emitBulk(random *rand.Rand, n int, acked map[string]bool, clients []delivery.Client) {
	h.t.Helper()
	for n > 0 {
		size := min(n, 1+random.IntN(200))
		n -= size
		ids, err := h.tryEmit(persistence.EventOrderFilled, size)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, id := range ids {
			acked[id] = true
		}
		seq, err := h.store.LastSequence(context.Background(), customer)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, c := range clients {
			c.Wake(seq)
		}
		if random.IntN(4) == 0 {
			time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
		}
	}
}
