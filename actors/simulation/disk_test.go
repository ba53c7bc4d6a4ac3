package simulation_test

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// disk is the store of one process. It delays the reads of clients, so that clients
// overtake each other, and checks every durable change.
type disk struct {
	*storetest.Memory
	w       *world
	process *process
}

func (d disk) pause(what string) {
	occasion := d.process.occasion("read/" + what)
	rng := d.w.swarm.random(occasion, d.w.count(occasion))
	time.Sleep(between(rng, 10*time.Microsecond, 2*time.Millisecond))
}

// Order implements persistence.Reader.
func (d disk) Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error) {
	d.pause("order/" + orderID)
	return d.Memory.Order(ctx, customer, orderID)
}

// Idempotency implements persistence.Reader.
func (d disk) Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error) {
	d.pause("idempotency/" + customer + scope + requestID)
	return d.Memory.Idempotency(ctx, customer, scope, requestID)
}

// Submit implements persistence.Writer.
func (d disk) Submit(b persistence.Batch, done func(error)) {
	d.Memory.Submit(b, func(err error) {
		if err == nil {
			d.w.committed(d, &b)
		}
		done(err)
	})
}

// seen is the last durable state of one order.
type seen struct {
	record  persistence.OrderRecord
	process int
}

// committed checks every durable change of an order.
func (w *world) committed(d disk, b *persistence.Batch) {
	missing := map[string]bool{}
	for _, row := range b.Journal {
		missing[row.Subject] = missing[row.Subject] || row.Kind == "order.fills_missing"
	}
	w.mu.Lock()
	w.noteAlarms(b.Journal)
	w.mu.Unlock()
	for _, put := range b.Puts {
		if risk, ok := put.(persistence.RiskRecord); ok {
			w.mu.Lock()
			w.locks[risk.Customer+"/"+string(risk.Exchange)] = risk.Lock
			w.mu.Unlock()
		}
		r, ok := put.(persistence.OrderRecord)
		if !ok {
			continue
		}
		w.mu.Lock()
		w.step(d.process, &r)
		w.incomplete[r.OrderID] = w.incomplete[r.OrderID] || missing[r.OrderID]
		incomplete := w.incomplete[r.OrderID]
		w.mu.Unlock()
		if r.FilledQty.IsPositive() && !incomplete {
			w.checkFilled(d, &r)
		}
	}
}

// checkFilled checks that a filled quantity is durable with its fills. Later changes of the
// order may have become durable together with this one.
func (w *world) checkFilled(d disk, r *persistence.OrderRecord) {
	now, err := d.Memory.Order(context.Background(), r.Customer, r.OrderID)
	if err != nil {
		return // the store has just been closed
	}
	page, err := d.Fills(context.Background(), persistence.FillQuery{Customer: r.Customer, OrderID: r.OrderID})
	if err != nil {
		return
	}
	if sum := sumOf(page.Items); !sum.Equal(now.FilledQty) || now.FilledQty.LessThan(r.FilledQty) {
		w.violate("I-8", "order %s is filled %s and was %s, at that time its fills are %s", r.OrderID, now.FilledQty, r.FilledQty, sum)
	}
}

func (w *world) step(p *process, r *persistence.OrderRecord) {
	before, known := w.orders[r.OrderID]
	w.watchFill(p, r, before.record.FilledQty)
	w.orders[r.OrderID] = seen{*r, p.number}
	if ours(r.ClientOrderID) {
		w.byClient[r.ClientOrderID] = r.OrderID
	}
	w.note("commit %s %s %s %s venue %s", r.OrderID, r.Status, r.FilledQty, r.PendingAction, r.VenueOrderID)
	from := "-"
	if known {
		from = string(before.record.Status)
	}
	if from != string(r.Status) {
		w.coverage.transition(from, string(r.Status))
	}
	if !known {
		return
	}
	was := &before.record
	switch {
	case was.Status.IsClosed() && was.Status != r.Status:
		w.violated("I-8", "order %s was %s and became %s", r.OrderID, was.Status, r.Status)
	case before.process == p.number && !was.Status.CanBecome(r.Status):
		w.violated("I-8", "order %s went from %s to %s", r.OrderID, was.Status, r.Status)
	case r.FilledQty.LessThan(was.FilledQty):
		w.violated("I-8", "order %s: filled quantity fell from %s to %s", r.OrderID, was.FilledQty, r.FilledQty)
	case r.Customer != was.Customer || r.ClientOrderID != was.ClientOrderID:
		w.violated("I-11", "order %s changed its owner or its client id", r.OrderID)
	}
}

// lastKnown returns the durable status of the order with a client id, for coverage.
func (w *world) lastKnown(clientID string) string {
	id, known := w.byClient[clientID]
	if !known {
		return "-"
	}
	return string(w.orders[id].record.Status)
}

func sumOf(fills []persistence.FillRecord) decimal.Decimal {
	sum := decimal.Zero
	for i := range fills {
		sum = sum.Add(fills[i].Qty)
	}
	return sum
}
