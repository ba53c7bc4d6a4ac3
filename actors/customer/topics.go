package customer

import (
	"maps"
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Encoder encodes the messages of the customer's topics in the form of the wire. Each
// method appends one message to dst.
type Encoder interface {
	AppendOrders(dst []byte, m *venues.OrdersMessage) []byte
	AppendPositions(dst []byte, m *venues.PositionsMessage) []byte
	AppendAccount(dst []byte, m *venues.AccountMessage) []byte
}

// topics are the customer's stream topics and the contents of their snapshots.
type topics struct {
	encoder   Encoder
	epoch     uint64
	byKind    map[venues.TopicKind]*topic
	orders    map[string]venues.Order
	positions map[string]venues.Position
	balances  map[venues.Venue][]venues.Balance
	// accounts are the open accounts, true once one has published what is open at its
	// venue. New subscribers wait for all of them, unless overdue is set.
	accounts map[venues.Venue]bool
	overdue  bool
}

type topic struct {
	kind venues.TopicKind
	seq  uint64
	subs []*subscription
}

// subscription is the subscription of one sink to a topic.
type subscription struct {
	owner actors.Ref
	kind  venues.TopicKind
	sink  venues.FrameSink
	// begun is set once the sink has received a snapshot.
	begun bool
}

// Resync requests another snapshot for this sink.
func (s *subscription) Resync() { s.owner.Tell(resync{sub: s}) }

// Close ends the subscription.
func (s *subscription) Close() { s.owner.Tell(leave{sub: s}) }

func newTopics(encoder Encoder, epoch uint64) *topics {
	return &topics{
		encoder: encoder, epoch: epoch,
		byKind: map[venues.TopicKind]*topic{
			venues.TopicOrders:    {kind: venues.TopicOrders},
			venues.TopicPositions: {kind: venues.TopicPositions},
			venues.TopicAccount:   {kind: venues.TopicAccount},
		},
		orders: map[string]venues.Order{}, positions: map[string]venues.Position{},
		balances: map[venues.Venue][]venues.Balance{}, accounts: map[venues.Venue]bool{},
	}
}

// opened adds an account that has published nothing yet.
func (t *topics) opened(exchange venues.Venue) {
	t.accounts[exchange], t.overdue = false, false
}

// closed removes an account and withdraws what it has published.
func (t *topics) closed(exchange venues.Venue, now time.Time) {
	delete(t.accounts, exchange)
	t.replace(reconciled{exchange: exchange}, now)
}

// isComplete reports whether every account has published what is open.
func (t *topics) isComplete() bool {
	for _, published := range t.accounts {
		if !published {
			return false
		}
	}
	return true
}

// add adds a subscriber, which gets a snapshot as soon as there is one.
func (t *topics) add(s *subscription, now time.Time) {
	topic := t.byKind[s.kind]
	topic.subs = append(topic.subs, s)
	if t.overdue || t.isComplete() {
		t.snapshot(s, now)
	}
}

// resync delivers another snapshot. A subscriber without a first one still waits for it.
func (t *topics) resync(s *subscription, now time.Time) {
	if s.begun {
		t.snapshot(s, now)
	}
}

// waitNoLonger delivers snapshots without the accounts that have published nothing.
func (t *topics) waitNoLonger(now time.Time) {
	t.overdue = true
	for _, topic := range t.byKind {
		for _, s := range topic.subs {
			if !s.begun {
				t.snapshot(s, now)
			}
		}
	}
}

func (t *topics) remove(s *subscription) {
	topic := t.byKind[s.kind]
	for i, other := range topic.subs {
		if other == s {
			topic.subs = append(topic.subs[:i:i], topic.subs[i+1:]...)
			return
		}
	}
}

// snapshot delivers everything that is open to one sink, under the sequence of the
// newest frame.
func (t *topics) snapshot(s *subscription, now time.Time) {
	s.begun = true
	topic := t.byKind[s.kind]
	head := venues.MessageHead{Topic: string(s.kind), Type: venues.MessageSnapshot, Seq: topic.seq, Time: now}
	s.sink.Deliver(venues.Frame{Topic: head.Topic, Epoch: t.epoch, Seq: topic.seq, Snapshot: true, Bytes: t.encodeAll(s.kind, head)})
}

func (t *topics) encodeAll(kind venues.TopicKind, head venues.MessageHead) []byte {
	switch kind {
	case venues.TopicOrders:
		return t.encoder.AppendOrders(nil, &venues.OrdersMessage{MessageHead: head, Orders: sorted(t.orders)})
	case venues.TopicPositions:
		return t.encoder.AppendPositions(nil, &venues.PositionsMessage{MessageHead: head, Positions: sorted(t.positions)})
	default:
		var all []venues.Balance
		for _, exchange := range venues.All() {
			all = append(all, t.balances[exchange]...)
		}
		return t.encoder.AppendAccount(nil, &venues.AccountMessage{MessageHead: head, Balances: all})
	}
}

func sorted[T any](m map[string]T) []T {
	list := make([]T, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[k])
	}
	return list
}

// orderChanged updates the open orders and publishes the change.
func (t *topics) orderChanged(o venues.Order, now time.Time) {
	if o.Status.IsClosed() {
		delete(t.orders, o.OrderID)
	} else {
		t.orders[o.OrderID] = o
	}
	t.publish(venues.TopicOrders, now, func(head venues.MessageHead) []byte {
		return t.encoder.AppendOrders(nil, &venues.OrdersMessage{MessageHead: head, Orders: []venues.Order{o}})
	})
}

func positionKey(p *venues.Position) string { return string(p.Exchange) + "/" + p.Key() }

func (t *topics) positionChanged(p venues.Position, now time.Time) {
	key := positionKey(&p)
	if p.Qty.IsZero() {
		delete(t.positions, key)
	} else {
		t.positions[key] = p
	}
	t.publish(venues.TopicPositions, now, func(head venues.MessageHead) []byte {
		return t.encoder.AppendPositions(nil, &venues.PositionsMessage{MessageHead: head, Positions: []venues.Position{p}})
	})
}

func (t *topics) balancesChanged(exchange venues.Venue, balances []venues.Balance, now time.Time) {
	t.balances[exchange] = balances
	for _, b := range balances {
		t.publish(venues.TopicAccount, now, func(head venues.MessageHead) []byte {
			return t.encoder.AppendAccount(nil, &venues.AccountMessage{MessageHead: head, Balances: []venues.Balance{b}})
		})
	}
}

// replace replaces everything that an account has published; every subscriber that need
// not wait for another account receives a snapshot.
func (t *topics) replace(in reconciled, now time.Time) {
	maps.DeleteFunc(t.orders, func(_ string, o venues.Order) bool { return o.Exchange == in.exchange })
	maps.DeleteFunc(t.positions, func(_ string, p venues.Position) bool { return p.Exchange == in.exchange })
	for _, o := range in.orders {
		t.orders[o.OrderID] = o
	}
	for _, p := range in.positions {
		t.positions[positionKey(&p)] = p
	}
	t.balances[in.exchange] = in.balances
	if _, open := t.accounts[in.exchange]; open {
		t.accounts[in.exchange] = true
	}
	all := t.overdue || t.isComplete()
	for _, topic := range t.byKind {
		topic.seq++ // the same number would be the answer to a Resync
		for _, s := range topic.subs {
			if all || s.begun {
				t.snapshot(s, now)
			}
		}
	}
}

// publish delivers a change to the subscribers. It is encoded only if there are any.
func (t *topics) publish(kind venues.TopicKind, now time.Time, encode func(venues.MessageHead) []byte) {
	topic := t.byKind[kind]
	topic.seq++
	if len(topic.subs) == 0 {
		return
	}
	head := venues.MessageHead{Topic: string(kind), Type: venues.MessageUpdate, Seq: topic.seq, Time: now}
	frame := venues.Frame{Topic: head.Topic, Epoch: t.epoch, Seq: topic.seq, Bytes: encode(head)}
	for _, s := range topic.subs {
		if s.begun {
			s.sink.Deliver(frame)
		}
	}
}
