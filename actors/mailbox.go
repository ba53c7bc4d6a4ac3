package actors

import (
	"fmt"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// MailboxMaxDefault is the limit of pending messages for an actor whose Child sets none.
const MailboxMaxDefault = 1024

// Rejectable is a message whose sender can be notified that it will not be handled. A
// message that embeds a Reply is Rejectable.
type Rejectable interface {
	Reject(err error)
}

// Internal, embedded in a message, exempts it from the limit of a mailbox. It is for
// messages from within the tree that must not be lost (an execution report from the
// account's own connection); their number must be bounded in another way. Results of
// effects, answers through ReplyTo and timers are exempt as well.
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

// mailbox is protoactor's unbounded mailbox with a limit beyond which messages are
// rejected. The bounded mailboxes of protoactor are not usable here: their senders spin
// while a mailbox is full, and after a dropped message they spin forever.
type mailbox struct {
	actor.Mailbox
	cell     *cell
	max      int32
	waiting  atomic.Int32 // messages that count toward max
	full     atomic.Bool  // a rejection was logged and the mailbox is still more than half full
	stopping atomic.Bool  // new requests are rejected
	stopped  atomic.Bool  // the actor has ended; the rest is rejected
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

// PostUserMessage queues msg or rejects it; it never blocks.
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

// RegisterHandlers inserts the gate between the mailbox and protoactor.
func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, dispatcher actor.Dispatcher) {
	m.Mailbox.RegisterHandlers(&gate{MessageInvoker: invoker, mailbox: m}, dispatcher)
}

// close rejects everything that is left or still arrives. The mailbox of a failed actor
// is suspended, hence the resume.
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

// InvokeUserMessage passes msg to the actor, or rejects it if the actor has ended.
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
