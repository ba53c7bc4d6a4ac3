package actors

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// phase of an incarnation. It only ever moves forward.
type phase int

const (
	phaseRunning  phase = iota
	phaseChildren       // stopping: the children are being stopped
	phaseEffects        // stopping: Stopping has run, effects are awaited
	phaseEnded
)

// shell is one incarnation of an actor as protoactor sees it. It translates between the
// runtime's messages and the Behaviour. Its fields belong to the actor's goroutine.
type shell struct {
	cell      *cell
	context   Context
	behaviour Behaviour
	proto     actor.Context
	phase     phase
	inner     any // the message being delivered by deliver
	pending   int // effects, loops and replies that are not finished

	lifetime, loops       context.Context
	endLifetime, endLoops context.CancelFunc

	timers         Timers
	children       Children
	pendingReplies pendingReplies
}

// failure ends an incarnation.
type failure struct {
	err      error
	expected bool // by Fail, or logged where it happened: no stack is logged
}

func newShell(c *cell) *shell {
	s := &shell{cell: c}
	s.context.shell = s
	s.timers.shell = s
	s.children.shell = s
	s.lifetime, s.endLifetime = context.WithCancel(context.Background())
	s.loops, s.endLoops = context.WithCancel(s.lifetime)
	return s
}

// Receive implements actor.Actor.
func (s *shell) Receive(proto actor.Context) {
	msg := proto.Message()
	defer s.guard(msg)
	switch m := msg.(type) {
	case *actor.Started:
		s.start(proto)
	case *actor.Restarting, *actor.Stopping:
		s.end()
	case *actor.Stopped:
		s.cell.mailbox.close()
		s.cell.system.retire(s.cell)
	case *actor.Terminated:
		// Through the mailbox, behind the last messages of the child.
		s.cell.post(&childGone{shell: s, path: m.Who.Id})
	default:
		s.receive(msg)
	}
}

func (s *shell) receive(msg any) {
	// The mailbox of a killed actor stays open until its children have ended.
	if s.phase == phaseEnded {
		s.cell.system.undeliverable(s.cell.path, msg)
		return
	}
	if m, ok := msg.(ownMessage); ok {
		m.handle(s)
		return
	}
	s.behaviour.Receive(&s.context, msg)
	if q, is := msg.(request); is && q.isOpen() {
		s.pendingReplies.add(q)
	}
}

// ownMessage is a message of the kit to an actor.
type ownMessage interface {
	internalMessage
	handle(s *shell)
}

// kitMessage, embedded, is part of what makes an ownMessage.
type kitMessage struct{ Internal }

func (s *shell) start(proto actor.Context) {
	s.proto = proto
	s.cell.counters.started.Store(int64(s.cell.system.uptime()))
	s.behaviour = s.cell.spec.Producer()
	if s.behaviour == nil {
		panic("actors: the producer of " + s.cell.path + " made no behaviour")
	}
	if b, ok := s.behaviour.(Starter); ok {
		b.Started(&s.context)
	}
	if parent := s.cell.parent; parent != nil {
		parent.post(&childStarted{name: s.cell.spec.Name})
	}
}

// deliver delivers the content of one of the kit's messages; nil is none.
func (s *shell) deliver(msg any) {
	if msg == nil {
		return
	}
	s.inner = msg
	s.receive(msg)
	s.inner = nil
}

// stopRequest starts an orderly stop.
type stopRequest struct{ kitMessage }

func (*stopRequest) handle(s *shell) {
	if s.phase == phaseRunning {
		s.phase = phaseChildren
		s.children.stopNext()
	}
}

// childrenEnded continues the stop when the children have ended.
func (s *shell) childrenEnded() {
	s.phase = phaseEffects
	s.timers.cancelAll()
	if b, ok := s.behaviour.(Stopper); ok {
		b.Stopping(&s.context)
	}
	s.endLoops()
	s.finish()
}

// finish stops the actor once nothing is under way.
func (s *shell) finish() {
	if s.phase == phaseEffects && s.pending == 0 {
		s.proto.Stop(s.cell.pid)
	}
}

// end releases the resources of this incarnation and rejects its open requests. Its
// children are only notified; the runtime waits for them before it restarts or ends the
// actor.
func (s *shell) end() {
	if s.phase == phaseEnded {
		return
	}
	s.phase = phaseEnded
	s.endLifetime()
	s.timers.cancelAll()
	s.children.end()
	s.pendingReplies.reject(fmt.Errorf("%w: %s", ErrFailed, s.cell.path))
}

// guard is deferred around each message, and kept small for it.
func (s *shell) guard(msg any) {
	if cause := recover(); cause != nil {
		s.fail(asFailure(cause), msg)
	}
}

// fail ends the incarnation now, not when the restart is due: its effects and children
// must not continue without it.
func (s *shell) fail(f *failure, msg any) {
	c := s.cell
	if s.inner != nil {
		msg = s.inner
	}
	c.counters.failures.Add(1)
	fields := []zap.Field{zap.Error(f.err), zap.String("message_type", fmt.Sprintf("%T", msg))}
	if !f.expected {
		fields = append(fields, zap.ByteString("stack", debug.Stack()))
	}
	c.logger.Error("actor failed", fields...)
	c.system.failures.add(c.path, f.err.Error())
	if observe := c.system.observer.Failed; observe != nil {
		observe(c.path, f.err)
	}
	s.end()
	reject(msg, fmt.Errorf("%w: %s", ErrFailed, c.path))
	if c.parent == nil {
		c.system.lose(f.err)
		s.proto.Stop(c.pid)
		return
	}
	panic(f) // to protoactor, which suspends the actor and notifies the parent
}

func asFailure(cause any) *failure {
	switch v := cause.(type) {
	case *failure:
		return v
	case error:
		return &failure{err: fmt.Errorf("panic: %w", v)}
	case string:
		return &failure{err: errors.New("panic: " + v)}
	}
	return &failure{err: fmt.Errorf("panic: %T", cause)} // values may hold secrets
}
