package actors

import (
	"fmt"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// MailboxMaxDefault is the number of messages that may wait for an actor whose
// Child names no limit of its own.
const MailboxMaxDefault = 1024

// Rejectable is a message that can be told that nobody will handle it. A message
// that embeds a Reply is one.
type Rejectable interface {
	Reject(err error)
}

// Internal, embedded in a message, lets it pass the limit of a mailbox. It is
// for what comes from within the tree and must not be lost (an execution report
// from the account's own connection), and its sender must be bounded otherwise.
// Results of effects, answers through ReplyTo and timers pass as well.
type Internal struct{}

func (Internal) passesLimit() {}

type internalMessage interface{ passesLimit() }

func reject(msg any, err error) bool {
	r, ok := msg.(Rejectable)
	if ok {
		r.Reject(err)
	}
	return ok
}

// mailbox is protoactor's unbounded mailbox with a rejecting limit in front. Its
// own bounded mailboxes are of no use here: their senders spin while they are
// full, and a dropped message leaves them spinning for good.
type mailbox struct {
	actor.Mailbox
	cell     *cell
	max      int32
	waiting  atomic.Int32 // messages that count toward max
	full     atomic.Bool  // a refusal was logged and the mailbox has not eased since
	stopping atomic.Bool  // takes no new requests
	stopped  atomic.Bool  // nobody handles what is left
}

func newMailbox(c *cell, messagesMax int) *mailbox {
	return &mailbox{Mailbox: actor.Unbounded()(), cell: c, max: int32(messagesMax)}
}

func limited(msg any) bool {
	switch msg.(type) {
	case internalMessage, *actor.PoisonPill:
		return false
	}
	return true
}

// PostUserMessage takes msg or refuses it; it never waits.
func (m *mailbox) PostUserMessage(msg any) {
	if !limited(msg) {
		m.Mailbox.PostUserMessage(msg)
		return
	}
	if m.stopping.Load() && reject(msg, ErrStopped) {
		m.cell.counters.rejections.Add(1)
		return
	}
	if m.waiting.Add(1) > m.max {
		m.waiting.Add(-1)
		m.refuse(msg)
		return
	}
	m.Mailbox.PostUserMessage(msg)
}

func (m *mailbox) refuse(msg any) {
	m.cell.counters.rejections.Add(1)
	reject(msg, ErrBusy)
	if m.full.CompareAndSwap(false, true) {
		m.cell.logger.Warn("mailbox full", zap.Int32("messages_max", m.max), zap.String("message_type", fmt.Sprintf("%T", msg)))
	}
}

// RegisterHandlers puts the gate between the mailbox and protoactor.
func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, dispatcher actor.Dispatcher) {
	m.Mailbox.RegisterHandlers(&gate{MessageInvoker: invoker, mailbox: m}, dispatcher)
}

// close answers everything that is left, and whatever still arrives. The mailbox
// of an actor that failed is suspended, hence the resume.
func (m *mailbox) close() {
	m.stopping.Store(true)
	m.stopped.Store(true)
	m.Mailbox.PostSystemMessage(&actor.ResumeMailbox{})
}

// gate sees each message as it leaves the mailbox.
type gate struct {
	actor.MessageInvoker
	mailbox *mailbox
}

// InvokeUserMessage hands msg to the actor, or answers for one that has ended.
func (g *gate) InvokeUserMessage(msg any) {
	m := g.mailbox
	if limited(msg) {
		left := m.waiting.Add(-1)
		if m.full.Load() && left <= m.max/2 {
			m.full.Store(false)
		}
	}
	if m.stopped.Load() {
		m.cell.system.undeliverable(m.cell.path, msg)
		return
	}
	m.cell.counters.messages.Add(1)
	g.MessageInvoker.InvokeUserMessage(msg)
}
