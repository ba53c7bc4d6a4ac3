package actors

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// cell is the part of an actor that is common to its incarnations: name, mailbox,
// counters. It is also the actor's dispatcher, so that activations have a name.
type cell struct {
	system   *System
	parent   *cell // nil for the guardian
	spec     Child
	path     string
	pid      *actor.PID
	mailbox  *mailbox
	logger   *zap.Logger
	counters counters
	effects  uint64        // numbers the effects; written by the actor alone
	created  time.Duration // since the system was created
}

func newCell(s *System, parent *cell, path string, spec Child) *cell {
	c := &cell{
		system: s, parent: parent, spec: spec, path: path,
		pid:     s.engine.NewLocalPID(path),
		logger:  s.logger.With(zap.String("actor", path)),
		created: s.uptime(),
	}
	c.mailbox = newMailbox(c, spec.MailboxMax)
	return c
}

func (c *cell) props() *actor.Props {
	return actor.PropsFromProducer(
		func() actor.Actor { return newShell(c) },
		actor.WithMailbox(func() actor.Mailbox { return c.mailbox }),
		actor.WithDispatcher(c),
	)
}

func (c *cell) ref() Ref { return Ref{system: c.system, pid: c.pid} }

// kind returns the first segment of the name: "account" for "account/okx".
func (c *cell) kind() string {
	kind, _, _ := strings.Cut(c.spec.Name, "/")
	return kind
}

// post delivers a message of the kit itself. It is not subject to the limit, and is
// dropped silently if the actor has ended.
func (c *cell) post(msg ownMessage) { c.mailbox.PostUserMessage(msg) }

// arrive delivers the result of an effect: now, or when the dispatcher decides.
func (c *cell) arrive(label string, done *result) {
	if d := c.system.dispatcher; d != nil {
		d.Schedule(label, func() { c.post(done) })
		return
	}
	c.post(done)
}

// requestStop starts an orderly stop: new requests are rejected from now on, pending
// ones are handled first.
func (c *cell) requestStop() {
	c.mailbox.stopping.Store(true)
	c.post(&stopRequest{})
}

// restart starts the next incarnation of an actor that has failed.
func (c *cell) restart() {
	c.counters.restarts.Add(1)
	c.mailbox.PostSystemMessage(&actor.Restart{})
}

// exists reports whether the actor is running or about to be restarted.
func (c *cell) exists() bool { return c.system.cell(c.path) == c }

// throughput is the number of messages after which a busy actor yields its
// processor.
const throughput = 300

// Throughput implements actor.Dispatcher.
func (c *cell) Throughput() int { return throughput }

// Schedule implements actor.Dispatcher.
func (c *cell) Schedule(turn func()) {
	if d := c.system.dispatcher; d != nil {
		d.Schedule(c.path, func() { c.run(turn) })
		return
	}
	c.system.workers.run(activation{c, turn})
}

// run measures busy time once per turn, not per message: reading the clock costs as
// much as a send.
func (c *cell) run(turn func()) {
	begin := c.system.uptime()
	c.counters.busySince.Store(int64(begin))
	turn()
	c.counters.busy.Add(int64(c.system.uptime() - begin))
	c.counters.busySince.CompareAndSwap(int64(begin), 0)
}

// counters are written by the actor and its senders and read by Stats.
type counters struct {
	messages, rejections, failures, restarts, unhandled atomic.Uint64
	busy, busySince                                     atomic.Int64 // time.Duration; since 0 while idle
	started                                             atomic.Int64 // time.Duration since the system was created
}
