package account

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// clientOp is a call of a client: to place an order under a request id, or to change the order
// of that request.
type clientOp struct {
	kind    opKind
	request int
}

type opKind string

const (
	opPlace  opKind = "place"
	opCancel opKind = "cancel"
	opAmend  opKind = "amend"
)

// Phases of a call.
const (
	phaseIdle = iota
	phaseSent
	phaseAnswered
	phaseGaveUp
)

// client is a call of a client, with its answer.
type client struct {
	op     clientOp
	index  int
	phase  int
	answer answer
}

// answer is what a client was answered. orderID, status, filled and reason are those of the
// order in it; an unknown filled quantity is negative.
type answer struct {
	code    venues.Code
	orderID string
	status  venues.OrderStatus
	filled  decimal.Decimal
	reason  venues.Code
	// isFailed is set if the commit of the answer has failed: then the order may end for
	// another reason.
	isFailed bool
}

func requestID(request int) string { return fmt.Sprintf("r%d", request) }

// isRepeated reports whether a call is under way under a request id for the second time.
func (w *world) isRepeated(id string) bool {
	begun := 0
	for _, c := range w.clients {
		if c.op.kind == opPlace && requestID(c.op.request) == id && c.phase != phaseIdle {
			begun++
		}
	}
	return begun > 1
}

// mayBegin reports whether the client can make its call. A read waits for the sync.
func (w *world) mayBegin(c *client) bool {
	if c.phase != phaseIdle || !w.process.account.state.ready || w.process.disk.written > 0 {
		return false
	}
	return c.op.kind == opPlace || w.orderOf(c.op.request) != nil
}

// orderOf returns the newest stored order of a request that is not closed.
func (w *world) orderOf(request int) *persistence.OrderRecord {
	for _, o := range slices.Backward(recordsOf[persistence.OrderRecord](w.durable)) {
		if o.RequestID == requestID(request) && !o.Status.IsClosed() {
			return &o
		}
	}
	return nil
}

// clientWaitMax is the time after which a client whose process has ended gives up.
const clientWaitMax = requestLife * 100

// begin makes the call.
func (c *client) begin(w *world) {
	c.phase = phaseSent
	p := w.process
	ctx, cancel := context.WithTimeout(context.Background(), clientWaitMax)
	record := w.orderOf(c.op.request)
	go func() {
		defer cancel()
		order, err := c.call(ctx, p, record)
		if !p.isDead {
			c.answered(w, order, err)
		}
	}()
	w.x.kit.Settle()
}

func (c *client) call(ctx context.Context, p *process, record *persistence.OrderRecord) (venues.Order, error) {
	switch c.op.kind {
	case opCancel:
		return p.client.Cancel(ctx, record, venues.CancelOrder{OrderID: record.OrderID})
	case opAmend:
		return p.client.Amend(ctx, record, venues.AmendOrder{OrderID: record.OrderID, Price: venues.Some(venues.MustDecimal("59000"))})
	default:
		r := p.world.x.scope.requests[c.op.request]
		cmd := limitOrder(requestID(c.op.request)).cmd
		cmd.TimeInForce, cmd.Qty = r.tif, decimal.New(int64(r.lots), 0)
		return p.client.Place(ctx, cmd)
	}
}

// giveUp ends the wait for an answer of a process that has ended.
func (c *client) giveUp() {
	if c.phase == phaseSent {
		c.phase = phaseGaveUp
	}
}

func answerOf(o *venues.Order) answer {
	a := answer{orderID: o.OrderID, status: o.Status, filled: o.FilledQty}
	if o.Error != nil {
		a.reason = o.Error.Code
	}
	return a
}

func (c *client) answered(w *world, o venues.Order, err error) {
	c.phase = phaseAnswered
	rejection, isRejection := errors.AsType[*venues.Error](err)
	switch {
	case err == nil:
		c.answer = answerOf(&o)
	case !isRejection:
		w.fail("%s is answered with %v", c.op.kind, err)
	default:
		if about, is := rejection.Details["order"].(venues.Order); is {
			c.answer = answerOf(&about)
		}
		c.answer.code = rejection.Code
	}
	c.answer.isFailed = w.process.isFailing
	w.checkAnswer(c)
}
