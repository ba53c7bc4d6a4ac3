//go:build chaos

package deliveries

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
)

const (
	// lifeMin and lifeMax bound how long a process runs; some are killed before they
	// have opened the store.
	lifeMin, lifeMax = 50 * time.Millisecond, 2 * time.Second
	// comparedEvery is the number of kills after which the store is compared.
	comparedEvery = 10
)

// TestNothingIsLostOverKills checks, over kill -9 at random times, that every emitted
// event is delivered, pending or undelivered, that there are no others, and that no
// committed event is missing.
func TestNothingIsLostOverKills(t *testing.T) {
	size, seed := chosen(t)
	t.Logf("%d events, %d kills, seed %d", size.events, size.kills, seed)
	ctx, cancel := context.WithTimeout(t.Context(), size.within)
	defer cancel()
	r := &run{
		t: t, dir: filepath.Join(t.TempDir(), "store"), receivers: startReceivers(t, seed),
		random: rand.New(rand.NewPCG(seed, 0)), acked: map[string]bool{},
	}
	begun := time.Now()
	each := size.events / (size.kills + 1)
	for n := range size.kills {
		r.live(ctx, 2*each, lifeMin+time.Duration(r.random.Int64N(int64(lifeMax-lifeMin))))
		if n%comparedEvery == comparedEvery-1 {
			r.compare()
		}
	}
	for emitted := r.compare().emitted; emitted < size.events; emitted = r.compare().emitted {
		r.drain(ctx, min(size.events-emitted+emitters, size.events/4))
	}
	r.drain(ctx, 0)
	sum := r.compare()
	if sum.pending != 0 || sum.emitted < size.events {
		t.Errorf("%+v in the end", sum)
	}
	for _, fault := range r.receivers.faults {
		t.Error(fault)
	}
	t.Logf("%+v, %d confirmed, %d posts, %s", sum, len(r.acked), r.receivers.posts, time.Since(begun).Round(time.Second))
}

// run is one store through many processes.
type run struct {
	t         *testing.T
	dir       string
	receivers *receivers
	random    *rand.Rand
	// acked are the events whose commits were acknowledged.
	acked map[string]bool
}

// sum has the counts.
type sum struct{ emitted, delivered, pending, undelivered int }

// live runs a process that emits up to n events and delivers, and kills it.
func (r *run) live(ctx context.Context, n int, life time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	if err := r.process(ctx, n, "serve"); ctx.Err() == nil {
		r.t.Fatalf("the process ended without a kill: %v", err)
	}
}

// drain runs a process that emits n events and delivers until nothing is pending.
func (r *run) drain(ctx context.Context, n int) {
	r.t.Helper()
	if err := r.process(ctx, n, "drain"); err != nil {
		r.t.Fatal(err)
	}
}

// process runs one, which is killed when ctx ends.
func (r *run) process(ctx context.Context, emit int, mode string) error {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	command := exec.CommandContext(ctx, self, r.dir, r.receivers.server.URL, strconv.Itoa(emit), mode, strconv.FormatUint(r.random.Uint64(), 10))
	command.Env = append(os.Environ(), childEnv+"=yes")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.readCommitted(output)
	return command.Wait()
}

// readCommitted records the committed events that the process printed. It ignores an incomplete
// line.
func (r *run) readCommitted(output io.Reader) {
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		for _, id := range strings.Fields(line) {
			r.acked[id] = true
		}
	}
}

// compare opens the store while no process runs, and counts its events.
func (r *run) compare() sum {
	r.t.Helper()
	store, err := badgerstore.Open(r.dir, badgerstore.Options{})
	if err == nil {
		err = store.Integrity()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			r.t.Fatal(err)
		}
	}()
	events := r.events(store)
	for id := range r.acked {
		if _, exists := events[id]; !exists {
			r.t.Errorf("event %s was committed and is missing", id)
		}
	}
	s := sum{emitted: len(events)}
	for _, w := range ways {
		r.compareWay(store, w, events, &s)
	}
	if r.t.Failed() {
		r.t.FailNow()
	}
	return s
}

// events returns all emitted events by id.
func (r *run) events(store *badgerstore.Store) map[string]persistence.Event {
	r.t.Helper()
	all := map[string]persistence.Event{}
	for seq := uint64(0); ; {
		page, err := store.EventsSince(context.Background(), customer, seq, persistence.PageSizeMax)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, e := range page {
			if _, twice := all[e.ID]; twice {
				r.t.Errorf("event id %s twice", e.ID)
			}
			all[e.ID], seq = e, e.Seq
		}
		if len(page) == 0 {
			return all
		}
	}
}

// compareWay counts the events of one endpoint.
func (r *run) compareWay(store *badgerstore.Store, w way, events map[string]persistence.Event, s *sum) {
	r.t.Helper()
	cursor, err := store.EndpointCursor(context.Background(), customer, w.id)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		r.t.Fatal(err)
	}
	rows := r.deliveries(store, w)
	for _, e := range events {
		if wayOf(e.Type).id != w.id {
			continue
		}
		d, queued := rows[e.ID]
		delete(rows, e.ID)
		switch {
		case !queued && e.Seq > cursor.Seq, queued && d.Status == persistence.DeliveryPending:
			s.pending++
		case !queued:
			r.t.Errorf("%s: event %s at %d is lost, the cursor is at %d", w.id, e.ID, e.Seq, cursor.Seq)
		case d.Status == persistence.DeliveryUndelivered:
			s.undelivered++
		case !r.receivers.took(w.id, e.ID):
			r.t.Errorf("%s: event %s is stored as delivered and was never accepted", w.id, e.ID)
		default:
			s.delivered++
		}
	}
	for id := range rows {
		r.t.Errorf("%s: delivery of %s, to which it does not subscribe", w.id, id)
	}
}

func (r *run) deliveries(store *badgerstore.Store, w way) map[string]persistence.Delivery {
	r.t.Helper()
	found := map[string]persistence.Delivery{}
	q := persistence.DeliveryQuery{Customer: customer, Endpoint: w.id, Limit: persistence.PageSizeMax}
	for {
		page, err := store.Deliveries(context.Background(), q)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, d := range page.Items {
			if _, twice := found[d.EventID]; twice {
				r.t.Errorf("%s: two deliveries of %s", w.id, d.EventID)
			}
			found[d.EventID] = d
		}
		if page.Next == nil {
			return found
		}
		q.After = page.Next
	}
}

// lastEvent returns the sequence number of the newest event.
func lastEvent(store *badgerstore.Store) (uint64, error) {
	var last uint64
	for {
		page, err := store.EventsSince(context.Background(), customer, last, persistence.PageSizeMax)
		if err != nil {
			return 0, fmt.Errorf("read events: %w", err)
		}
		if len(page) == 0 {
			return last, nil
		}
		last = page[len(page)-1].Seq
	}
}
