package account

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// durableOf returns the durable record of a client order id.
func (w *world) durableOf(clientID string) *persistence.OrderRecord {
	for _, o := range recordsOf[persistence.OrderRecord](w.durable) {
		if o.ClientOrderID == clientID {
			return &o
		}
	}
	return nil
}

// checkChanges is called when a batch becomes durable.
func (w *world) checkChanges(b *persistence.Batch) {
	for _, r := range b.Puts {
		next, _ := r.(persistence.OrderRecord)
		if was, _ := w.durable.order(next.OrderID); was.Status.IsClosed() && next.Status != was.Status {
			w.fail("%s was %s and becomes %s", was.OrderID, was.Status, next.Status)
		}
	}
}

// checkSent is called when the request of an order leaves.
func (w *world) checkSent(r *venues.OrderRequest) {
	w.venue.sent[r.ClientOrderID]++
	o := w.durableOf(r.ClientOrderID)
	switch {
	case w.venue.sent[r.ClientOrderID] > 1:
		w.fail("%s is sent twice", r.ClientOrderID)
	case o == nil:
		w.fail("%s is sent before its intent is durable", r.ClientOrderID)
	case !slices.ContainsFunc(recordsOf[persistence.IdempotencyRecord](w.durable), func(i persistence.IdempotencyRecord) bool {
		return i.OrderID == o.OrderID && i.FreedAt.IsZero()
	}):
		w.fail("%s is sent without its request id", r.ClientOrderID)
	}
}

// checkAccepted is called when the venue accepts an order.
func (w *world) checkAccepted(o *killOrder) {
	r := w.durableOf(o.ClientOrderID)
	for _, other := range w.venue.orders {
		if is := w.durableOf(other.ClientOrderID); r != nil && is != nil && other != o && is.RequestID == r.RequestID {
			w.fail("%s and %s have one request id", is.OrderID, r.OrderID)
		}
	}
}

// checkPublished is called when an order is published. What is durable is the same version or
// one that was submitted later.
func (w *world) checkPublished(p *process, o *venues.Order) {
	durable, _ := w.durable.order(o.OrderID)
	if sameVersion(&durable.Order, o) {
		return
	}
	published, last := len(p.submitted), -1
	for i, s := range p.submitted {
		r, is := s.(persistence.OrderRecord)
		if is && i < published && sameVersion(&r.Order, o) {
			published = i
		}
		if is && sameVersion(&r.Order, &durable.Order) {
			last = i
		}
	}
	if last < published {
		w.fail("an order is published before it is durable: %s", o.OrderID)
	}
}

// sameVersion reports whether two versions of an order differ at most in the time of the change:
// orders are published while they are loaded, before that is set.
func sameVersion(a, b *venues.Order) bool {
	return a.OrderID == b.OrderID && a.Status == b.Status && a.PendingAction == b.PendingAction && a.FilledQty.Equal(b.FilledQty) &&
		venues.EqualOptional(a.Price, b.Price)
}

// mayExecute reports whether the request of an order is still on its way to the venue.
func (w *world) mayExecute(clientID string) bool {
	return slices.ContainsFunc(slices.Concat(w.venue.calls, w.venue.orphans), func(c *call) bool {
		return c.kind == callsPlace && c.clientID == clientID && !c.isProcessed && !time.Now().After(c.deadline)
	})
}

// contradicts returns how the venue contradicts an order's status and filled quantity; empty if
// it does not.
func (w *world) contradicts(r *persistence.OrderRecord) string {
	o := w.venue.find(r.ClientOrderID)
	filled := decimal.Zero
	if o != nil {
		filled = o.FilledQty
	}
	switch {
	case r.Status == venues.StatusPending || r.Status == venues.StatusUnknown:
		return ""
	case o == nil && (r.Status == venues.StatusRejected || (r.Status == venues.StatusCancelled && r.Error != nil)):
		if w.mayExecute(r.ClientOrderID) {
			return "its request may still be executed"
		}
		return ""
	case o == nil:
		return "the venue does not have it"
	case r.FilledQty.GreaterThan(filled) || (r.FilledQty.LessThan(filled) && r.Status.IsClosed()):
		return fmt.Sprintf("the venue has it filled %s", filled)
	case r.Status.IsClosed() && r.Status != o.Status:
		return fmt.Sprintf("the venue has it %s", o.Status)
	}
	return ""
}

// disagrees returns how a record differs from the final state of its order; empty if it does
// not.
func (w *world) disagrees(r *persistence.OrderRecord) string {
	o := w.venue.find(r.ClientOrderID)
	switch {
	case r.Status == venues.StatusPending || r.Status == venues.StatusUnknown:
		return "its outcome is not known"
	case o != nil && (o.Status != r.Status || !r.FilledQty.Equal(o.FilledQty) || !venues.EqualOptional(o.Price, r.Price)):
		return fmt.Sprintf("the venue has it %s", o.Status)
	}
	return w.contradicts(r)
}

// check checks what must hold in every state.
func (w *world) check() {
	for _, o := range w.venue.orders {
		if w.durableOf(o.ClientOrderID) == nil {
			w.fail("%s is at the venue and not in the store", o.ClientOrderID)
		}
	}
	for _, o := range w.process.account.state.orders {
		w.checkRecord("memory", &o.OrderRecord)
	}
	for _, i := range w.process.disk.images() {
		w.checkImage(i)
	}
}

func (w *world) checkRecord(where string, r *persistence.OrderRecord) {
	if text := w.contradicts(r); text != "" {
		w.fail("%s is %s with %s filled in the %s: %s", r.OrderID, r.Status, r.FilledQty, where, text)
	}
	is := answerOf(&r.Order)
	for _, c := range w.clients {
		a := &c.answer
		if a.orderID == r.OrderID && a.status.IsClosed() && r.Status.IsClosed() &&
			(is.status != a.status || !is.filled.Equal(a.filled) || (is.reason != a.reason && !a.isFailed)) {
			w.fail("%s is answered as %s (%s) and %s (%s) in the %s", r.OrderID, a.status, a.reason, is.status, is.reason, where)
		}
	}
}

// checkImage checks what a crash can leave.
func (w *world) checkImage(i image) {
	for _, r := range recordsOf[persistence.OrderRecord](i) {
		w.checkRecord("store", &r)
		var sum decimal.Decimal
		for _, f := range recordsOf[persistence.FillRecord](i) {
			if f.OrderID == r.OrderID {
				sum = sum.Add(f.Qty)
			}
		}
		if sum.GreaterThan(r.FilledQty) {
			w.fail("%s has %s filled and executions of %s", r.OrderID, r.FilledQty, sum)
		}
		if is, want := i.filled[r.OrderID], map[bool]int{true: 1}[r.Status == venues.StatusFilled]; is != want {
			w.fail("%s is %s with %d events that it is filled, want %d", r.OrderID, r.Status, is, want)
		}
	}
	for _, r := range recordsOf[persistence.IdempotencyRecord](i) {
		o, known := i.order(r.OrderID)
		if !known {
			w.fail("%s is taken by %s, which is not stored", r.RequestID, r.OrderID)
		}
		if isFree := !r.FreedAt.IsZero(); isFree != (o.Status == venues.StatusRejected) {
			w.fail("%s is free: %t, and its order %s", r.RequestID, isFree, o.Status)
		}
	}
}

// checkAnswer checks an answer when it is given.
func (w *world) checkAnswer(c *client) {
	a := &c.answer
	if a.orderID == "" {
		w.checkWithoutOrder(c)
		return
	}
	durable, known := w.durable.order(a.orderID)
	if !known {
		w.fail("%s is answered without a durable intent", a.orderID)
		return
	}
	as := durable
	as.Status, as.FilledQty, as.Error = a.status, a.filled, nil
	if a.reason != "" {
		as.Error = &venues.RejectReason{Code: a.reason}
	}
	if text := w.contradicts(&as); text != "" {
		w.fail("%s is answered as %s: %s", a.orderID, a.status, text)
	}
	written, _ := w.process.disk.images()[w.process.disk.written].order(a.orderID)
	switch {
	case a.isFailed:
	case a.status != venues.StatusPending && a.status != venues.StatusUnknown && written.Status == venues.StatusPending:
		w.fail("%s is answered as %s and written as pending", a.orderID, a.status)
	case a.status == venues.StatusRejected && durable.Status != venues.StatusRejected:
		w.fail("%s is answered as %s, which is not durable", a.orderID, a.status)
	}
}

// checkWithoutOrder checks that nothing was sent for a call that is refused without an order.
func (w *world) checkWithoutOrder(c *client) {
	if c.op.kind != opPlace || c.answer.code == venues.CodeInternal {
		return
	}
	o := w.orderOf(c.op.request)
	if o != nil && !w.isRepeated(o.RequestID) && (w.venue.find(o.ClientOrderID) != nil || w.mayExecute(o.ClientOrderID)) {
		w.fail("%s is answered with %s and was sent", o.OrderID, c.answer.code)
	}
}

// filledOrder returns the order of an event order.filled.
func filledOrder(e *persistence.Event) (string, bool) {
	if e.Type != persistence.EventOrderFilled {
		return "", false
	}
	_, id, _ := strings.Cut(string(e.Data), `"orderId":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id, true
}
