package actors

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// System is a tree of actors. Its methods are safe for concurrent use.
type System struct {
	engine     *actor.ActorSystem
	logger     *zap.Logger
	born       time.Time
	workers    workers
	dispatcher Dispatcher // nil: the workers
	observer   Observer
	random     random
	letters    deadLetters
	failures   recent
	wakers     wakers

	starting sync.Mutex // held by Start, and by Stop as it begins

	mu       sync.RWMutex
	cells    map[string]*cell // by path; every actor that has not ended
	retired  map[string]KindStats
	pools    []*Pool
	stopping bool
	err      error // why a Permanent top-level actor was given up

	guardian   *cell
	goroutines sync.WaitGroup // effects and loops
	done       chan struct{}  // a Permanent top-level actor was lost, or all has ended
	closeDone  sync.Once
	ended      chan struct{}
	closeEnded sync.Once
}

// Dispatcher decides the order of events in place of the scheduler of Go, for
// simulations. Each run is work that can be done now. A label is the path of an actor, or
// a path and the number of an effect; no two pending labels are equal.
//
// Schedule may be called from any goroutine, must not block and must not call
// run itself. No two calls of run may overlap.
type Dispatcher interface {
	Schedule(label string, run func())
}

// Observer is notified of events that a test must not overlook. Both functions may be
// nil, and are called from any goroutine.
type Observer struct {
	Unhandled func(path string, msg any)
	Failed    func(path string, err error)
}

// Option changes how a System works.
type Option func(*System)

// WithDispatcher makes d decide what runs next.
func WithDispatcher(d Dispatcher) Option { return func(s *System) { s.dispatcher = d } }

// WithSeed makes jitter repeatable.
func WithSeed(seed uint64) Option {
	return func(s *System) { s.random.source = rand.New(rand.NewPCG(seed, 0)) }
}

// WithJitter replaces the random part of waits: it returns a duration from 0 to
// limit.
func WithJitter(jitter func(limit time.Duration) time.Duration) Option {
	return func(s *System) { s.random.fixed = jitter }
}

// WithObserver makes o receive unhandled messages and failures.
func WithObserver(o Observer) Option { return func(s *System) { s.observer = o } }

// New returns a system without actors, which must be stopped with Stop.
func New(logger *zap.Logger, options ...Option) *System {
	s := &System{
		logger:  logger.Named("actors"),
		born:    time.Now().Add(-1), // so that uptime, which busySince keeps, is never 0
		cells:   make(map[string]*cell),
		retired: make(map[string]KindStats),
		done:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	s.random.source = newRandom()
	for _, option := range options {
		option(s)
	}
	s.engine = actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return engineLogger(s.logger) }),
	)
	// A new stream is without protoactor's logger of dead letters, which prints whole
	// messages, and starts a goroutine that is never stopped.
	s.engine.EventStream = eventstream.NewEventStream()
	s.engine.EventStream.Subscribe(s.observeDeadLetter)
	s.startGuardian()
	return s
}

// engineLogger keeps protoactor's own logs to warnings: below that it prints
// whole messages and the values of panics, which may hold secrets.
func engineLogger(logger *zap.Logger) *slog.Logger {
	core, err := zapcore.NewIncreaseLevelCore(logger.Core(), zapcore.WarnLevel)
	if err != nil { // the core logs even less
		core = logger.Core()
	}
	return slog.New(zapslog.NewHandler(core, zapslog.WithName("protoactor")))
}

// Start starts a top-level actor and returns its address. Messages may be sent
// immediately. The errors are ErrBadName, ErrNameTaken, and ErrStopped after Stop.
func (s *System) Start(spec Child) (Ref, error) {
	if err := spec.validate(); err != nil {
		return Ref{}, fmt.Errorf("start %q: %w", spec.Name, err)
	}
	s.starting.Lock()
	defer s.starting.Unlock()
	c := newCell(s, s.guardian, spec.Name, spec.withDefaults())
	if err := s.register(c); err != nil {
		return Ref{}, err
	}
	// First, so that the guardian knows the actor before it is notified of its end.
	s.guardian.post(&adoption{cell: c})
	if _, err := actor.DefaultSpawner(s.engine, c.path, c.props(), underGuardian{s.engine.Root, s.guardian.pid}); err != nil {
		panic("actors: a free name was taken: " + c.path)
	}
	return c.ref(), nil
}

// Ref returns the address of the actor at path, whether it exists or not.
func (s *System) Ref(path string) Ref {
	return Ref{system: s, pid: s.engine.NewLocalPID(path)}
}

// Done is closed when a Permanent top-level actor was given up, and when the
// system has stopped. In the first case all other actors have been killed, Err returns
// the cause, and the process should end; Stop still waits for what is under way.
func (s *System) Done() <-chan struct{} { return s.done }

// Err returns why a Permanent top-level actor was given up, or nil.
func (s *System) Err() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.err
}

// killWaitMax bounds the time that Stop waits for actors that it had to kill.
const killWaitMax = time.Second

// Stop stops all actors in order (see the package comment), and returns when they and
// all their effects have ended. If ctx ends before that they are killed, and Stop returns
// an error that names the actors that still run.
func (s *System) Stop(ctx context.Context) error {
	s.requestStop()
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
	}
	s.kill()
	select {
	case <-s.ended:
		return fmt.Errorf("stop actors: killed: %w", ctx.Err())
	case <-time.After(killWaitMax):
		return fmt.Errorf("stop actors: %w: still running: %s", ctx.Err(), strings.Join(s.paths(), " "))
	}
}

func (s *System) requestStop() {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	s.guardian.requestStop()
}

// kill kills the top-level actors, and with them all others.
func (s *System) kill() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, c := range s.cells {
		if c.parent == s.guardian {
			s.engine.Root.Stop(c.pid)
		}
	}
	s.engine.Root.Stop(s.guardian.pid)
}

// register reserves the path of c.
func (s *System) register(c *cell) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping && c.parent == s.guardian {
		return fmt.Errorf("start %s: %w", c.path, ErrStopped)
	}
	if _, taken := s.engine.ProcessRegistry.GetLocal(c.path); taken || s.cells[c.path] != nil {
		return fmt.Errorf("start %s: %w", c.path, ErrNameTaken)
	}
	s.cells[c.path] = c
	return nil
}

// retire removes an actor that has ended; its counters are kept.
func (s *System) retire(c *cell) {
	s.mu.Lock()
	delete(s.cells, c.path)
	kind := c.kind()
	s.retired[kind] = s.retired[kind].plus(c.stats())
	last := len(s.cells) == 0
	s.mu.Unlock()
	if last {
		s.closeEnded.Do(func() { go s.end() })
	}
}

// end waits for effects that are still running although their actor has ended.
func (s *System) end() {
	s.goroutines.Wait()
	s.workers.close()
	s.engine.Shutdown()
	s.closeDone.Do(func() { close(s.done) })
	close(s.ended)
}

// uptime returns the time since New. It reads the monotonic clock only, which is cheaper.
func (s *System) uptime() time.Duration { return time.Since(s.born) }

func (s *System) cell(path string) *cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.cells[path]
}

func (s *System) paths() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.cells))
}

// spawn starts a goroutine that Stop waits for: now, or when the dispatcher decides.
func (s *System) spawn(label string, run func()) {
	s.goroutines.Add(1)
	work := activation{turn: func() {
		defer s.goroutines.Done()
		run()
	}}
	if s.dispatcher != nil {
		s.dispatcher.Schedule(label, func() { s.workers.run(work) })
		return
	}
	s.workers.run(work)
}
