package stream_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

// fakeFeed owns topics as the actors do: each has an owner that numbers its
// frames, delivers them in order and answers Resync with a snapshot of its own.
type fakeFeed struct {
	mu     sync.Mutex
	owners map[ownerKey]*owner
	// refuse, if set, answers Subscribe with an error.
	refuse func(venues.Topic) error
	// subscribed counts Subscribe calls.
	subscribed int
}

type ownerKey struct{ customer, topic string }

func newFakeFeed() *fakeFeed { return &fakeFeed{owners: make(map[ownerKey]*owner)} }

// owner of a topic, by its channel name. Market topics have the empty customer.
func (f *fakeFeed) owner(customer, channel string) *owner {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := ownerKey{customer, channel}
	if f.owners[key] == nil {
		topic, ok := venues.ParseTopic(channel)
		if !ok || topic.String() != channel {
			panic(channel + " is no canonical channel")
		}
		f.owners[key] = &owner{
			topic: topic, customer: customer, epoch: 1, seq: 1, sinks: make(map[*fakeSubscription]venues.FrameSink),
			book: map[int64]int64{epochLevel: 1}, history: make(map[position]map[int64]int64),
		}
		f.owners[key].remember()
	}
	return f.owners[key]
}

func (f *fakeFeed) Subscribe(customer string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	f.mu.Lock()
	f.subscribed++
	refuse := f.refuse
	f.mu.Unlock()
	if refuse != nil {
		if err := refuse(topic); err != nil {
			return nil, err
		}
	}
	if topic.Private() != (customer != "") {
		panic(fmt.Sprintf("%s subscribed for customer %q", topic, customer))
	}
	return f.owner(customer, topic.String()).add(sink), nil
}

func (f *fakeFeed) subscriptions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.subscribed
}

// open counts the subscriptions that are not closed.
func (f *fakeFeed) open() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for o := range maps.Values(f.owners) {
		n += o.listeners()
	}
	return n
}

// epochLevel is the price whose quantity is the epoch, so that a book tells where
// it comes from.
const epochLevel = 1000

// position in a topic.
type position struct{ epoch, seq uint64 }

// owner of one topic. A book topic keeps what the book was at each position.
type owner struct {
	topic    venues.Topic
	customer string

	mu      sync.Mutex
	epoch   uint64
	seq     uint64
	sinks   map[*fakeSubscription]venues.FrameSink
	book    map[int64]int64
	history map[position]map[int64]int64
	resyncs int
	// mute makes Resync go unanswered until the next snapshot, as an owner whose
	// book is stale does.
	mute bool
	// broken makes Resync panic.
	broken bool
}

type fakeSubscription struct{ owner *owner }

func (o *owner) add(sink venues.FrameSink) *fakeSubscription {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := &fakeSubscription{owner: o}
	o.sinks[s] = sink
	if o.hasSnapshots() {
		sink.Deliver(o.snapshot())
	}
	return s
}

func (s *fakeSubscription) Resync() {
	o := s.owner
	o.mu.Lock()
	defer o.mu.Unlock()
	o.resyncs++
	if o.broken {
		panic("a bug of the owner")
	}
	if sink := o.sinks[s]; sink != nil && !o.mute {
		sink.Deliver(o.snapshot())
	}
}

func (s *fakeSubscription) Close() {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	delete(s.owner.sinks, s)
}

func (o *owner) listeners() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sinks)
}

func (o *owner) resynced() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.resyncs
}

func (o *owner) hasSnapshots() bool { return o.topic.Kind != venues.TopicTrades }

// publish sends the next update: of a book the change of one level.
func (o *owner) publish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	price := 1 + int64(o.seq*7919%50)
	o.change(price, int64(o.seq%5)) // every fifth removes the level
}

func (o *owner) change(price, qty int64) {
	o.seq++
	if qty == 0 {
		delete(o.book, price)
	} else {
		o.book[price] = qty
	}
	o.remember()
	kind := venues.MessageUpdate
	if o.topic.Kind == venues.TopicBook {
		kind = venues.MessageDelta
	}
	o.deliver(o.frame(kind, []venues.Level{{Price: price, Qty: qty}}))
}

// restart begins a new epoch; with its snapshot, if the topic has one.
func (o *owner) restart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.epoch++
	o.seq = 1
	o.book[epochLevel] = int64(o.epoch)
	o.mute = false
	o.remember()
	if o.hasSnapshots() {
		o.deliver(o.snapshot())
	} else {
		o.deliver(o.frame(venues.MessageUpdate, nil))
	}
}

// stale says that the book is not to be trusted; refresh ends that.
func (o *owner) stale() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.mute = true
	o.deliver(o.frame(venues.MessageStale, nil))
}

func (o *owner) refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.mute = false
	o.remember()
	o.deliver(o.snapshot())
}

// skip loses n frames on the way.
func (o *owner) skip(n uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq += n
	o.book[1] = int64(o.seq)
	o.remember()
}

// fail makes the next Resync panic.
func (o *owner) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = true
}

func (o *owner) deliver(f venues.Frame) {
	for _, sink := range o.sinks {
		sink.Deliver(f)
	}
}

func (o *owner) remember() {
	if o.topic.Kind == venues.TopicBook {
		o.history[position{o.epoch, o.seq}] = maps.Clone(o.book)
	}
}

// at is what the book was at a position.
func (o *owner) at(p position) map[int64]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.history[p]
}

func (o *owner) position() position {
	o.mu.Lock()
	defer o.mu.Unlock()
	return position{o.epoch, o.seq}
}

func (o *owner) snapshot() venues.Frame {
	levels := make([]venues.Level, 0, len(o.book))
	for _, price := range slices.Sorted(maps.Keys(o.book)) {
		levels = append(levels, venues.Level{Price: price, Qty: o.book[price]})
	}
	return o.frame(venues.MessageSnapshot, levels)
}

func (o *owner) frame(kind venues.MessageType, levels []venues.Level) venues.Frame {
	head := venues.MessageHead{Topic: o.topic.String(), Type: kind, Seq: o.seq, Time: time.Now()}
	return venues.Frame{
		Topic: head.Topic, Epoch: o.epoch, Seq: o.seq, Snapshot: kind == venues.MessageSnapshot, Bytes: o.encode(head, levels),
	}
}

// encode marks private records with their customer, so that one in the wrong
// hands is seen, and fills them up a little.
func (o *owner) encode(head venues.MessageHead, levels []venues.Level) []byte {
	encoder := api.StreamEncoder{}
	switch o.topic.Kind {
	case venues.TopicBook:
		return encoder.AppendBook(nil, &venues.BookMessage{MessageHead: head, Bids: levels})
	case venues.TopicTrades:
		trade := venues.Trade{ID: fmt.Sprint(o.epoch, "-", o.seq), Side: venues.Buy}
		return encoder.AppendTrade(nil, &venues.TradeMessage{MessageHead: head, Trade: trade})
	case venues.TopicKline:
		return encoder.AppendCandle(nil, &venues.CandleMessage{MessageHead: head})
	case venues.TopicOrders:
		order := venues.Order{OrderID: fmt.Sprint(o.seq), Comment: "canary-" + o.customer}
		return encoder.AppendOrders(nil, &venues.OrdersMessage{MessageHead: head, Orders: []venues.Order{order}})
	case venues.TopicPositions:
		position := venues.Position{AccountType: "canary-" + o.customer}
		return encoder.AppendPositions(nil, &venues.PositionsMessage{MessageHead: head, Positions: []venues.Position{position}})
	default:
		balance := venues.Balance{AccountType: "canary-" + o.customer}
		return encoder.AppendAccount(nil, &venues.AccountMessage{MessageHead: head, Balances: []venues.Balance{balance}})
	}
}

// wander makes n random changes of a book at random moments of its life.
func (o *owner) wander(random *rand.Rand, n int) {
	for range n {
		switch random.IntN(100) {
		case 0:
			o.stale()
			o.refresh()
		case 1:
			o.restart()
		case 2:
			o.skip(uint64(1 + random.IntN(3)))
			o.publish()
		default:
			o.publish()
		}
	}
}

// widen gives a book many levels, so that its snapshots are large.
func (o *owner) widen(levels int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range levels {
		o.book[2000+i] = 1_000_000 + i
	}
	o.remember()
}

// republish sends a delta that repeats every level: a large frame.
func (o *owner) republish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.book[1] = int64(o.seq)
	o.remember()
	f := o.snapshot()
	delta := strings.Replace(string(f.Bytes), `"snapshot"`, `"delta"`, 1)
	f.Snapshot, f.Bytes = false, []byte(delta)
	o.deliver(f)
}

// frameBytes is the size of a frame with every level.
func (o *owner) frameBytes() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.snapshot().Bytes)
}
