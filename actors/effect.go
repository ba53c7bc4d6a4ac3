package actors

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"go.uber.org/zap"
)

// Effect is I/O of an actor outside of Receive. It runs on another goroutine, so it must
// not access the actor's state: its input is in the closure, its output is the result.
//
// ctx ends with the incarnation. The result is delivered as a message to the incarnation
// that started the effect, and is dropped if that has ended; nil is no message.
type Effect func(ctx context.Context) any

// Pool bounds the concurrent effects on one resource: a venue's REST endpoint, the
// store. Further effects are queued up to a limit, by their rank and then in order, and
// refused beyond it. A Pool is safe for concurrent use.
type Pool struct {
	system *System
	name   string

	mu         sync.Mutex
	running    int
	runningMax int
	waiting    []task
	waitingMax int
	started    uint64
	refused    uint64
	// calls reports whether an orderly stop cancels the effects instead of waiting.
	calls bool
}

// task is one effect of one incarnation.
type task struct {
	shell  *shell
	rank   int
	label  string // empty without a dispatcher
	effect Effect
}

// NewPool returns a pool. runningMax must be positive; waitingMax may be 0. Pools of the
// same name are counted together.
func (s *System) NewPool(name string, runningMax, waitingMax int) *Pool {
	if runningMax <= 0 || waitingMax < 0 {
		panic("actors: pool " + name + " needs a positive runningMax and no negative waitingMax")
	}
	p := &Pool{system: s, name: name, runningMax: runningMax, waitingMax: waitingMax}
	s.addPool(p)
	return p
}

// NewCallPool returns a pool for calls that may never be answered, such as those to a
// venue: an orderly stop cancels their ctx before it waits for them. The outcome of a
// cancelled call is determined after the next start, from what is durable.
func (s *System) NewCallPool(name string, runningMax, waitingMax int) *Pool {
	p := s.NewPool(name, runningMax, waitingMax)
	p.calls = true
	return p
}

// Go runs effect in the pool. If the pool is full it returns ErrBusy and does nothing.
// An orderly stop waits for the effect (see also NewCallPool); a panic in it fails the
// actor.
func (c *Context) Go(pool *Pool, effect Effect) error { return c.GoRanked(pool, 0, effect) }

// GoRanked is Go with a rank: an effect waits behind those of the same and of lower ranks.
func (c *Context) GoRanked(pool *Pool, rank int, effect Effect) error {
	t := c.shell.task(effect)
	t.rank = rank
	if err := pool.submit(t); err != nil {
		return err
	}
	c.shell.pending++
	return nil
}

// Loop runs effect on a goroutine of its own, outside of any pool: for work that lasts
// as long as the actor, such as reading a connection. An actor has few of them. An
// orderly stop cancels ctx before it waits for the loop.
func (c *Context) Loop(effect Effect) {
	s := c.shell
	s.pending++
	t := s.task(effect)
	s.cell.system.spawn(t.label, func() { t.run(s.loops) })
}

func (s *shell) task(effect Effect) task {
	s.cell.effects++
	t := task{shell: s, effect: effect}
	if s.cell.system.dispatcher != nil {
		t.label = s.cell.path + "#" + strconv.FormatUint(s.cell.effects, 10)
	}
	return t
}

// result is the message of a finished effect or loop.
type result struct {
	kitMessage
	shell   *shell
	message any
	failure *failure
}

func (r *result) handle(s *shell) {
	if r.shell != s {
		return
	}
	s.pending--
	if r.failure != nil {
		panic(r.failure)
	}
	s.deliver(r.message)
	s.finish()
}

func (p *Pool) submit(t task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.running < p.runningMax:
		p.running++
		p.started++
		p.system.spawn(t.label, func() { p.work(t) })
	case len(p.waiting) < p.waitingMax:
		i := len(p.waiting)
		for i > 0 && p.waiting[i-1].rank > t.rank {
			i--
		}
		p.waiting = slices.Insert(p.waiting, i, t)
	default:
		p.refused++
		return fmt.Errorf("%w: pool %s", ErrBusy, p.name)
	}
	return nil
}

// HasWaiting reports whether an effect waits for others to end.
func (p *Pool) HasWaiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

// work runs tasks until the queue is empty. The goroutine then ends: an idle pool has
// none, and needs no Close.
func (p *Pool) work(t task) {
	for more := true; more; t, more = p.next() {
		if p.calls {
			t.run(t.shell.loops)
			continue
		}
		t.run(t.shell.lifetime)
	}
}

func (p *Pool) next() (task, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.running--
		return task{}, false
	}
	t := p.waiting[0]
	p.waiting[0] = task{}
	p.waiting = p.waiting[1:]
	p.started++
	return t, true
}

// run runs the effect, unless its incarnation ended while it was queued.
func (t task) run(ctx context.Context) {
	done := &result{shell: t.shell}
	defer func() {
		if cause := recover(); cause != nil {
			done.failure = t.panicked(cause)
		}
		t.shell.cell.arrive(t.label, done)
	}()
	if ctx.Err() != nil {
		return
	}
	done.message = t.effect(ctx)
}

func (t task) panicked(cause any) *failure {
	f := asFailure(cause)
	t.shell.cell.logger.Error("effect panicked", zap.Error(f.err), zap.ByteString("stack", debug.Stack()))
	return &failure{err: fmt.Errorf("effect: %w", f.err), expected: true}
}
