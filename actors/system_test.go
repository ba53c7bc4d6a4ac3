package actors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

type order struct{ apiKey string }

func TestLogsContainMessageTypesOnly(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	actortest.Run(t, func(k *actortest.Kit) {
		k.System.Ref("nobody").Tell(&order{"hunter2"})
		full := k.Start(actors.Child{Name: "full", MailboxMax: 1, Restart: actors.Temporary, Producer: as(script{
			started: func(ctx *actors.Context) {
				for range 3 {
					ctx.Self().Tell(&order{"hunter2"})
				}
			},
			receive: func(ctx *actors.Context, msg any) {
				ctx.Unhandled(msg)
				panic(msg)
			},
		})})
		full.Tell(&order{"hunter2"})
		k.Settle()
	}, actortest.ExpectFailures(), actortest.ExpectUnhandled(), actortest.LogTo(zap.New(core)))

	seen := map[string]bool{}
	for _, entry := range logs.All() {
		text := fmt.Sprint(entry.Message, " ", entry.ContextMap())
		if strings.Contains(text, "hunter2") {
			t.Errorf("log = %s, want no content of a message", text)
		}
		if entry.ContextMap()["message_type"] == "*actors_test.order" {
			seen[entry.Message] = true
		}
	}
	for _, message := range []string{"dead letter", "mailbox full", "unhandled message", "actor failed"} {
		if !seen[message] {
			t.Errorf("log lacks %q with the type of the message", message)
		}
	}
}

func TestDeadLettersAreCountedAndLoggedRarely(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	actortest.Run(t, func(k *actortest.Kit) {
		for range 1000 {
			k.System.Ref("nobody").Tell(&order{})
		}
		if got := k.System.Stats().DeadLetters; got != 1000 {
			k.T.Errorf("%d dead letters, want 1000", got)
		}
	}, actortest.LogTo(zap.New(core)))
	if got := logs.FilterMessage("dead letter").Len(); got != 10 {
		t.Errorf("%d log lines, want 10", got)
	}
}

func TestStopNamesTheRunningActors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := actors.New(zap.NewNop())
		release := make(chan struct{})
		ref := mustStart(t, s, actors.Child{Name: "stuck/1", Producer: as(script{
			receive: func(*actors.Context, any) { <-release },
		})})
		mustStart(t, s, actors.Child{Name: "fine/1", Producer: as(script{})})
		ref.Tell(&plain{})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		err := s.Stop(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "stuck/1") || strings.Contains(err.Error(), "fine/1") {
			t.Errorf("Stop: error %v, want DeadlineExceeded that names stuck/1 only", err)
		}
		close(release)
		stopped(t, s) // continues where the first Stop ended
		select {
		case <-s.Done():
		default:
			t.Error("Done is open after Stop, want it closed")
		}
		if s.Err() != nil {
			t.Errorf("Err after Stop = %v, want none", s.Err())
		}
	})
}

func TestStopKillsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := actors.New(zap.NewNop())
		pool := s.NewPool("p", 1, 0)
		var cut error
		mustStart(t, s, actors.Child{Name: "slow", Producer: as(script{
			stopping: func(ctx *actors.Context) {
				_ = ctx.Go(pool, func(ctx context.Context) any {
					<-ctx.Done()
					cut = ctx.Err()
					return nil
				})
			},
		})})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || cut == nil {
			t.Errorf("Stop: %v; effect: %v, want error %v, and an error of the effect", err, cut, context.DeadlineExceeded)
		}
	})
}

func TestStartAfterStopFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := actors.New(zap.NewNop())
		ref := mustStart(t, s, actors.Child{Name: "a", Producer: as(script{})})
		stopped(t, s)
		if _, err := s.Start(actors.Child{Name: "b", Producer: as(script{})}); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("start: %v, want error %v", err, actors.ErrStopped)
		}
		ref.Tell(&plain{})
		if got := s.Stats().DeadLetters; got != 1 {
			t.Errorf("%d dead letters, want 1", got)
		}
		stopped(t, s)
	})
}

func TestStatsCountByKind(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		for n := range 3 {
			ref := k.Start(actors.Child{Name: fmt.Sprintf("account/%d", n), Restart: actors.Transient, Producer: as(script{
				receive: func(ctx *actors.Context, msg any) {
					time.Sleep(time.Second) // busy, against the rules
					ctx.Unhandled(msg)
				},
			})})
			for range n {
				ref.Tell(&plain{})
			}
		}
		k.Advance(1500 * time.Millisecond)
		got := kindStats(k.T, k.System, "account")
		want := actors.KindStats{Kind: "account", Actors: 3, Messages: 3, Unhandled: 2, Busy: 2500 * time.Millisecond}
		if got != want {
			k.T.Errorf("got  %+v\nwant %+v", got, want)
		}
		k.Advance(time.Minute)
		if got := kindStats(k.T, k.System, "account").Busy; got != 3*time.Second {
			k.T.Errorf("busy %v, want 3s", got)
		}
	}, actortest.ExpectUnhandled())
}
