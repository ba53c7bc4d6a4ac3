package actortest_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// worker ticks, and after some ticks runs an effect or fails. Its delays are round
// numbers, so that many events happen at the same instant.
type worker struct {
	pool   *actors.Pool
	target actors.Ref
	ticks  int
}

func (w *worker) Started(ctx *actors.Context) {
	ctx.Timers().Every("tick", time.Second, 0, "tick")
	ctx.Timers().After("tock", time.Second, "tock")
}

func (w *worker) Receive(ctx *actors.Context, msg any) {
	switch {
	case msg != "tick":
		w.target.Tell(fmt.Sprint(ctx.Self().Path(), " ", msg))
	case w.ticks == 7:
		ctx.Fail(errors.New("tired"))
	default:
		w.ticks++
		wait := ctx.Jitter(3 * time.Second).Truncate(500 * time.Millisecond)
		if err := ctx.Go(w.pool, actortest.Wait(wait, w.ticks)); err != nil {
			w.target.Tell(err.Error())
		}
	}
}

// crew supervises workers, and sometimes replaces one.
type crew struct {
	worker   func() actors.Behaviour
	replaced int
}

func (c *crew) Started(ctx *actors.Context) {
	for n := range 4 {
		c.start(ctx, n)
	}
	ctx.Timers().Every("replace", 5*time.Second, 0, "replace")
}

func (c *crew) start(ctx *actors.Context, n int) {
	child := actors.Child{Name: fmt.Sprintf("worker/%d", n), Producer: c.worker, Restart: actors.Transient}
	if _, err := ctx.Children().Start(child); err != nil {
		ctx.Fail(err)
	}
}

func (c *crew) Receive(ctx *actors.Context, msg any) {
	switch msg.(type) {
	case string:
		ctx.Children().Stop(ctx.Children().Names()[0])
	case *actors.ChildEnded:
		c.replaced++
		c.start(ctx, 3+c.replaced)
	}
}

type outcome struct {
	received []string
	digest   uint64
}

// simulate runs five crews for half a minute of virtual time, with timers,
// effects, failures, restarts and orderly stops.
func simulate(t *testing.T, seed uint64) (o outcome) {
	t.Helper()
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("collector")
		pool := k.System.NewPool("effects", 12, 4)
		newWorker := func() actors.Behaviour { return &worker{pool: pool, target: probe.Ref()} }
		for n := range 5 {
			k.Start(actors.Child{Name: fmt.Sprintf("crew/%d", n), Producer: func() actors.Behaviour { return &crew{worker: newWorker} }})
		}
		k.Advance(30 * time.Second)
		for _, msg := range probe.Take() {
			o.received = append(o.received, msg.(string))
		}
		o.digest = k.Scheduler().Digest()
	}, actortest.Seeded(seed), actortest.ExpectFailures(), actortest.LogTo(quiet))
	return o
}

func TestSeedDecidesTheOrder(t *testing.T) {
	const seeds = 50
	orders := map[uint64]bool{}
	for seed := range uint64(seeds) {
		first, second := simulate(t, seed), simulate(t, seed)
		if first.digest != second.digest || !slices.Equal(first.received, second.received) {
			t.Fatalf("seed %d: digests = %x, %x, want the same order twice", seed, first.digest, second.digest)
		}
		if len(first.received) < 300 {
			t.Fatalf("seed %d: only %d results, want at least 300 received", seed, len(first.received))
		}
		orders[first.digest] = true
	}
	if len(orders) != seeds {
		t.Errorf("%d seeds gave %d orders, want %v orders", seeds, len(orders), seeds)
	}
}

func TestSchedulerRecordsRecentSteps(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		ref := k.Start(actors.Child{Name: "echo", Producer: func() actors.Behaviour { return &echo{} }})
		for range 5000 {
			ref.Tell(&ask{})
			k.Settle()
		}
		recent := k.Scheduler().Recent()
		if len(recent) < 1000 || len(recent) > 2000 || recent[len(recent)-1] != "echo" {
			t.Errorf("recorded steps = %d, want 1000 to 2000 that end with echo", len(recent))
		}
	}, actortest.Seeded(3))
}
