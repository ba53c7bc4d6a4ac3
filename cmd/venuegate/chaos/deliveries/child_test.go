//go:build chaos

package deliveries

import (
	"bufio"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
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
	// emitters is the number of concurrent committers; emitMax bounds the events of a
	// commit.
	emitters = 4
	emitMax  = 64
	// emitPause is the pause between two commits of one emitter, so that deliveries
	// interleave.
	emitPause = 4 * time.Millisecond
	// attemptMax bounds one attempt, so that hanging receivers delay little.
	attemptMax = 300 * time.Millisecond
)

// schedule is the schedule of the service, faster.
var schedule = delivery.Schedule{Attempts: 5, Delays: []time.Duration{
	20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond,
}}

// child is the process that is killed.
type child struct {
	store  *badgerstore.Store
	log    *journal.Client
	system *actors.System
	fence  persistence.Fence
	queues []delivery.Client

	mu  sync.Mutex
	out *bufio.Writer
}

// runChild emits events and delivers until it is killed: DIR BASEURL EMIT MODE
// SEED. With the mode "drain" it ends when nothing is pending.
func runChild(args []string) error {
	emit, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(args[4], 10, 64)
	if err != nil {
		return err
	}
	c := &child{out: bufio.NewWriter(os.Stdout)}
	if err := c.open(args[0], args[1]); err != nil {
		return err
	}
	if err := c.emitAll(emit, seed); err != nil {
		return err
	}
	if args[3] != "drain" {
		select {} // it is killed
	}
	if err := c.drain(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.system.Stop(ctx); err != nil {
		return err
	}
	return c.store.Close()
}

func (c *child) open(dir, base string) (err error) {
	if c.store, err = badgerstore.Open(dir, badgerstore.Options{}); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	if err := c.store.Integrity(); err != nil {
		return err
	}
	c.log = journal.NewClient(c.store)
	c.log.Listen(func(_ string, seq uint64) {
		for _, q := range c.queues {
			q.Wake(seq)
		}
	})
	if c.fence, err = c.log.Own(context.Background(), customer); err != nil {
		return err
	}
	c.system = actors.New(zap.NewNop())
	pool := c.system.NewPool("store", 8, 1024)
	sender := webhook.NewSender(webhook.Options{
		Policy: webhook.DialPolicy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Timeout: attemptMax, UserAgent: "chaos",
		Secrets: webhook.Secrets{Unseal: func(sealed []byte, _ persistence.Key) (venues.Secret, error) { return venues.Secret(sealed), nil }},
	})
	var queues []delivery.Client
	for _, w := range ways {
		ref, err := c.system.Start(delivery.Child(delivery.Deps{
			Endpoint: w.record(base), Fence: c.fence, Store: c.store, Journal: c.log.CommitQueue(customer, delivery.Name(w.id)), Sender: sender,
			Schedule: schedule, NewID: newID, Pool: pool, Disable: func(persistence.Endpoint, persistence.JournalEntry) {},
		}))
		if err != nil {
			return err
		}
		queues = append(queues, delivery.NewClient(ref))
	}
	c.queues = queues // before anything is emitted
	return nil
}

func newID(prefix string, at time.Time) string {
	return persistence.NewID(prefix, at, cryptorand.Reader)
}

// emitAll commits n events and prints the events of each commit once it is durable.
func (c *child) emitAll(n int, seed uint64) error {
	failed := make(chan error, emitters)
	var wait sync.WaitGroup
	for i := range uint64(emitters) {
		random := rand.New(rand.NewPCG(seed, i))
		wait.Go(func() {
			for left := n / emitters; left > 0; {
				size := min(left, 1+random.IntN(emitMax))
				left -= size
				if err := c.emit(random, size); err != nil {
					failed <- err
					return
				}
				time.Sleep(emitPause)
			}
		})
	}
	wait.Wait()
	close(failed)
	return <-failed
}

func (c *child) emit(random *rand.Rand, n int) error {
	batch := persistence.Batch{Fence: c.fence}
	for range n {
		e := persistence.Event{ID: newID(persistence.PrefixEvent, time.Now()), CreatedAt: venues.At(time.Now()), Type: anyType(random), Data: []byte(`{"qty":"0.01"}`)}
		batch.Events = append(batch.Events, e)
	}
	if err := c.log.Commit(context.Background(), batch); err != nil {
		return err
	}
	ids := make([]string, 0, n)
	for _, e := range batch.Events { // the commit has put their sequence into the ids
		ids = append(ids, e.ID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintln(c.out, strings.Join(ids, " "))
	return c.out.Flush()
}

// anyType returns a random event type, according to their shares.
func anyType(random *rand.Rand) persistence.EventType {
	n := random.IntN(100)
	for _, w := range ways {
		if n < w.share {
			return w.takes
		}
		n -= w.share
	}
	panic("the shares are less than a hundred")
}

// drain waits until every queue has read all events and none is pending.
func (c *child) drain() error {
	last, err := lastEvent(c.store)
	if err != nil {
		return err
	}
	for {
		idle := 0
		for _, w := range ways {
			// In this order: the queue moves its cursor with the rows of what it has read.
			cursor, err := c.store.EndpointCursor(context.Background(), customer, w.id)
			if errors.Is(err, persistence.ErrNotFound) {
				continue // the queue has not started
			}
			if err != nil {
				return err
			}
			waits, err := c.store.PendingDeliveries(context.Background(), customer, w.id, 1)
			if err != nil {
				return err
			}
			if len(waits) == 0 && cursor.Seq >= last {
				idle++
			}
		}
		if idle == len(ways) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}
