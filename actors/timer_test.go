package actors_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// timed runs a test inside an actor that records the strings it receives, with the
// time; act may react to them.
func timed(t *testing.T, last time.Duration, first func(ctx *actors.Context), act func(ctx *actors.Context, msg string)) (got []string) {
	t.Helper()
	actortest.Run(t, func(k *actortest.Kit) {
		begin := time.Now()
		k.Start(actors.Child{Name: "timed", Backoff: actors.Backoff{Min: time.Second}, Producer: as(script{
			started: first,
			receive: func(ctx *actors.Context, msg any) {
				got = append(got, fmt.Sprint(msg, " ", since(begin)))
				if act != nil {
					act(ctx, msg.(string))
				}
			},
		})})
		k.Advance(last)
	}, actortest.ExpectFailures(), wholeJitter())
	return got
}

var timerCases = []struct {
	name  string
	first func(ctx *actors.Context)
	act   func(ctx *actors.Context, msg string)
	want  []string
}{
	{
		name: "come in order of time, then of setting",
		first: func(ctx *actors.Context) {
			ctx.Timers().After("a", 2*time.Second, "a")
			ctx.Timers().After("b", time.Second, "b")
			ctx.Timers().After("c", 2*time.Second, "c")
			ctx.Timers().After("d", -time.Second, "d")
		},
		want: []string{"d 0s", "b 1s", "a 2s", "c 2s"},
	},
	{
		name: "a key has one timer",
		first: func(ctx *actors.Context) {
			ctx.Timers().After("a", time.Second, "old")
			ctx.Timers().After("a", 2*time.Second, "new")
			ctx.Timers().Every("b", time.Second, 0, "old")
			ctx.Timers().After("b", 1500*time.Millisecond, "once")
		},
		want: []string{"once 1.5s", "new 2s"},
	},
	{
		name: "every comes again, with jitter",
		first: func(ctx *actors.Context) {
			ctx.Timers().Every("a", time.Second, 500*time.Millisecond, "a")
			ctx.Timers().Every("b", 2*time.Second, 0, "b")
		},
		act: func(ctx *actors.Context, msg string) {
			if msg == "b" {
				ctx.Timers().Cancel("b")
			}
		},
		want: []string{"a 1.5s", "b 2s", "a 3s", "a 4.5s"},
	},
	{
		name: "one that is canceled by another of the same instant does not come",
		first: func(ctx *actors.Context) {
			for _, key := range []string{"a", "b", "c"} {
				ctx.Timers().After(key, time.Second, key)
			}
		},
		act: func(ctx *actors.Context, msg string) {
			if msg == "a" {
				ctx.Timers().Cancel("b")
				ctx.Timers().After("c", time.Second, "c again")
			}
		},
		want: []string{"a 1s", "c again 2s"},
	},
	{
		name: "a restart ends them",
		first: func(ctx *actors.Context) {
			ctx.Timers().After("a", 2*time.Second, "a")
			ctx.Timers().Every("b", 3*time.Second, 0, "b")
		},
		act: func(ctx *actors.Context, msg string) {
			if msg == "a" {
				boom(ctx)
			}
		},
		want: []string{"a 2s", "a 5s"},
	},
}

func TestTimers(t *testing.T) {
	for _, c := range timerCases {
		t.Run(c.name, func(t *testing.T) {
			if got := timed(t, 5*time.Second, c.first, c.act); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTimerThatSetsItselfDoesNotBlockTheActor(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		rounds := 0
		ref := k.Start(actors.Child{Name: "eager", Producer: as(script{
			started: func(ctx *actors.Context) { ctx.Timers().After("again", 0, "again") },
			receive: func(ctx *actors.Context, msg any) {
				if m, ok := msg.(*request); ok {
					ctx.Timers().Cancel("again")
					m.Send(rounds)
					return
				}
				if rounds++; rounds < 1000 {
					ctx.Timers().After("again", 0, "again")
				}
			},
		})})
		if _, err := actortest.Ask(k, ref, func(r actors.Reply[int]) any { return &request{r} }); err != nil {
			k.T.Error(err)
		}
	})
}

// TestTimersMatchAModel sets and cancels at random, and compares with a simple model.
func TestTimersMatchAModel(t *testing.T) {
	type step struct {
		key    string
		cancel bool
		after  time.Duration
	}
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				key:    rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "key"),
				cancel: rapid.IntRange(0, 3).Draw(rt, "cancel") == 0,
				after:  time.Duration(rapid.IntRange(0, 5).Draw(rt, "after")) * time.Second,
			}
		}), 1, 20).Draw(rt, "steps")
		want := map[string]string{}
		got := timed(t, 10*time.Second, func(ctx *actors.Context) {
			for n, s := range steps {
				if s.cancel {
					ctx.Timers().Cancel(s.key)
					delete(want, s.key)
					continue
				}
				ctx.Timers().After(s.key, s.after, fmt.Sprint(s.key, n))
				want[s.key] = fmt.Sprint(s.key, n, " ", s.after)
			}
		}, nil)
		if len(got) != len(want) {
			t.Fatalf("got %q, want %v", got, want)
		}
		for _, line := range got {
			if want[line[:1]] != line {
				t.Errorf("got %q, want %v", line, want)
			}
		}
	})
}
