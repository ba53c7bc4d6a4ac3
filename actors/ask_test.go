package actors_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

type double struct {
	actors.Reply[int]
	n int
}

func TestAskReturnsTheAnswer(t *testing.T) {
	s := newSystem(t)
	ref := mustStart(t, s, actors.Child{Name: "doubler", Producer: as(script{
		receive: func(_ *actors.Context, msg any) {
			m := msg.(*double)
			if m.n < 0 {
				m.Reject(errBoom)
				return
			}
			m.Send(2 * m.n)
		},
	})})
	for n := -1; n < 3; n++ {
		got, err := actors.Ask(t.Context(), ref, func(r actors.Reply[int]) any { return &double{r, n} })
		if n < 0 && !errors.Is(err, errBoom) || n >= 0 && (err != nil || got != 2*n) {
			t.Errorf("answer to %d = %d, error %v, want %d, or an error if it is negative", n, got, err, 2*n)
		}
	}
}

func TestAskErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		silent := mustStart(t, s, actors.Child{Name: "silent", Producer: as(script{receive: func(*actors.Context, any) {}})})
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		short, cancelShort := context.WithTimeout(t.Context(), time.Second)
		defer cancelShort()
		for _, c := range []struct {
			name  string
			ctx   context.Context
			ref   actors.Ref
			want  []error
			after time.Duration
		}{
			{"at the deadline", short, silent, []error{actors.ErrDeadline, context.DeadlineExceeded}, time.Second},
			{"when canceled", canceled, silent, []error{actors.ErrDeadline, context.Canceled}, 0},
			{"at the limit without a deadline", t.Context(), silent, []error{actors.ErrDeadline, context.DeadlineExceeded}, actors.AskWaitMax},
			{"at once without such an actor", t.Context(), s.Ref("nobody"), []error{actors.ErrStopped}, 0},
			{"at once for the zero Ref", t.Context(), actors.Ref{}, []error{actors.ErrStopped}, 0},
		} {
			begin := time.Now()
			_, err := actors.Ask(c.ctx, c.ref, func(r actors.Reply[int]) any { return &double{r, 1} })
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", c.name, err, want)
				}
			}
			if took := time.Since(begin); took != c.after {
				t.Errorf("%s: returned after %v, want %v", c.name, took, c.after)
			}
		}
	})
}

func TestOnlyTheFirstAnswerCounts(t *testing.T) {
	var got []error
	reply := actors.ReplyFunc(func(_ int, err error) { got = append(got, err) })
	reply.Reject(errBoom)
	reply.Send(1)
	reply.Reject(nil)
	if len(got) != 1 || !errors.Is(got[0], errBoom) {
		t.Errorf("answers = %v, want %v once", got, errBoom)
	}
	actors.Reply[int]{}.Send(1) // nowhere
}

// TestAnswersReachTheirOwnCaller mixes answers that arrive in time, late, exactly at the
// deadline, and twice.
func TestAnswersReachTheirOwnCaller(t *testing.T) {
	s := newSystem(t)
	ref := mustStart(t, s, actors.Child{Name: "doubler", MailboxMax: 1 << 20, Producer: as(script{
		receive: func(_ *actors.Context, msg any) {
			m := msg.(*double)
			m.Send(2 * m.n)
			m.Send(-1)
		},
	})})
	var all sync.WaitGroup
	for asker := range 16 {
		all.Go(func() {
			for round := range 500 {
				n := asker<<20 | round
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(round%50)*time.Microsecond)
				got, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return &double{r, n} })
				cancel()
				if err == nil && got != 2*n || err != nil && !errors.Is(err, actors.ErrDeadline) {
					t.Errorf("answer = %d, error %v, want %d or ErrDeadline", got, err, 2*n)
				}
			}
		})
	}
	all.Wait()
}

// Requests that were answered before are not rejected.
func TestOpenRequestsAreRejectedWhenTheActorEnds(t *testing.T) {
	for name, end := range map[string]func(k *actortest.Kit, ref actors.Ref){
		"by a failure": func(k *actortest.Kit, ref actors.Ref) { _ = inside(k, ref, boom) },
		"in order":     func(k *actortest.Kit, ref actors.Ref) { _ = inside(k, ref, (*actors.Context).Stop) },
		"killed": func(k *actortest.Kit, ref actors.Ref) {
			_ = inside(k, ref, func(ctx *actors.Context) {
				pool := k.System.NewPool("stubborn", 1, 0)
				_ = ctx.Go(pool, func(life context.Context) any { <-life.Done(); return nil })
			})
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_ = k.System.Stop(ended)
		},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) {
				serve := obey(nil)
				ref := k.Start(actors.Child{Name: "debtor", Restart: actors.Transient, Producer: as(script{
					receive: func(ctx *actors.Context, msg any) {
						switch m := msg.(type) {
						case *double:
							if m.n%2 == 0 {
								m.Send(2 * m.n)
							}
						default:
							serve(ctx, msg)
						}
					},
				})})
				answers := make([]error, 100)
				var askers sync.WaitGroup
				for n := range answers {
					askers.Go(func() {
						_, answers[n] = actors.Ask(context.Background(), ref, func(r actors.Reply[int]) any { return &double{r, n} })
					})
				}
				k.Settle()
				begun := time.Now()
				end(k, ref)
				askers.Wait()
				if took := time.Since(begun); took > 0 {
					t.Errorf("answered after %s, want at most 0", took)
				}
				for n, err := range answers {
					if n%2 == 0 && err != nil || n%2 == 1 && !errors.Is(err, actors.ErrFailed) {
						t.Errorf("caller %d: error %v, want ErrFailed for odd ones only", n, err)
					}
				}
			}, actortest.ExpectFailures())
		})
	}
}

func TestReplyToDeliversToTheCallingIncarnation(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("probe")
		var held actors.Reply[int]
		other := k.Start(actors.Child{Name: "other", Producer: as(script{
			receive: func(_ *actors.Context, msg any) { held = msg.(*double).Reply },
		})})
		asker := k.Start(actors.Child{Name: "asker", Producer: as(script{receive: obey(probe)})})
		ask := func(ctx *actors.Context) {
			other.Tell(&double{actors.ReplyTo(ctx, func(n int, err error) any { return &plain{n} }), 4})
		}
		if err := inside(k, asker, ask); err != nil {
			k.T.Fatal(err)
		}
		probe.ExpectNone()
		held.Send(8)
		held.Send(9)
		if got := actortest.Expect[*plain](probe); got.n != 8 {
			k.T.Errorf("answer %d, want 8", got.n)
		}
		probe.ExpectNone()

		if err := inside(k, asker, ask); err != nil {
			k.T.Fatal(err)
		}
		_ = inside(k, asker, boom)
		k.Advance(time.Second)
		held.Send(10)
		probe.ExpectNone()
	}, actortest.ExpectFailures())
}
