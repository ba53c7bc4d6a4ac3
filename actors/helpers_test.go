package actors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a Behaviour whose parts are functions of a test.
type script struct {
	started  func(ctx *actors.Context)
	receive  func(ctx *actors.Context, msg any)
	stopping func(ctx *actors.Context)
}

func (s *script) Started(ctx *actors.Context) {
	if s.started != nil {
		s.started(ctx)
	}
}

func (s *script) Receive(ctx *actors.Context, msg any) {
	if s.receive == nil {
		ctx.Unhandled(msg)
		return
	}
	s.receive(ctx, msg)
}

func (s *script) Stopping(ctx *actors.Context) {
	if s.stopping != nil {
		s.stopping(ctx)
	}
}

// as returns a Producer of equal scripts.
func as(s script) func() actors.Behaviour {
	return func() actors.Behaviour { return &s }
}

// do is a message that runs inside the actor that receives it.
type do struct {
	actors.Reply[any]
	run func(ctx *actors.Context)
}

// obey runs do, and sends everything else to the probe if there is one.
func obey(p *actortest.Probe) func(ctx *actors.Context, msg any) {
	return func(ctx *actors.Context, msg any) {
		switch m := msg.(type) {
		case *do:
			m.run(ctx)
			m.Send(nil)
		default:
			if p == nil {
				ctx.Unhandled(msg)
				return
			}
			p.Ref().Tell(msg)
		}
	}
}

// inside runs a function inside an actor and returns the error of the request.
func inside(k *actortest.Kit, ref actors.Ref, run func(ctx *actors.Context)) error {
	_, err := actortest.Ask(k, ref, func(r actors.Reply[any]) any { return &do{Reply: r, run: run} })
	return err
}

var errBoom = errors.New("boom")

func boom(ctx *actors.Context) { ctx.Fail(errBoom) }

// seconds returns the virtual time since a test began, in whole milliseconds.
func since(begin time.Time) string { return time.Since(begin).Round(time.Millisecond).String() }

// kindStats returns the statistics of one kind.
func kindStats(t *testing.T, s *actors.System, kind string) actors.KindStats {
	t.Helper()
	for _, k := range s.Stats().Kinds {
		if k.Kind == kind {
			return k
		}
	}
	t.Fatalf("no actor of kind %s in %+v", kind, s.Stats())
	return actors.KindStats{}
}

// wholeJitter makes every random delay its longest.
func wholeJitter() actortest.Option {
	return actortest.With(actors.WithJitter(func(limit time.Duration) time.Duration { return limit }))
}

// stopped stops a system that was created without a Kit.
func stopped(t *testing.T, s *actors.System) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func newSystem(t *testing.T, options ...actors.Option) *actors.System {
	t.Helper()
	s := actors.New(zap.NewNop(), options...)
	t.Cleanup(func() { stopped(t, s) })
	return s
}

func mustStart(t *testing.T, s *actors.System, spec actors.Child) actors.Ref {
	t.Helper()
	ref, err := s.Start(spec)
	if err != nil {
		t.Fatal(fmt.Errorf("start %s: %w", spec.Name, err))
	}
	return ref
}
