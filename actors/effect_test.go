package actors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// effects starts an actor that reports results to the probe.
func effects(k *actortest.Kit, probe *actortest.Probe) actors.Ref {
	return k.Start(actors.Child{
		Name: "e", Backoff: actors.Backoff{Min: time.Second}, Producer: as(script{receive: obey(probe)}),
	})
}

// goes starts an effect inside an actor and returns the error of Go.
func goes(k *actortest.Kit, ref actors.Ref, pool *actors.Pool, effect actors.Effect) (err error) {
	k.T.Helper()
	if failed := inside(k, ref, func(ctx *actors.Context) { err = ctx.Go(pool, effect) }); failed != nil {
		k.T.Fatal(failed)
	}
	return err
}

func TestPoolRunsQueuesAndRefusesEffects(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		pool := k.System.NewPool("venue", 2, 3)
		ref := effects(k, probe)
		begin := time.Now()
		effect := func(n int) actors.Effect {
			return func(ctx context.Context) any {
				time.Sleep(time.Second)
				return fmt.Sprint(n, " at ", since(begin))
			}
		}
		for n := range 7 {
			if err := goes(k, ref, pool, effect(n)); (n < 5) != (err == nil) || n >= 5 && !errors.Is(err, actors.ErrBusy) {
				k.T.Errorf("effect %d: error %v, want ErrBusy from effect 5 on", n, err)
			}
		}
		if got := k.System.Stats().Pools; len(got) != 1 || got[0] != (actors.PoolStats{
			Name: "venue", Running: 2, RunningMax: 2, Waiting: 3, WaitingMax: 3, Started: 2, Refused: 2,
		}) {
			k.T.Errorf("pools = %+v, want the running and queued effects", got)
		}
		k.Advance(10 * time.Second)
		var got []string
		for _, msg := range probe.Take() {
			got = append(got, msg.(string))
		}
		slices.Sort(got) // those of one instant come in any order
		if want := []string{"0 at 1s", "1 at 1s", "2 at 2s", "3 at 2s", "4 at 3s"}; !slices.Equal(got, want) {
			k.T.Errorf("results = %q, want %q", got, want)
		}
		if err := goes(k, ref, pool, effect(9)); err != nil {
			k.T.Errorf("idle pool: error %v, want none", err)
		}
	})
}

// Of the effects that wait, those of the lowest rank run first, and those of one rank in order.
func TestPoolRunsEffectsByRank(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		pool := k.System.NewPool("starts", 1, 9)
		ref := effects(k, probe)
		for n, rank := range []int{9, 2, 1, 2, 0, 1} {
			var err error
			failed := inside(k, ref, func(ctx *actors.Context) {
				err = ctx.GoRanked(pool, rank, actortest.Wait(time.Second, fmt.Sprintf("%d of rank %d", n, rank)))
			})
			if err = errors.Join(failed, err); err != nil {
				k.T.Fatal(err)
			}
		}
		if !pool.HasWaiting() {
			k.T.Error("HasWaiting = false with five waiting effects, want true")
		}
		k.Advance(10 * time.Second)
		want := []any{"0 of rank 9", "4 of rank 0", "2 of rank 1", "5 of rank 1", "1 of rank 2", "3 of rank 2"}
		if got := probe.Take(); !slices.Equal(got, want) {
			k.T.Errorf("results = %q, want %q", got, want)
		}
		if pool.HasWaiting() {
			k.T.Error("HasWaiting = true in an idle pool, want false")
		}
	})
}

func TestNilIsNoMessage(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		ref := effects(k, probe)
		if err := goes(k, ref, k.System.NewPool("p", 1, 0), actortest.Wait(0, nil)); err != nil {
			k.T.Error(err)
		}
		probe.ExpectNone()
	})
}

func TestEffectsEndWithTheirIncarnation(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		pool := k.System.NewPool("p", 2, 2)
		ref := effects(k, probe)
		var cut atomic.Int32
		stubborn := func(ctx context.Context) any {
			time.Sleep(5 * time.Second)
			if ctx.Err() != nil {
				cut.Add(1)
			}
			return "late"
		}
		ran := false
		for _, effect := range []actors.Effect{stubborn, stubborn, func(context.Context) any { ran = true; return "never" }} {
			if err := goes(k, ref, pool, effect); err != nil {
				k.T.Fatal(err)
			}
		}
		k.Settle() // two run now
		_ = inside(k, ref, boom)
		k.Advance(10 * time.Second)
		probe.ExpectNone()
		if cut.Load() != 2 || ran {
			k.T.Errorf("cancelled = %d, queued effect ran %t, want 2 and false", cut.Load(), ran)
		}
		if err := goes(k, ref, pool, actortest.Wait(time.Second, "new")); err != nil {
			k.T.Fatal(err)
		}
		k.Advance(time.Second)
		if got := actortest.Expect[string](probe); got != "new" {
			k.T.Errorf("got %q, want new", got)
		}
	}, actortest.ExpectFailures(), wholeJitter())
}

func TestPanicInAnEffectFailsTheActorAndIsLoggedOnce(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		pool := k.System.NewPool("p", 1, 0)
		parent := family(k, probe, actors.Child{}, actors.Child{Name: "c", Restart: actors.Temporary, Producer: as(script{receive: obey(nil)})})
		type secret struct{ key string }
		if err := goes(k, parent.Child("c"), pool, func(context.Context) any { panic(secret{"hunter2"}) }); err != nil {
			k.T.Fatal(err)
		}
		if ended := actortest.Expect[*actors.ChildEnded](probe); !strings.Contains(ended.Err.Error(), "effect: panic: actors_test.secret") {
			k.T.Errorf("ChildEnded: %v, want containing effect: panic: actors_test.secret", ended.Err)
		}
		if stats := k.System.Stats().Pools[0]; stats.Running != 0 {
			k.T.Errorf("the pool is not idle: %+v, want Running 0", stats)
		}
	}, actortest.ExpectFailures(), actortest.LogTo(zap.New(core)))
	stacks := 0
	for _, entry := range logs.All() {
		fields := fmt.Sprint(entry.ContextMap())
		if strings.Contains(fields, "goroutine") {
			stacks++
		}
		if strings.Contains(entry.Message+fields, "hunter2") {
			t.Errorf("log = %s %s, want no secret in it", entry.Message, fields)
		}
	}
	if stacks != 1 {
		t.Errorf("%d stacks in the log, want 1", stacks)
	}
}

func TestLoopRunsAsLongAsItsActor(t *testing.T) {
	var ends []string
	actortest.Run(t, func(k *actortest.Kit) {
		begin := time.Now()
		probe := k.Probe("probe")
		ref := k.Start(actors.Child{Name: "reader", Backoff: actors.Backoff{Min: time.Minute}, Producer: as(script{
			started: func(ctx *actors.Context) {
				ctx.Loop(func(ctx context.Context) any {
					<-ctx.Done()
					ends = append(ends, since(begin))
					return "closed"
				})
			},
			receive: obey(probe),
		})})
		k.Advance(time.Hour)
		_ = inside(k, ref, boom)
		k.Advance(time.Hour)
		probe.ExpectNone()
	}, actortest.ExpectFailures(), wholeJitter())
	if want := []string{"1h0m0s", "2h0m0s"}; !slices.Equal(ends, want) {
		t.Errorf("ends of the loops = %v, want %v", ends, want)
	}
}

func TestStopWaitsForRunningEffects(t *testing.T) {
	ended := false
	actortest.Run(t, func(k *actortest.Kit) {
		ref := effects(k, k.Probe("probe"))
		err := goes(k, ref, k.System.NewPool("p", 1, 0), func(context.Context) any {
			time.Sleep(5 * time.Second)
			ended = true
			return nil
		})
		if err != nil {
			k.T.Fatal(err)
		}
		k.Settle()
		_ = inside(k, ref, boom) // the effect no longer belongs to anyone
	}, actortest.ExpectFailures())
	if !ended {
		t.Error("system stopped before its effect, want it to wait")
	}
}

// An orderly stop waits for an effect, but cancels a call.
func TestStopCancelsCalls(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		ref := effects(k, k.Probe("probe"))
		ended := make(chan string, 2)
		calls := func(ctx context.Context) any { <-ctx.Done(); ended <- "call"; return nil }
		writes := func(context.Context) any {
			time.Sleep(time.Second)
			ended <- "write"
			return nil
		}
		err := errors.Join(goes(k, ref, k.System.NewCallPool("calls", 1, 0), calls), goes(k, ref, k.System.NewPool("writes", 1, 0), writes))
		if err != nil {
			k.T.Fatal(err)
		}
		k.Settle()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := k.System.Stop(ctx); err != nil {
			k.T.Error(err)
		}
		if took, first := time.Since(begun), <-ended; took != time.Second || first != "call" {
			k.T.Errorf("stopped after %s, ended with the %s, want 1s, call", took, first)
		}
	})
}
