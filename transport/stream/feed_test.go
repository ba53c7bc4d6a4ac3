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

// fakeFeed owns topics like the actors do: each topic has an owner that numbers its
// frames, delivers them in order and responds to Resync with a snapshot.
type fakeFeed struct {
	mu     sync.Mutex
	owners map[ownerKey]*owner
	// onSubscribe, if set, is called by Subscribe, which returns its error.
	onSubscribe func(venues.Topic) error
	// subscribed counts Subscribe calls.
	subscribed int
}

type ownerKey struct{ customer, topic string }

func newFakeFeed() *fakeFeed { return &fakeFeed{owners: make(map[ownerKey]*owner)} }

// owner returns the owner of a topic. Market topics have the empty customer.
func (f *fakeFeed) owner(customer, name string) *owner {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := ownerKey{customer, name}
	if f.owners[key] == nil {
		topic, ok := venues.ParseTopic(name)
		if !ok || topic.String() != name {
			panic(name + " is not a canonical topic name")
		}
		f.owners[key] = &owner{
			topic: topic, customer: customer, epoch: 1, seq: 1, sinks: make(map[*fakeSubscription]venues.FrameSink),
			book: map[int64]int64{epochLevel: 1}, history: make(map[position]map[int64]int64),
		}
		f.owners[key].recordBook()
	}
	return f.owners[key]
}

func (f *fakeFeed) Subscribe(customer string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	f.mu.Lock()
	f.subscribed++
	onSubscribe := f.onSubscribe
	f.mu.Unlock()
	if onSubscribe != nil {
		if err := onSubscribe(topic); err != nil {
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

// open returns the number of subscriptions that are not closed.
func (f *fakeFeed) open() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for o := range maps.Values(f.owners) {
		n += o.sinkCount()
	}
	return n
}

// epochLevel is the price whose quantity is the epoch, so that a book shows its
// epoch.
const epochLevel = 1000

// position is a position in a topic.
type position struct{ epoch, seq uint64 }

// owner owns one topic. The owner of a book records its state at each position.
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
	newest  venues.Frame // of those that were sent to all sinks
	// ignoresResync delays the response to Resync until the next snapshot, like an
	// owner whose book is stale.
	ignoresResync bool
	// resyncPanics makes Resync panic.
	resyncPanics bool
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
	if o.resyncPanics {
		panic("bug of the owner")
	}
	if sink := o.sinks[s]; sink != nil && !o.ignoresResync {
		sink.Deliver(o.snapshot())
	}
}

func (s *fakeSubscription) Close() {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	delete(s.owner.sinks, s)
}

func (o *owner) sinkCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sinks)
}

func (o *owner) resyncCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.resyncs
}

func (o *owner) hasSnapshots() bool { return o.topic.Kind != venues.TopicTrades }

// publish sends the next update; for a book, the change of one level.
func (o *owner) publish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	price := 1 + int64(o.seq*7919%50)
	o.change(price, int64(o.seq%5)) // every fifth update removes the level
}

func (o *owner) change(price, qty int64) {
	o.seq++
	if qty == 0 {
		delete(o.book, price)
	} else {
		o.book[price] = qty
	}
	o.recordBook()
	kind := venues.MessageUpdate
	if o.topic.Kind == venues.TopicBook {
		kind = venues.MessageDelta
	}
	o.deliver(o.frame(kind, []venues.Level{{Price: price, Qty: qty}}))
}

// restart begins a new epoch, with a snapshot if the topic has them.
func (o *owner) restart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.epoch++
	o.seq = 1
	o.book[epochLevel] = int64(o.epoch)
	o.ignoresResync = false
	o.recordBook()
	if o.hasSnapshots() {
		o.deliver(o.snapshot())
	} else {
		o.deliver(o.frame(venues.MessageUpdate, nil))
	}
}

// markStale publishes that the book is stale; refresh ends that state.
func (o *owner) markStale() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.ignoresResync = true
	o.deliver(o.frame(venues.MessageStale, nil))
}

func (o *owner) refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.ignoresResync = false
	o.recordBook()
	o.deliver(o.snapshot())
}

// skip loses n frames.
func (o *owner) skip(n uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq += n
	o.book[1] = int64(o.seq)
	o.recordBook()
}

// panicOnResync makes the next Resync panic.
func (o *owner) panicOnResync() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.resyncPanics = true
}

// repeat delivers the newest frame again.
func (o *owner) repeat() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deliver(o.newest)
}

func (o *owner) deliver(f venues.Frame) {
	o.newest = f
	for _, sink := range o.sinks {
		sink.Deliver(f)
	}
}

func (o *owner) recordBook() {
	if o.topic.Kind == venues.TopicBook {
		o.history[position{o.epoch, o.seq}] = maps.Clone(o.book)
	}
}

// at returns the book at a position.
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

// encode marks private records with their customer, so that the tests detect one that
// is sent to another customer.
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

// changeRandomly makes n random changes of a book, including stale periods, restarts
// and gaps.
func (o *owner) changeRandomly(random *rand.Rand, n int) {
	for range n {
		switch random.IntN(100) {
		case 0:
			o.markStale()
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

// addLevels adds levels to a book, so that its snapshots are large.
func (o *owner) addLevels(levels int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range levels {
		o.book[2000+i] = 1_000_000 + i
	}
	o.recordBook()
}

// republish sends a delta with every level: a large frame.
func (o *owner) republish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.book[1] = int64(o.seq)
	o.recordBook()
	f := o.snapshot()
	delta := strings.Replace(string(f.Bytes), `"snapshot"`, `"delta"`, 1)
	f.Snapshot, f.Bytes = false, []byte(delta)
	o.deliver(f)
}

// frameBytes returns the size of a frame with every level.
func (o *owner) frameBytes() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.snapshot().Bytes)
}
