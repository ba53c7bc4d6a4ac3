package actortest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers requests and repeats what it is told to its neighbour.
type echo struct{ neighbour actors.Ref }

type (
	ask  struct{ actors.Reply[string] }
	tell struct{ n int }
)

func (e *echo) Receive(ctx *actors.Context, msg any) {
	switch m := msg.(type) {
	case *ask:
		m.Send(ctx.Self().Path())
	case *tell:
		e.neighbour.Tell(m)
	default:
		ctx.Unhandled(msg)
	}
}

func TestProbeKeepsWhatItIsTold(t *testing.T) {
	for _, seeded := range []bool{false, true} {
		t.Run(fmt.Sprintf("seeded %t", seeded), func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) {
				answered := 0
				probe := k.Probe("neighbour", func(any) { answered++ })
				ref := k.Start(actors.Child{Name: "echo", Producer: func() actors.Behaviour { return &echo{probe.Ref()} }})
				probe.ExpectNone()
				for n := range 3 {
					ref.Tell(&tell{n})
				}
				if got := actortest.Expect[*tell](probe); got.n != 0 {
					t.Errorf("first message is %d", got.n)
				}
				if rest := probe.Take(); len(rest) != 2 || answered != 3 {
					t.Errorf("left %v, reacted to %d", rest, answered)
				}
				path, err := actortest.Ask(k, ref, func(r actors.Reply[string]) any { return &ask{r} })
				if path != "echo" || err != nil {
					t.Errorf("ask: %q, %v", path, err)
				}
			}, seedIf(seeded)...)
		})
	}
}

func seedIf(seeded bool) []actortest.Option {
	if seeded {
		return []actortest.Option{actortest.Seeded(1)}
	}
	return nil
}

// sleeper ticks, and after each tick runs an effect for a while.
type sleeper struct {
	pool   *actors.Pool
	target actors.Ref
}

func (s *sleeper) Started(ctx *actors.Context) {
	ctx.Timers().Every("tick", time.Second, time.Second, "tick")
}

func (s *sleeper) Receive(ctx *actors.Context, msg any) {
	if msg == "tick" {
		wait := time.Second + ctx.Jitter(time.Second).Truncate(100*time.Millisecond)
		_ = ctx.Go(s.pool, actortest.Wait(wait, "done "+ctx.Self().Path()))
		return
	}
	s.target.Tell(msg)
}

// simulate runs 20 actors for a virtual minute; their effects often end at the
// same instant.
func simulate(t *testing.T, seed uint64) (received []string, trace []string) {
	t.Helper()
	actortest.Run(t, func(k *actortest.Kit) {
		probe := k.Probe("collector")
		pool := k.System.NewPool("effects", 24, 64)
		for n := range 20 {
			k.Start(actors.Child{
				Name:     fmt.Sprintf("sleeper/%d", n),
				Producer: func() actors.Behaviour { return &sleeper{pool, probe.Ref()} },
			})
		}
		k.Advance(time.Minute)
		for _, msg := range probe.Take() {
			received = append(received, msg.(string))
		}
		trace = k.Trace()
	}, actortest.Seeded(seed))
	return received, trace
}

func TestOneSeedIsOneOrder(t *testing.T) {
	distinct := map[string]uint64{}
	for seed := range uint64(50) {
		received, trace := simulate(t, seed)
		again, traceAgain := simulate(t, seed)
		if !slices.Equal(received, again) || !slices.Equal(trace, traceAgain) {
			t.Fatalf("seed %d gave two orders", seed)
		}
		if len(received) < 300 {
			t.Fatalf("seed %d: only %d results", seed, len(received))
		}
		distinct[strings.Join(trace, " ")] = seed
	}
	if len(distinct) != 50 {
		t.Errorf("50 seeds gave %d orders", len(distinct))
	}
}

func TestFailingActorFailsTheTestUnlessExpected(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		ref := k.Start(actors.Child{Name: "bad", Restart: actors.Temporary, Producer: func() actors.Behaviour { return failing{} }})
		ref.Tell("boom")
		k.Settle()
		if _, err := actortest.Ask(k, ref, func(r actors.Reply[string]) any { return &ask{r} }); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("ask of a failed actor: %v", err)
		}
	}, actortest.ExpectFailures())
}

type failing struct{}

func (failing) Receive(ctx *actors.Context, _ any) { ctx.Fail(errors.New("expected")) }
