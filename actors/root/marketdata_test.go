package root_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/book"
	"venuegate/actors/root"
	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// levels is one side of the reference book.
type levels map[int64]int64

func (l levels) apply(changes []venues.Level) {
	for _, c := range changes {
		if c.Qty == 0 {
			delete(l, c.Price)
		} else {
			l[c.Price] = c.Qty
		}
	}
}

// best returns the first n levels, best first.
func (l levels) best(sign int64, n int) []venues.Level {
	list := make([]venues.Level, 0, len(l))
	for price, qty := range l {
		list = append(list, venues.Level{Price: price, Qty: qty})
	}
	slices.SortFunc(list, func(a, b venues.Level) int { return cmp.Compare(sign*b.Price, sign*a.Price) })
	return list[:min(n, len(list))]
}

// shown is a whole book message, which the test's frames contain as JSON. The venue's
// sequence number is in its time.
type shown struct {
	Type       venues.MessageType
	Seq        uint64
	VenueSeq   int64
	Bids, Asks []venues.Level
}

type jsonFrames struct{ noFrames }

func (jsonFrames) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	text, err := json.Marshal(shown{m.Type, m.Seq, m.VenueTime.Unix(), m.Bids, m.Asks})
	if err != nil {
		panic(err)
	}
	return append(dst, text...)
}

func (jsonFrames) AppendTrade(dst []byte, m *venues.TradeMessage) []byte {
	return fmt.Appendf(dst, "%s %s", m.Type, m.ID)
}

func (jsonFrames) AppendCandle(dst []byte, m *venues.CandleMessage) []byte {
	return fmt.Appendf(dst, "%s %s", m.Type, m.Close)
}

// scripted is a connector with one market, which the test changes. It is used on the test's
// goroutine, and by effects while that waits.
type scripted struct {
	streamSnapshots bool
	random          *rand.Rand

	mu           sync.Mutex
	sink         venues.FeedSink
	bids, asks   levels
	id, reported int64
	history      map[int64][2]levels
	pending      *venues.BookUpdate
	wire         []*venues.BookUpdate
	subscribed   map[venues.FeedTopic]bool
	failing      bool
}

func newScripted(streamSnapshots bool, seed uint64) *scripted {
	s := &scripted{
		streamSnapshots: streamSnapshots, random: rand.New(rand.NewPCG(seed, 7)),
		bids: levels{}, asks: levels{}, id: 1000, reported: 1000,
		history: map[int64][2]levels{}, subscribed: map[venues.FeedTopic]bool{},
	}
	s.history[s.id] = [2]levels{{}, {}}
	return s
}

func (s *scripted) Venue() venues.Venue { return venues.Binance }
func (s *scripted) Capabilities() venues.Capabilities {
	return venues.Capabilities{StreamSnapshots: s.streamSnapshots}
}
func (s *scripted) SyncClock(context.Context) (time.Duration, error) { return 0, nil }
func (s *scripted) RateLimits() []venues.RateLimit                   { return nil }
func (s *scripted) Congestion() venues.Congestion                    { return venues.Congestion{} }
func (s *scripted) OpenAccount(venues.Credentials) (venues.Account, error) {
	return nil, errors.ErrUnsupported
}

func (s *scripted) Instruments(context.Context) ([]venues.Instrument, error) {
	return []venues.Instrument{{
		Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("1"), QtyStep: venues.MustDecimal("1"),
	}}, nil
}

func (s *scripted) Trades(context.Context, string, int) ([]venues.Trade, error) {
	return nil, errors.ErrUnsupported
}

func (s *scripted) Tickers(context.Context, string) ([]venues.Ticker, error) {
	return nil, errors.ErrUnsupported
}

func (s *scripted) Candles(context.Context, venues.CandlesQuery) ([]venues.Candle, error) {
	return nil, errors.ErrUnsupported
}

// Snapshot returns the current book, or a slightly older one.
func (s *scripted) Snapshot(context.Context, string) (*venues.BookUpdate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing {
		return nil, errors.New("unreachable")
	}
	return s.snapshot(max(1000, s.id-s.random.Int64N(4))), nil
}

func (s *scripted) snapshot(id int64) *venues.BookUpdate {
	u := s.message(0, id, id)
	u.Snapshot = true
	u.Bids = append(u.Bids, s.history[id][0].best(+1, 1000)...)
	u.Asks = append(u.Asks, s.history[id][1].best(-1, 1000)...)
	return u
}

func (s *scripted) message(prev, first, last int64) *venues.BookUpdate {
	u := venues.NewBookUpdate()
	u.Symbol, u.PrevSeq, u.FirstSeq, u.LastSeq = "BTCUSDT", uint64(prev), uint64(first), uint64(last)
	u.VenueTime, u.Received = time.Unix(last, 0), time.Now()
	return u
}

// OpenFeed, Subscribe, Unsubscribe and Close make the connector its own feed.
func (s *scripted) OpenFeed(sink venues.FeedSink) venues.Feed {
	s.sink = sink
	return s
}

func (s *scripted) Subscribe(channels ...venues.FeedTopic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range channels {
		s.subscribed[c] = true
		if c.Kind == venues.FeedBook && s.streamSnapshots {
			s.flush()
			s.wire = append(s.wire, s.snapshot(s.id))
		}
	}
}

func (s *scripted) Unsubscribe(channels ...venues.FeedTopic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range channels {
		delete(s.subscribed, c)
		if c.Kind == venues.FeedBook {
			s.wire = nil
		}
	}
}

func (s *scripted) Close() {}

// change makes one change of the market, and often sends the messages of it.
func (s *scripted) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id++
	if s.pending == nil {
		s.pending = s.message(s.reported, s.id, s.id)
	}
	away, qty := 1+s.random.Int64N(30), s.random.Int64N(4)
	if s.random.IntN(2) == 0 {
		s.set(s.bids, &s.pending.Bids, 500-away, qty)
	} else {
		s.set(s.asks, &s.pending.Asks, 500+away, qty)
	}
	s.history[s.id] = [2]levels{maps.Clone(s.bids), maps.Clone(s.asks)}
	if s.random.IntN(3) > 0 {
		s.flush()
	}
}

func (s *scripted) set(side levels, changes *[]venues.Level, price, qty int64) {
	change := []venues.Level{{Price: price, Qty: qty}}
	side.apply(change)
	*changes = append(*changes, change...)
}

func (s *scripted) flush() {
	if s.pending != nil {
		s.pending.LastSeq, s.pending.VenueTime = uint64(s.id), time.Unix(s.id, 0)
		s.wire, s.pending, s.reported = append(s.wire, s.pending), nil, s.id
	}
}

// next takes a message from the wire.
func (s *scripted) next() *venues.BookUpdate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wire) == 0 {
		return nil
	}
	u := s.wire[0]
	s.wire = s.wire[1:]
	return u
}

// deliver delivers up to two messages to the sink.
func (s *scripted) deliver(faults bool) {
	for range s.random.IntN(3) {
		if u := s.next(); u != nil {
			s.pass(u, faults)
		}
	}
}

// pass delivers a message to the sink, unless it is lost or late.
func (s *scripted) pass(u *venues.BookUpdate, faults bool) {
	switch fault := s.random.IntN(50); {
	case !faults || fault > 2:
		s.sink.Book(u)
	case fault == 0:
		u.Release()
	default:
		s.mu.Lock()
		s.wire = slices.Insert(s.wire, min(fault, len(s.wire)), u)
		s.mu.Unlock()
	}
}

func (s *scripted) breakDown() {
	s.mu.Lock()
	s.wire = nil
	s.mu.Unlock()
	channel := venues.FeedTopic{Kind: venues.FeedBook, Symbol: "BTCUSDT"}
	s.sink.Interrupted([]venues.FeedTopic{channel}, errors.New("reset by peer"))
	s.Subscribe(channel)
	s.sink.Resumed([]venues.FeedTopic{channel})
}

// follower is a client of the stream that follows the documented rules.
type follower struct {
	t          *testing.T
	depth      int
	bids, asks levels
	last       shown
	begun      bool
	counts     map[venues.MessageType]int
}

// Deliver implements venues.FrameSink.
func (f *follower) Deliver(frame venues.Frame) {
	var m shown
	if err := json.Unmarshal(frame.Bytes, &m); err != nil {
		f.t.Error(err)
	}
	if f.begun && m.Seq != f.last.Seq+1 {
		f.t.Errorf("depth %d: seq = %d, want %d", f.depth, m.Seq, f.last.Seq+1)
	}
	switch {
	case m.Type == venues.MessageSnapshot:
		f.bids, f.asks, f.begun = levels{}, levels{}, true
	case m.Type == venues.MessageDelta && (!f.begun || f.last.Type == venues.MessageStale):
		f.t.Errorf("depth %d: delta of a book that is not live, want a snapshot", f.depth)
	}
	f.bids.apply(m.Bids)
	f.asks.apply(m.Asks)
	f.last = m
	f.counts[m.Type]++
}

// check compares the follower's book with the venue's at the same sequence.
func (f *follower) check(s *scripted) {
	if !f.begun || f.last.Type == venues.MessageStale {
		return
	}
	truth, known := s.history[f.last.VenueSeq]
	if !known {
		f.t.Fatalf("depth %d: sequence = %d, want one that the venue had", f.depth, f.last.VenueSeq)
	}
	if !slices.Equal(f.bids.best(+1, f.depth+1), truth[0].best(+1, f.depth)) ||
		!slices.Equal(f.asks.best(-1, f.depth+1), truth[1].best(-1, f.depth)) {
		f.t.Fatalf("depth %d: book at sequence %d = %v %v, want the venue's %v", f.depth, f.last.VenueSeq, f.bids, f.asks, truth)
	}
}

// TestSubscribersHoldTheVenuesBook runs venue, connection and book together: whatever is
// lost, late or interrupted, every subscriber has the venue's book at the reported
// sequence, or knows that it is stale.
func TestSubscribersHoldTheVenuesBook(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) { followMarket(k, newScripted(seed%2 == 0, seed)) }, actortest.Seeded(seed))
		})
	}
}

func followMarket(k *actortest.Kit, s *scripted) {
	t := k.T
	exchange, child := root.MarketData(k.System, s, root.MarketOptions{Encoder: jsonFrames{}, CheckEvery: 20 * time.Second})
	k.Start(child)
	var followers []*follower
	var subscriptions []venues.Subscription
	for _, depth := range []int{1, 5, 20, 200} {
		f := &follower{t: t, depth: depth, counts: map[venues.MessageType]int{}}
		followers = append(followers, f)
		k.Do(func() {
			topic := venues.Topic{Kind: venues.TopicBook, Venue: venues.Binance, Symbol: "BTC-USDT-SWAP", Depth: depth}
			sub, err := exchange.Subscribe(t.Context(), topic, f)
			if err != nil {
				t.Error(err)
			}
			subscriptions = append(subscriptions, sub)
		})
	}
	for n := range 2000 {
		s.change()
		s.deliver(n < 1800)
		if n < 1800 && s.random.IntN(200) == 0 {
			s.breakDown()
		}
		if s.random.IntN(4) == 0 {
			k.Advance(100 * time.Millisecond)
		}
		k.Settle()
		for _, f := range followers {
			f.check(s)
		}
	}
	for range 100 { // without faults it comes back
		s.change()
		s.deliver(false)
		k.Advance(time.Second)
	}
	for _, f := range followers {
		f.check(s)
		if f.last.Type == venues.MessageStale || f.counts[venues.MessageDelta] == 0 || f.counts[venues.MessageStale] == 0 {
			t.Errorf("depth %d ends %s after %v, want a current book, deltas and stale messages", f.depth, f.last.Type, f.counts)
		}
	}
	stats := exchange.Books()[0]
	if stats.Phase != book.PhaseLive || stats.Gaps == 0 || stats.ChecksMatched == 0 || stats.ChecksMismatched != 0 {
		t.Errorf("book %+v, want Phase PhaseLive, Gaps not 0, ChecksMatched not 0, ChecksMismatched 0", stats)
	}
	for _, sub := range subscriptions {
		sub.Close()
	}
	k.Advance(time.Minute)
	if len(exchange.Books()) != 0 || exchange.Connection().Topics != 0 {
		t.Errorf("books and connection after the stop = %v, %+v, want no books and topics", exchange.Books(), exchange.Connection())
	}
}

// frames is a sink that a test waits on.
type frames chan string

// Deliver implements venues.FrameSink.
func (f frames) Deliver(frame venues.Frame) { f <- string(frame.Bytes) }

// await takes frames until one starts with the prefix.
func (f frames) await(t *testing.T, prefix string) string {
	t.Helper()
	timeout := time.After(testTimeout)
	for {
		select {
		case frame := <-f:
			if strings.HasPrefix(frame, prefix) {
				return frame
			}
		case <-timeout:
			t.Fatalf("no frame within %s, want %s", testTimeout, prefix)
		}
	}
}

// TestMarketDataOfTheSimulator runs the subtree against Binance's simulator over
// sockets, with a lost message and a restart of the venue.
func TestMarketDataOfTheSimulator(t *testing.T) {
	sim := simulate(t, 1, listen(t))
	system := actors.New(zaptest.NewLogger(t))
	ends := sim.Endpoints()
	exchange, child := root.MarketData(system, binance.New(binance.Sim(ends.RestURL, ends.WsURL)), root.MarketOptions{
		Encoder: jsonFrames{}, Resident: []string{"ETHUSDT"},
	})
	if _, err := system.Start(child); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := system.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	for deadline := time.Now().Add(testTimeout); exchange.Ready() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(exchange.Ready())
		}
	}
	subscribe := func(topic string) frames {
		parsed, _ := venues.ParseTopic(topic)
		f := make(frames, 1<<16)
		if _, err := exchange.Subscribe(t.Context(), parsed, f); err != nil {
			t.Fatalf("subscribe %s: error %v, want none", topic, err)
		}
		return f
	}
	depth := subscribe("book:binance:BTC-USDT-SWAP:20")
	depth.await(t, `{"Type":"snapshot","Seq":1,`)
	depth.await(t, `{"Type":"delta"`)
	subscribe("trades:binance:BTCUSDT").await(t, "update")
	subscribe("kline:binance:BTCUSDT:1m").await(t, "snapshot")
	q, err := exchange.AwaitQuote(t.Context(), "ETHUSDT")
	if err != nil || !q.HasPrice() {
		t.Errorf("quote = %+v, error %v, want a price", q, err)
	}
	lost := simcore.FaultRequest{Match: simcore.FaultMatch{Op: "btcusdt@depth"}, Do: simcore.FaultGap, Times: 1}
	if _, err := sim.Control().AddFault(lost); err != nil {
		t.Fatal(err)
	}
	recovered := func() {
		depth.await(t, `{"Type":"stale"`)
		depth.await(t, `{"Type":"snapshot"`)
		depth.await(t, `{"Type":"delta"`)
	}
	recovered()
	address := strings.TrimPrefix(ends.RestURL, "http://")
	if err := sim.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	simulate(t, 2, again)
	recovered()
	for deadline := time.Now().Add(testTimeout); exchange.Connection().Interruptions == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("connection %+v", exchange.Connection())
		}
	}
	for _, b := range exchange.Books() {
		t.Logf("%+v", b)
	}
}

func simulate(t *testing.T, seed uint64, venue net.Listener) *binancesim.Sim {
	t.Helper()
	sim, err := binancesim.New(binancesim.Options{Setup: simnet.Setup{Seed: seed}})
	if err != nil {
		t.Fatal(err)
	}
	sim.Serve(venue, listen(t))
	t.Cleanup(func() { _ = sim.Close() })
	return sim
}
