package actortest_test

import (
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = zap.NewNop()

// echo answers requests and forwards other messages to its neighbour.
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

func TestProbeRecordsMessages(t *testing.T) {
	for _, seeded := range []bool{false, true} {
		t.Run(fmt.Sprintf("seeded %t", seeded), func(t *testing.T) {
			actortest.Run(t, probeKeeps, seedIf(seeded)...)
		})
	}
}

func probeKeeps(k *actortest.Kit) {
	answered := 0
	probe := k.Probe("neighbour", func(any) { answered++ })
	ref := k.Start(actors.Child{Name: "echo", Producer: func() actors.Behaviour { return &echo{probe.Ref()} }})
	probe.ExpectNone()
	for n := range 3 {
		ref.Tell(&tell{n})
	}
	if got := actortest.Expect[*tell](probe); got.n != 0 {
		k.T.Errorf("first message is %d, want 0", got.n)
	}
	if rest := probe.Take(); len(rest) != 2 || answered != 3 {
		k.T.Errorf("left %v, reacted to %d, want 2 messages and 3", rest, answered)
	}
	path, err := actortest.Ask(k, ref, func(r actors.Reply[string]) any { return &ask{r} })
	if path != "echo" || err != nil {
		k.T.Errorf("ask: %q, %v, want echo", path, err)
	}
}

func seedIf(seeded bool) []actortest.Option {
	if seeded {
		return []actortest.Option{actortest.Seeded(1)}
	}
	return nil
}

func TestExpectedFailure(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		ref := k.Start(actors.Child{Name: "bad", Restart: actors.Temporary, Producer: func() actors.Behaviour { return failing{} }})
		ref.Tell("boom")
		k.Settle()
		if _, err := actortest.Ask(k, ref, func(r actors.Reply[string]) any { return &ask{r} }); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("ask of a failed actor: %v, want error %v", err, actors.ErrStopped)
		}
	}, actortest.ExpectFailures())
}

type failing struct{}

func (failing) Receive(ctx *actors.Context, _ any) { ctx.Fail(errors.New("expected")) }
