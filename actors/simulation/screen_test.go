package simulation_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"venuegate/venues"
)

// encoder puts messages into frames without encoding them.
type encoder struct{}

type ordersFrame struct {
	Snapshot bool
	Orders   []venues.Order
}

func (encoder) AppendOrders(dst []byte, m *venues.OrdersMessage) []byte {
	data, err := json.Marshal(ordersFrame{m.Type == venues.MessageSnapshot, m.Orders})
	if err != nil {
		panic(err)
	}
	return append(dst, data...)
}

func (encoder) AppendPositions(dst []byte, _ *venues.PositionsMessage) []byte { return dst }
func (encoder) AppendAccount(dst []byte, _ *venues.AccountMessage) []byte     { return dst }

// screen is a customer's view of the stream of orders.
type screen struct {
	w        *world
	customer string

	mu     sync.Mutex
	epoch  uint64
	seq    uint64
	orders map[string]venues.Order
	ended  map[string]venues.Order
}

// subscribeRetry is the delay before a client repeats a rejected subscription.
const subscribeRetry = 50 * time.Millisecond

// watchStreams subscribes both customers, as clients do after each reconnection.
func (w *world) watchStreams(p *process) {
	for _, customer := range customers {
		s := w.screens[customer]
		if s == nil {
			s = &screen{w: w, customer: customer, ended: map[string]venues.Order{}}
			w.screens[customer] = s
		}
		w.scheduler.Do(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			for { // until the customer is loaded
				_, err := p.tree.Subscribe(ctx, customer, venues.Topic{Kind: venues.TopicOrders}, session{s, p})
				if venues.CodeOf(err) != venues.CodeMaintenance || p.isDead() {
					return
				}
				time.Sleep(subscribeRetry)
			}
		})
	}
}

// session is a screen's connection to one process, and ends with it.
type session struct {
	*screen
	process *process
}

// Deliver implements venues.FrameSink.
func (s session) Deliver(f venues.Frame) {
	if s.process.isDead() {
		return
	}
	var m ordersFrame
	if err := json.Unmarshal(f.Bytes, &m); err != nil {
		s.w.violate("I-8", "a frame cannot be read: %v", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range customers {
		if other != s.customer && strings.Contains(string(f.Bytes), canary(other)) {
			s.w.violate("I-11", "the stream of %s shows an order of %s", s.customer, other)
		}
	}
	if !m.Snapshot && (f.Epoch != s.epoch || f.Seq != s.seq+1) {
		s.w.violate("I-10", "frame %d of epoch %d follows %d of %d", f.Seq, f.Epoch, s.seq, s.epoch)
	}
	s.epoch, s.seq = f.Epoch, f.Seq
	if m.Snapshot {
		s.orders = map[string]venues.Order{}
	}
	for _, o := range m.Orders {
		if o.Status.IsClosed() {
			delete(s.orders, o.OrderID)
			s.ended[o.OrderID] = o
			continue
		}
		if _, over := s.ended[o.OrderID]; over {
			s.w.violate("I-8", "order %s was reported closed and is reported as %s", o.OrderID, o.Status)
		}
		s.orders[o.OrderID] = o
	}
}
