package actortest

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"venuegate/actors"
)

// stopTimeout bounds, in virtual time, the stop of a system after its test.
const stopTimeout = time.Minute

// Kit is a system under test. It is used on the goroutine of the test.
type Kit struct {
	T      *testing.T
	System *actors.System

	scheduler *Scheduler // nil unless Seeded
	options   options
}

type options struct {
	seed      uint64
	seeded    bool
	failures  bool
	unhandled bool
	logger    *zap.Logger
	system    []actors.Option
}

// Option configures Run.
type Option func(*options)

// Seeded runs the actors one at a time, in an order that seed decides together with the
// jitter.
func Seeded(seed uint64) Option {
	return func(o *options) { o.seed, o.seeded = seed, true }
}

// ExpectFailures lets actors fail without failing the test.
func ExpectFailures() Option { return func(o *options) { o.failures = true } }

// ExpectUnhandled lets actors receive messages that they do not handle.
func ExpectUnhandled() Option { return func(o *options) { o.unhandled = true } }

// LogTo replaces the log of the test.
func LogTo(logger *zap.Logger) Option { return func(o *options) { o.logger = logger } }

// With adds options of the system.
func With(system ...actors.Option) Option {
	return func(o *options) { o.system = append(o.system, system...) }
}

// Run runs test in a bubble of virtual time, and then stops the system in order.
func Run(t *testing.T, test func(k *Kit), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := &Kit{T: t}
		for _, option := range opts {
			option(&k.options)
		}
		if k.options.logger == nil {
			k.options.logger = zaptest.NewLogger(t)
		}
		k.System = actors.New(k.options.logger, k.systemOptions()...)
		defer k.stop()
		test(k)
	})
}

func (k *Kit) systemOptions() []actors.Option {
	list := []actors.Option{
		actors.WithObserver(actors.Observer{Unhandled: k.unhandled, Failed: k.failed}),
		actors.WithSeed(k.options.seed),
	}
	if k.options.seeded {
		k.T.Logf("seed %d", k.options.seed)
		k.scheduler = NewScheduler(k.options.seed)
		list = append(list, actors.WithDispatcher(k.scheduler))
	}
	return append(list, k.options.system...)
}

func (k *Kit) unhandled(path string, msg any) {
	if !k.options.unhandled {
		k.T.Errorf("%s: unhandled message %T", path, msg)
	}
}

func (k *Kit) failed(path string, err error) {
	if !k.options.failures {
		k.T.Errorf("%s failed: %v", path, err)
	}
}

func (k *Kit) stop() {
	var err error
	k.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		err = k.System.Stop(ctx)
	})
	if err != nil {
		k.T.Errorf("the system did not stop: %v", err)
	}
}

// Start starts a top-level actor, and lets its Started run.
func (k *Kit) Start(spec actors.Child) actors.Ref {
	k.T.Helper()
	ref, err := k.System.Start(spec)
	if err != nil {
		k.T.Fatal(err)
	}
	k.Settle()
	return ref
}

// Settle returns when nothing more can happen at this instant of virtual time: every
// mailbox is empty, and every effect has ended or waits for something outside of the
// system.
func (k *Kit) Settle() {
	if k.scheduler != nil {
		k.scheduler.Settle()
		return
	}
	synctest.Wait()
}

// Advance lets d of virtual time pass, and runs everything that happens in it.
func (k *Kit) Advance(d time.Duration) {
	if k.scheduler != nil {
		k.scheduler.Advance(d)
		return
	}
	time.Sleep(d)
	synctest.Wait()
}

// Do runs call, which may wait for actors, such as a method of a Client. It runs
// on another goroutine, so it must not end the test (T.Fatal).
func (k *Kit) Do(call func()) {
	if k.scheduler != nil {
		k.scheduler.Do(call)
		return
	}
	call()
}

// Scheduler returns the scheduler of a Seeded test, else nil.
func (k *Kit) Scheduler() *Scheduler { return k.scheduler }

// Ask is actors.Ask with a deadline of a virtual minute, fit for Seeded tests.
func Ask[T any](k *Kit, ref actors.Ref, request func(actors.Reply[T]) any) (T, error) {
	var value T
	err := fmt.Errorf("ask %s: no answer", ref.Path())
	k.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		value, err = actors.Ask(ctx, ref, request)
	})
	return value, err
}

// Wait returns an effect that replaces slow I/O: it takes d of virtual time, and its
// result is msg, or nil if it is cancelled.
func Wait(d time.Duration, msg any) actors.Effect {
	return func(ctx context.Context) any {
		if d <= 0 {
			return msg
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}
