package actors_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

type (
	plain    struct{ n int }
	request  struct{ actors.Reply[int] }
	internal struct {
		actors.Internal
		n int
	}
)

// held starts an actor that handles no message until release is closed.
func held(t *testing.T, s *actors.System, messagesMax int, taken *[]any) (ref actors.Ref, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	first := true
	ref = mustStart(t, s, actors.Child{Name: "held", MailboxMax: messagesMax, Producer: as(script{
		receive: func(_ *actors.Context, msg any) {
			if first {
				first = false
				<-release
				return
			}
			*taken = append(*taken, msg)
		},
	})})
	ref.Tell(&plain{-1})
	synctest.Wait()
	return ref, release
}

func TestLimitedMailboxKeeps8Of100(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var taken []any
		ref, release := held(t, s, 8, &taken)
		refused := 0
		for n := range 100 {
			ref.Tell(&request{actors.ReplyFunc(func(_ int, err error) {
				switch {
				case errors.Is(err, actors.ErrBusy):
					refused++
				case !errors.Is(err, actors.ErrFailed): // those in the mailbox are never answered
					t.Errorf("message %d: error %v, want ErrFailed", n, err)
				}
			})})
		}
		if ref.Len() != 8 || refused != 92 {
			t.Errorf("%d pending, %d rejected, want 8 and 92", ref.Len(), refused)
		}
		close(release)
		// Wait returns only when every goroutine is blocked: nothing spins.
		synctest.Wait()
		if stats := kindStats(t, s, "held"); len(taken) != 8 || stats.Rejections != 92 || stats.Messages != 9 || stats.Waiting != 0 {
			t.Errorf("taken %d, %+v, want 8 taken, Rejections 92, Messages 9, Waiting 0", len(taken), stats)
		}
		ref.Tell(&plain{1})
		synctest.Wait()
		if len(taken) != 9 {
			t.Errorf("a mailbox with space rejected a message, want 9 taken")
		}
	})
}

func TestInternalMessagesPassTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var taken []any
		ref, release := held(t, s, 1, &taken)
		for n := range 10 {
			ref.Tell(&internal{n: n})
			ref.Tell(&plain{n})
		}
		close(release)
		synctest.Wait()
		if len(taken) != 11 { // ten internal ones, and the one that had a place
			t.Errorf("messages = %d, want 11", len(taken))
		}
		for n, msg := range taken {
			if m, ok := msg.(*internal); ok && n > 1 && m.n != n-1 {
				t.Errorf("internal message %d = %d, want %d", n, m.n, n-1)
			}
		}
	})
}

func TestMailboxAccountsForEveryMessage(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		senders := rapid.IntRange(1, 8).Draw(rt, "senders")
		each := rapid.IntRange(1, 50).Draw(rt, "each")
		synctest.Test(t, func(t *testing.T) {
			s := newSystem(t)
			var taken []any
			ref, release := held(t, s, limit, &taken)
			var all sync.WaitGroup
			for range senders {
				all.Go(func() {
					for n := range each {
						ref.Tell(&plain{n})
					}
				})
			}
			all.Wait()
			if ref.Len() > limit {
				t.Errorf("pending = %d, want at most %d", ref.Len(), limit)
			}
			close(release)
			synctest.Wait()
			refused := int(kindStats(t, s, "held").Rejections)
			if len(taken) != min(limit, senders*each) || len(taken)+refused != senders*each {
				t.Errorf("received, rejected = %d, %d, want %d of %d received and the others rejected", len(taken), refused, min(limit, senders*each), senders*each)
			}
		})
	})
}

func TestStoppingActorHandlesPendingMessagesAndRejectsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var taken []any
		ref, release := held(t, s, 8, &taken)
		var rejection error
		ref.Tell(&plain{1})
		ref.Tell(&request{})
		done := make(chan struct{})
		go func() { stopped(t, s); close(done) }()
		synctest.Wait()
		ref.Tell(&request{actors.ReplyFunc(func(_ int, err error) { rejection = err })})
		ref.Tell(&plain{2})
		close(release)
		<-done
		if !errors.Is(rejection, actors.ErrStopped) {
			t.Errorf("request to a stopping actor: %v, want error %v", rejection, actors.ErrStopped)
		}
		if len(taken) != 2 {
			t.Errorf("received %d of the messages before the stop, want 2", len(taken))
		}
		if letters := s.Stats().DeadLetters; letters != 1 {
			t.Errorf("%d dead letters, want the message sent after the stop", letters)
		}
	})
}

func TestMessagesLeftInTheMailboxAreRejected(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		ref := k.Start(actors.Child{Name: "short", Restart: actors.Temporary, Producer: as(script{
			receive: func(ctx *actors.Context, msg any) { boom(ctx) },
		})})
		var answers []error
		for range 3 {
			ref.Tell(&request{actors.ReplyFunc(func(_ int, err error) { answers = append(answers, err) })})
		}
		k.Settle()
		if len(answers) != 3 || !errors.Is(answers[0], actors.ErrFailed) ||
			!errors.Is(answers[1], actors.ErrStopped) || !errors.Is(answers[2], actors.ErrStopped) {
			k.T.Errorf("answers = %v, want the last two ErrStopped", answers)
		}
	}, actortest.ExpectFailures())
}

func TestMailIsKeptUntilTheRestart(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		ref := k.Start(actors.Child{Name: "a", MailboxMax: 2, Backoff: actors.Backoff{Min: time.Second}, Producer: as(script{receive: obey(probe)})})
		if err := inside(k, ref, boom); !errors.Is(err, actors.ErrFailed) {
			k.T.Errorf("the failing request: %v, want error %v", err, actors.ErrFailed)
		}
		for n := range 3 {
			ref.Tell(&plain{n})
		}
		k.Advance(999 * time.Millisecond)
		probe.ExpectNone()
		k.Advance(time.Millisecond)
		if got := probe.Take(); len(got) != 2 || got[0].(*plain).n != 0 || got[1].(*plain).n != 1 {
			k.T.Errorf("messages after the restart = %v, want 0 and 1", got)
		}
	}, actortest.ExpectFailures(), wholeJitter())
}

func TestKilledActorReceivesNothing(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		release := make(chan struct{})
		child := actors.Child{Name: "stuck", Producer: as(script{receive: func(*actors.Context, any) { <-release }})}
		middle := actors.Child{Name: "middle", StopTimeout: time.Second, Producer: as(script{
			started: func(ctx *actors.Context) { ctx.Children().StartAll(child) },
			receive: func(ctx *actors.Context, msg any) { k.T.Errorf("killed actor received %T, want nothing", msg) },
		})}
		parent := family(k, k.Probe("probe"), actors.Child{}, middle)
		parent.Child("middle").Child("stuck").Tell(&plain{})
		_ = inside(k, parent, func(ctx *actors.Context) { ctx.Children().Stop("middle") })
		k.Advance(2 * time.Second)
		var rejection error
		parent.Child("middle").Tell(&plain{})
		parent.Child("middle").Tell(&request{actors.ReplyFunc(func(_ int, err error) { rejection = err })})
		k.Settle()
		if !errors.Is(rejection, actors.ErrStopped) {
			k.T.Errorf("rejected with %v, want error %v", rejection, actors.ErrStopped)
		}
		if got := k.System.Stats().DeadLetters; got != 1 {
			k.T.Errorf("%d dead letters, want 1", got)
		}
		close(release)
	})
}
