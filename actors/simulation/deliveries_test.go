package simulation_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/venues"
)

// outbound is the plan of each customer's endpoint. Most seeds have none.
type outbound struct {
	// odds are the odds of a failed attempt; a dead receiver keeps failing after all
	// other faults have ended.
	odds float64
	dead bool
}

// endpointRate is the number of seeds per seed with endpoints.
const endpointRate = 4

// try is one attempt as the receiver recorded it.
type try struct {
	number       int
	signed       time.Time
	began, ended time.Time
	ok           bool
	process      int
	body         uint64
}

func (p *plan) drawEndpoints(s *swarm) {
	rng := s.random("endpoints", 1)
	if rng.IntN(endpointRate) == 0 {
		p.outbound = &outbound{odds: rng.Float64(), dead: rng.IntN(3) == 0}
	}
}

func endpointOf(customer string) persistence.Endpoint {
	return persistence.Endpoint{ID: "end_" + customer, Customer: customer, Kind: persistence.EndpointWebhook, Target: "https://" + customer}
}

// receiver receives the deliveries of one process.
type receiver struct {
	w       *world
	process *process
}

// Send implements delivery.Sender.
func (r receiver) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	began := time.Now()
	out := r.w.plan.outbound
	occasion := r.process.occasion("send/" + e.ID)
	rng := r.w.swarm.random(occasion, r.w.count(occasion))
	fails := rng.Float64() < out.odds && (out.dead || !r.w.swarm.healed.Load())
	if !r.wait(ctx, rng, fails) {
		fails = true
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.w.tries[to.Customer+"/"+e.ID] = append(r.w.tries[to.Customer+"/"+e.ID], try{
		number: attempt, signed: at, began: began, ended: time.Now(), ok: !fails, process: r.process.number, body: bodyOf(&e),
	})
	r.w.coverage.attempts++
	if fails {
		return persistence.Attempt{Code: 500, Err: errors.New("status 500")}
	}
	return persistence.Attempt{Code: 200}
}

// wait is the receiver's delay; it returns false if the caller gave up.
func (r receiver) wait(ctx context.Context, rng *rand.Rand, fails bool) bool {
	takes := between(rng, time.Millisecond, 200*time.Millisecond)
	if fails && rng.IntN(8) == 0 {
		takes = time.Minute
	}
	select {
	case <-time.After(takes):
		return true
	case <-ctx.Done():
	case <-r.process.dead:
	}
	return false
}

func bodyOf(e *persistence.Event) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.ID + string(e.Type) + e.CreatedAt.UTC().Format(venues.TimeFormat)))
	_, _ = h.Write(e.Data)
	return h.Sum64()
}

// attemptSlack is how late an attempt may begin, because earlier attempts take time.
const attemptSlack = 30 * time.Second

// checkDeliveries checks that every event has its delivery, and that each was attempted
// in time.
func (w *world) checkDeliveries(customer string) {
	if w.plan.outbound == nil {
		return
	}
	for _, e := range w.events(customer) {
		if e.Type == persistence.EventNotification {
			continue // only chats receive it
		}
		page, err := w.memory.Deliveries(context.Background(), persistence.DeliveryQuery{
			Customer: customer, Endpoint: endpointOf(customer).ID, EventID: e.ID, Limit: 1,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if len(page.Items) != 1 {
			w.violate("I-6", "event %s has no delivery", e.ID)
			continue
		}
		w.checkTries(&page.Items[0], w.triesOf(customer, e.ID), bodyOf(&e))
	}
}

func (w *world) triesOf(customer, event string) []try {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tries[customer+"/"+event]
}

func (w *world) checkTries(d *persistence.Delivery, tries []try, body uint64) {
	for i := range tries {
		t := &tries[i]
		switch {
		case t.body != body:
			w.violate("I-6", "event %s was sent as something else", d.EventID)
		case t.began.Sub(t.signed) > time.Second:
			w.violate("I-7", "attempt %d of event %s is signed %s before it", t.number, d.EventID, t.began.Sub(t.signed))
		case i > 0:
			w.checkRetry(d, &tries[i-1], t)
		}
	}
	if len(tries) == 0 {
		if d.Status != persistence.DeliveryPending {
			w.violate("I-6", "event %s is %s and was never received", d.EventID, d.Status)
		}
		return
	}
	last := &tries[len(tries)-1]
	switch {
	case d.Status == persistence.DeliveryDelivered && !last.ok, d.Status == persistence.DeliveryUndelivered && last.ok:
		w.violate("I-6", "event %s is %s, its receiver took it: %t", d.EventID, d.Status, last.ok)
	case d.Status == persistence.DeliveryUndelivered && last.number != delivery.ScheduleDefault().Attempts:
		w.violate("I-7", "event %s is given up after %d attempts", d.EventID, last.number)
	case d.Status == persistence.DeliveryPending && d.Attempts == last.number && !d.DueAt.Equal(dueAfter(last)):
		w.violate("I-7", "attempt %d of event %s is due at %s, not at %s", d.Attempts+1, d.EventID, d.DueAt.Sub(w.born), dueAfter(last).Sub(w.born))
	}
}

// dueAfter returns when the attempt after a failed one is due.
func dueAfter(t *try) time.Time {
	due := t.ended.Add(delivery.ScheduleDefault().Delays[t.number-1])
	if whole := due.Truncate(time.Millisecond); whole.Before(due) {
		return whole.Add(time.Millisecond)
	}
	return due
}

// checkRetry checks that an attempt is made at its time, also after a restart. An attempt
// whose outcome was not durable is repeated.
func (w *world) checkRetry(d *persistence.Delivery, before, t *try) {
	if t.number == before.number && (t.process != before.process || w.swarm.breaksStore()) {
		return
	}
	due := dueAfter(before)
	late := t.began.Sub(due) - w.down(span{due, t.began})
	switch {
	case t.number != before.number+1:
		w.violate("I-7", "attempt %d of event %s follows attempt %d", t.number, d.EventID, before.number)
	case before.ok:
		w.violate("I-7", "event %s was taken at attempt %d and is sent again", d.EventID, before.number)
	case t.began.Before(due):
		w.violate("I-7", "attempt %d of event %s comes %s early", t.number, d.EventID, due.Sub(t.began))
	case late > attemptSlack && !w.swarm.breaksStore():
		w.violate("I-7", "attempt %d of event %s comes %s late", t.number, d.EventID, late)
	}
}
