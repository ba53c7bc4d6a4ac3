package actors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// family starts a parent "p" whose Started starts children, and which reports the
// messages that it receives.
func family(k *actortest.Kit, probe *actortest.Probe, spec actors.Child, children ...actors.Child) actors.Ref {
	spec.Name = "p"
	spec.Producer = as(script{
		started: func(ctx *actors.Context) { ctx.Children().StartAll(children...) },
		receive: obey(probe),
	})
	return k.Start(spec)
}

// crasher fails in Started, and records when.
func crasher(starts *[]string) func() actors.Behaviour {
	begin := time.Now()
	return as(script{started: func(ctx *actors.Context) {
		*starts = append(*starts, since(begin))
		boom(ctx)
	}})
}

func TestBackoffDoublesUpToItsMaxThenTheChildIsGivenUp(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		var starts []string
		family(k, probe, actors.Child{}, actors.Child{
			Name: "c", Producer: crasher(&starts), Restart: actors.Transient,
			Backoff:     actors.Backoff{Min: 100 * time.Millisecond, Max: time.Second},
			RestartsMax: 6, RestartWindow: time.Minute,
		})
		k.Advance(time.Hour)
		want := []string{"0s", "100ms", "300ms", "700ms", "1.5s", "2.5s", "3.5s"}
		if !slices.Equal(starts, want) {
			k.T.Errorf("started at %v, want %v", starts, want)
		}
		ended := actortest.Expect[*actors.ChildEnded](probe)
		if ended.Name != "c" || !errors.Is(ended.Err, errBoom) {
			k.T.Errorf("ChildEnded = %+v, want child c with %v", ended, errBoom)
		}
		probe.ExpectNone()
		stats := kindStats(k.T, k.System, "c")
		if stats.Failures != 7 || stats.Restarts != 6 || stats.Actors != 0 {
			k.T.Errorf("%+v, want Failures 7, Restarts 6, Actors 0", stats)
		}
		select {
		case <-k.System.Done():
			k.T.Error("Done is closed after the loss of a Transient child, want it open")
		default:
		}
	}, actortest.ExpectFailures(), wholeJitter())
}

func TestBackoffIsJitteredByTheSeed(t *testing.T) {
	run := func(seed uint64) (starts []string) {
		actortest.Run(t, func(k *actortest.Kit) {
			family(k, k.Probe("probe"), actors.Child{}, actors.Child{
				Name: "c", Producer: crasher(&starts), Restart: actors.Transient,
				Backoff: actors.Backoff{Min: time.Second, Max: time.Second}, RestartsMax: 5,
			})
			begin := time.Now()
			k.Advance(5 * time.Second)
			if waited := time.Since(begin); len(starts) != 6 || waited != 5*time.Second {
				k.T.Errorf("started at %v, want 6 starts, 5s apart in all", starts)
			}
		}, actortest.ExpectFailures(), actortest.With(actors.WithSeed(seed)))
		return starts
	}
	first, again, other := run(1), run(1), run(2)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("delays of seed 1 = %v, %v, of seed 2 = %v, want the first two equal, the third different", first, again, other)
	}
}

func TestFailuresOutsideTheWindowDoNotCount(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		parent := family(k, probe, actors.Child{}, actors.Child{
			Name: "c", Producer: as(script{receive: obey(nil)}), Restart: actors.Transient,
			Backoff: actors.Backoff{Min: time.Second, Max: time.Minute}, RestartsMax: 2, RestartWindow: time.Minute,
		})
		for range 10 {
			_ = inside(k, parent.Child("c"), boom)
			k.Advance(time.Minute)
		}
		probe.ExpectNone()
		for range 3 {
			_ = inside(k, parent.Child("c"), boom)
			k.Advance(3 * time.Second)
		}
		if ended := actortest.Expect[*actors.ChildEnded](probe); !strings.Contains(ended.Err.Error(), "given up after 2 restarts") {
			k.T.Error(ended.Err)
		}
	}, actortest.ExpectFailures(), wholeJitter())
}

func TestPermanentFailureEscalatesToTheEndOfTheSystem(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		var starts []string
		leaf := actors.Child{Name: "leaf", Producer: crasher(&starts), RestartsMax: 1}
		middle := actors.Child{Name: "middle", RestartsMax: 1, Producer: as(script{
			started: func(ctx *actors.Context) { ctx.Children().StartAll(leaf) },
		})}
		root := k.Start(actors.Child{Name: "root", RestartsMax: 1, Producer: as(script{
			started: func(ctx *actors.Context) { ctx.Children().StartAll(middle) },
		})})
		k.Advance(time.Minute)
		select {
		case <-k.System.Done():
		default:
			k.T.Fatal("Done is open after the loss of the root, want it closed")
		}
		err := k.System.Err()
		if !errors.Is(err, errBoom) || !strings.Contains(err.Error(), "root given up after 1 restarts: root/middle given up after 1 restarts: root/middle/leaf given up after 1 restarts") {
			k.T.Errorf("Err: %v, want error %v, containing root given up after 1 restarts: root/middle given up after 1 restarts: root/middle/leaf given up after 1 restarts", err, errBoom)
		}
		if len(starts) != 8 { // twice in each of two incarnations of the middle, of two of the root
			k.T.Errorf("starts of the leaf = %d, want 8", len(starts))
		}
		if err := inside(k, root, func(*actors.Context) {}); !errors.Is(err, actors.ErrStopped) {
			k.T.Errorf("the lost root answers %v, want error %v", err, actors.ErrStopped)
		}
		if _, err := k.System.Start(actors.Child{Name: "other", Producer: as(script{})}); !errors.Is(err, actors.ErrStopped) {
			k.T.Errorf("start in a lost system: %v, want error %v", err, actors.ErrStopped)
		}
	}, actortest.ExpectFailures())
}

func TestLossOfOtherTopLevelActorsIsLogged(t *testing.T) {
	core, logs := observer.New(zap.ErrorLevel)
	actortest.Run(t, func(k *actortest.Kit) {
		var starts []string
		k.Start(actors.Child{Name: "customer/1", Restart: actors.Transient, RestartsMax: 1, Producer: crasher(&starts)})
		other := k.Start(actors.Child{Name: "customer/2", Producer: as(script{receive: obey(nil)})})
		k.Advance(time.Minute)
		if err := inside(k, other, func(*actors.Context) {}); err != nil || k.System.Err() != nil {
			k.T.Errorf("other actor: error %v, system: error %v, want none", err, k.System.Err())
		}
	}, actortest.ExpectFailures(), actortest.LogTo(zap.New(core)))
	if logs.FilterMessage("top-level actor lost").Len() != 1 {
		t.Error("log lacks the line: top-level actor lost")
	}
}

func TestTemporaryChildIsNotRestarted(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		var starts []string
		family(k, probe, actors.Child{}, actors.Child{Name: "c", Producer: crasher(&starts), Restart: actors.Temporary})
		k.Advance(time.Hour)
		if ended := actortest.Expect[*actors.ChildEnded](probe); !errors.Is(ended.Err, errBoom) || len(starts) != 1 {
			k.T.Errorf("ChildEnded = %+v after %d starts, want %v after 1", ended, len(starts), errBoom)
		}
	}, actortest.ExpectFailures())
}

func TestChildThatStopsItself(t *testing.T) {
	for _, c := range []struct {
		restart  actors.Restart
		starts   int
		reported bool
	}{
		{actors.Permanent, 3, false}, {actors.Transient, 1, true}, {actors.Temporary, 1, true},
	} {
		t.Run(fmt.Sprint(c.restart), func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) {
				probe := k.Probe("probe")
				starts := 0
				family(k, probe, actors.Child{}, actors.Child{
					Name: "c", Restart: c.restart, Backoff: actors.Backoff{Min: time.Second, Max: time.Second},
					Producer: as(script{started: func(ctx *actors.Context) {
						starts++
						ctx.Stop()
					}}),
				})
				k.Advance(2500 * time.Millisecond)
				if starts != c.starts {
					k.T.Errorf("started %d times, want %d", starts, c.starts)
				}
				if !c.reported {
					probe.ExpectNone()
				} else if ended := actortest.Expect[*actors.ChildEnded](probe); ended.Err != nil {
					k.T.Errorf("ChildEnded = %+v, want no Err", ended)
				}
			}, wholeJitter())
		})
	}
}

func TestChildrenStartInOrderAndStopInReverse(t *testing.T) {
	var trace []string
	actortest.Run(t, func(k *actortest.Kit) {
		pool := k.System.NewPool("flush", 3, 0)
		begin := time.Now()
		note := func(what string) { trace = append(trace, what+" at "+since(begin)) }
		child := func(name string) actors.Child {
			tries := 0
			return actors.Child{Name: name, Backoff: actors.Backoff{Min: time.Second}, Producer: as(script{
				started: func(ctx *actors.Context) {
					if tries++; name == "b" && tries == 1 {
						boom(ctx)
					}
					note("started " + name)
				},
				receive: func(_ *actors.Context, msg any) { note(fmt.Sprint(msg, " ", name)) },
				stopping: func(ctx *actors.Context) {
					note("stopping " + name)
					_ = ctx.Go(pool, actortest.Wait(time.Second, "flushed"))
				},
			})}
		}
		family(k, nil, actors.Child{}, child("a"), child("b"), child("c"))
		k.Advance(time.Second)
	}, actortest.ExpectFailures(), wholeJitter())
	want := []string{
		"started a at 0s", "started b at 1s", "started c at 1s",
		"stopping c at 1s", "flushed c at 2s",
		"stopping b at 2s", "flushed b at 3s",
		"stopping a at 3s", "flushed a at 4s",
	}
	if !slices.Equal(trace, want) {
		t.Errorf("got  %q\nwant %q", trace, want)
	}
}

func TestAdjacentChildrenOfOneKindStopTogether(t *testing.T) {
	var mu sync.Mutex // neighbours end at the same time
	var trace []string
	actortest.Run(t, func(k *actortest.Kit) {
		pool := k.System.NewPool("flush", 3, 0)
		begin := time.Now()
		child := func(name string) actors.Child {
			return actors.Child{Name: name, Producer: as(script{
				receive: func(_ *actors.Context, msg any) {
					mu.Lock()
					defer mu.Unlock()
					trace = append(trace, name+" ended at "+since(begin))
				},
				stopping: func(ctx *actors.Context) {
					_ = ctx.Go(pool, actortest.Wait(time.Second, "flushed"))
				},
			})}
		}
		family(k, nil, actors.Child{}, child("signalqueue"), child("account/a"), child("account/b"), child("channel/1"), child("account/c"))
		k.Settle()
	})
	want := []string{
		"account/c ended at 1s", "channel/1 ended at 2s", "account/a ended at 3s", "account/b ended at 3s", "signalqueue ended at 4s",
	}
	if len(trace) == len(want) {
		slices.Sort(trace[2:4]) // those of one instant come in any order
	}
	if !slices.Equal(trace, want) {
		t.Errorf("got  %q\nwant %q", trace, want)
	}
}

func TestDynamicChildren(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		parent := family(k, probe, actors.Child{})
		spec := actors.Child{Name: "account/42", Producer: as(script{receive: obey(nil)}), Restart: actors.Transient}
		start := func() (err error) {
			if failed := inside(k, parent, func(ctx *actors.Context) { _, err = ctx.Children().Start(spec) }); failed != nil {
				k.T.Fatal(failed)
			}
			return err
		}
		if err := start(); err != nil {
			k.T.Fatal(err)
		}
		if err := start(); !errors.Is(err, actors.ErrNameTaken) {
			k.T.Errorf("second start: %v, want error %v", err, actors.ErrNameTaken)
		}
		ref := k.System.Ref("p/account/42")
		if err := inside(k, ref, func(ctx *actors.Context) {
			if ctx.Self().Path() != "p/account/42" {
				k.T.Errorf("path = %q, want p/account/42", ctx.Self().Path())
			}
		}); err != nil {
			k.T.Error(err)
		}
		_ = inside(k, parent, func(ctx *actors.Context) {
			if found, ok := ctx.Children().Ref("account/42"); !ok || found.Path() != ref.Path() {
				k.T.Errorf("child = %q, found %t, want %q and true", found.Path(), ok, ref.Path())
			}
			if !ctx.Children().Stop("account/42") || ctx.Children().Stop("account/43") {
				k.T.Error("Stop(account/42), Stop(account/43), want true and false")
			}
			if _, err := ctx.Children().Start(spec); !errors.Is(err, actors.ErrNameTaken) {
				k.T.Errorf("start while the old one is stopping: %v, want error %v", err, actors.ErrNameTaken)
			}
		})
		if ended := actortest.Expect[*actors.ChildEnded](probe); ended.Name != "account/42" || ended.Err != nil {
			k.T.Errorf("ChildEnded = %+v, want Name account/42, no Err", ended)
		}
		if err := inside(k, ref, func(*actors.Context) {}); !errors.Is(err, actors.ErrStopped) {
			k.T.Errorf("the stopped child answers %v, want error %v", err, actors.ErrStopped)
		}
		if err := start(); err != nil {
			k.T.Error(err)
		}
		if err := inside(k, ref, func(*actors.Context) {}); err != nil {
			k.T.Errorf("old address of the new child: error %v, want none", err)
		}
	})
}

func TestChildrenOfAFailedActorEndImmediately(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		var ended, started atomic.Int32
		child := actors.Child{Name: "c", Producer: as(script{started: func(ctx *actors.Context) {
			started.Add(1)
			context.AfterFunc(ctx.Lifetime(), func() { ended.Add(1) })
		}})}
		parent := family(k, nil, actors.Child{Backoff: actors.Backoff{Min: time.Minute, Max: time.Minute}}, child)
		_ = inside(k, parent, boom)
		k.Settle()
		if started.Load() != 1 || ended.Load() != 1 {
			k.T.Errorf("right after the failure: %d started, %d ended, want 1, 1", started.Load(), ended.Load())
		}
		k.Advance(time.Minute)
		if started.Load() != 2 || ended.Load() != 1 {
			k.T.Errorf("after the restart: %d started, %d ended, want 2, 1", started.Load(), ended.Load())
		}
	}, actortest.ExpectFailures(), wholeJitter())
}

func TestFailureInStoppingDoesNotReviveTheActor(t *testing.T) {
	starts := 0
	actortest.Run(t, func(k *actortest.Kit) {
		k.Start(actors.Child{Name: "c", Producer: as(script{
			started:  func(*actors.Context) { starts++ },
			stopping: boom,
		})})
	}, actortest.ExpectFailures())
	if starts != 1 {
		t.Errorf("started %d times, want 1", starts)
	}
}

func TestPanicInAProducerFailsTheChild(t *testing.T) {
	for name, producer := range map[string]func() actors.Behaviour{
		"panics": func() actors.Behaviour { panic("no") },
		"nil":    func() actors.Behaviour { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) {
				probe := k.Probe("probe")
				family(k, probe, actors.Child{}, actors.Child{Name: "c", Producer: producer, Restart: actors.Temporary})
				if ended := actortest.Expect[*actors.ChildEnded](probe); ended.Err == nil {
					k.T.Error("no error, want an Err")
				}
			}, actortest.ExpectFailures())
		})
	}
}

func TestStartAllContinuesWithoutATransientChild(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		var starts []string
		parent := family(k, probe, actors.Child{},
			actors.Child{Name: "a", Producer: crasher(&starts), Restart: actors.Transient, RestartsMax: 2},
			actors.Child{Name: "b", Producer: as(script{receive: obey(nil)})})
		if err := inside(k, parent.Child("b"), func(*actors.Context) {}); !errors.Is(err, actors.ErrStopped) {
			k.T.Errorf("b before a is started or lost: %v, want error %v", err, actors.ErrStopped)
		}
		k.Advance(time.Minute)
		if err := inside(k, parent.Child("b"), func(*actors.Context) {}); err != nil {
			k.T.Errorf("b after the loss of a: error %v, want none", err)
		}
		actortest.Expect[*actors.ChildEnded](probe)
	}, actortest.ExpectFailures())
}

func TestChildIsKilledAfterStopTimeout(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		cut := ""
		parent := family(k, probe, actors.Child{}, actors.Child{
			Name: "c", StopTimeout: 3 * time.Second,
			Producer: as(script{stopping: func(ctx *actors.Context) {
				begin := time.Now()
				context.AfterFunc(ctx.Lifetime(), func() { cut = since(begin) })
				actors.ReplyTo(ctx, func(int, error) any { return nil }) // never answered
			}}),
		})
		_ = inside(k, parent, func(ctx *actors.Context) { ctx.Children().Stop("c") })
		k.Advance(2999 * time.Millisecond)
		probe.ExpectNone()
		k.Advance(time.Millisecond)
		actortest.Expect[*actors.ChildEnded](probe)
		if cut != "3s" {
			k.T.Errorf("killed after %s, want 3s", cut)
		}
	})
}

func TestStopOfAChildDuringItsBackoff(t *testing.T) {
	for _, end := range []func(ctx *actors.Context){boom, (*actors.Context).Stop} {
		actortest.Run(t, func(k *actortest.Kit) {
			probe := k.Probe("probe")
			parent := family(k, probe, actors.Child{}, actors.Child{
				Name: "c", Backoff: actors.Backoff{Min: time.Hour, Max: time.Hour}, Producer: as(script{receive: obey(nil)}),
			})
			_ = inside(k, parent.Child("c"), end)
			k.Settle()
			_ = inside(k, parent, func(ctx *actors.Context) { ctx.Children().Stop("c") })
			actortest.Expect[*actors.ChildEnded](probe)
			k.Advance(2 * time.Hour)
			probe.ExpectNone()
		}, actortest.ExpectFailures(), wholeJitter())
	}
}

func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		for _, name := range []string{"a", "account/42", "book/BTCUSDT", "venue/binance", "key/a.b_c-d:e"} {
			mustStart(t, s, actors.Child{Name: name, Producer: as(script{})})
		}
		for _, name := range []string{"", "/", "/a", "a/", "a//b", "$1", "a b", "a\n", "ä", strings.Repeat("a", 129)} {
			if _, err := s.Start(actors.Child{Name: name, Producer: as(script{})}); !errors.Is(err, actors.ErrBadName) {
				t.Errorf("%q: %v, want error %v", name, err, actors.ErrBadName)
			}
		}
		for _, taken := range []string{"a", "deadletter"} {
			if _, err := s.Start(actors.Child{Name: taken, Producer: as(script{})}); !errors.Is(err, actors.ErrNameTaken) {
				t.Errorf("%q: %v, want error %v", taken, err, actors.ErrNameTaken)
			}
		}
	})
}
