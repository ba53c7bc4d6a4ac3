package feed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/wsclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The venue of these tests uses lines of words. Its requests are
//
//	sub 1 book.A,mark.B      unsub 2 book.A
//
// its data is
//
//	# book.A snapshot 7      # book.A 8      # book.A stale      # book.A restarts
//
// and its answers are
//
//	confirmed 1              confirmed 0 book.A      repeated 1
//	rejected 1 why            failed why              ending
type protocol struct{ *venue }

const (
	booksPerConnMax  = 3
	othersPerConnMax = 100
	perRequestMax    = 2
)

func (protocol) Group(c venues.FeedTopic) feed.Group {
	if c.Kind == venues.FeedBook {
		return feed.Group{Path: "/deep", TopicsMax: booksPerConnMax}
	}
	return feed.Group{Path: "/light", TopicsMax: othersPerConnMax}
}

func (p protocol) Link(g feed.Group) wsclient.Options {
	return wsclient.Options{
		URL:  func(context.Context) (string, error) { return "ws://venue" + g.Path, nil },
		Dial: p.dial, Lifetime: p.lifetime,
	}
}

var kinds = map[venues.FeedKind]string{
	venues.FeedBook: "book", venues.FeedTrades: "trades", venues.FeedCandles: "candles", venues.FeedMark: "mark",
}

func (protocol) TopicName(c venues.FeedTopic) string { return kinds[c.Kind] + "." + c.Symbol }

func (protocol) Request(verb feed.Verb, id uint64, topics []string) []byte {
	return fmt.Appendf(nil, "%s %d %s", verb.Pick("sub", "unsub"), id, strings.Join(topics, ","))
}

func (protocol) Split(message []byte) (topic, data []byte, ok bool) {
	if message, ok = bytes.CutPrefix(message, []byte("# ")); !ok {
		return nil, nil, false
	}
	return bytes.Cut(message, []byte(" "))
}

func (protocol) Answer(message []byte) (a feed.Answer, err error) {
	words := strings.SplitN(string(message)+"   ", " ", 4)
	answers := map[string]feed.AnswerKind{
		"confirmed": feed.Confirmed, "repeated": feed.AlreadySubscribed, "rejected": feed.Rejected, "failed": feed.Failed, "ending": feed.Ending, "pong": feed.Ignored,
	}
	kind, known := answers[words[0]]
	if !known {
		return a, errors.New("no answer")
	}
	a.Kind, a.Text = kind, strings.TrimSpace(words[2])
	a.ID, _ = strconv.ParseUint(words[1], 10, 64)
	if kind == feed.Confirmed {
		a.Topic = strings.TrimSpace(words[2])
	}
	return a, nil
}

func (protocol) Decoders() func(venues.FeedTopic, string) feed.Decoder {
	return func(c venues.FeedTopic, topic string) feed.Decoder { return &decoder{channel: c} }
}

func (protocol) Trading(symbol string) bool { return symbol != "HALTED" }

// decoder counts the restarts of its subscription.
type decoder struct {
	channel  venues.FeedTopic
	restarts int
}

var errGarbled = errors.New("garbled")

func (d *decoder) Restart() { d.restarts++ }

func (d *decoder) Decode(data []byte, received time.Time, to *feed.Stream) error {
	text, snapshot := strings.CutPrefix(string(data), "snapshot ")
	switch text {
	case "stale":
		return feed.ErrStale
	case "restarts":
		to.Candle(venues.Candle{Symbol: strconv.Itoa(d.restarts)})
		return nil
	}
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil || received.IsZero() {
		return errGarbled
	}
	switch d.channel.Kind {
	case venues.FeedBook:
		u := venues.NewBookUpdate()
		u.Symbol, u.Snapshot, u.LastSeq = d.channel.Symbol, snapshot, seq
		to.Book(u)
	case venues.FeedTrades:
		to.Trade(venues.Trade{Symbol: d.channel.Symbol, ID: text}, seq)
	case venues.FeedCandles:
		to.Candle(venues.Candle{Symbol: d.channel.Symbol})
	default:
		to.Mark(venues.MarkPrice{Symbol: d.channel.Symbol})
	}
	return nil
}

// venue serves connections over pipes. It confirms every sub unless answering sets
// another answer.
type venue struct {
	lifetime time.Duration
	answer   func(words []string) string

	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	mu       sync.Mutex
	conns    []*peer
	paths    []string
	received []string // with the number of the connection first
	subbedAt map[string][]time.Time
}

func newVenue(t *testing.T) *venue {
	t.Helper()
	v := &venue{subbedAt: make(map[string][]time.Time), answer: func(words []string) string { return "confirmed " + words[1] }}
	v.dial = connectortest.ServePipes(t, v.serve)
	return v
}

func (v *venue) serve(r *http.Request, socket *websocket.Conn) {
	c := &peer{Conn: socket}
	v.mu.Lock()
	v.conns, v.paths = append(v.conns, c), append(v.paths, r.URL.Path)
	number := len(v.conns)
	v.mu.Unlock()
	for {
		_, text, err := c.ReadMessage()
		if err != nil {
			return
		}
		v.mu.Lock()
		v.received = append(v.received, fmt.Sprintf("%d: %s", number, text))
		words, answer := strings.Fields(string(text)), ""
		if words[0] == "sub" {
			v.subbedAt[words[2]] = append(v.subbedAt[words[2]], time.Now())
			answer = v.answer(words)
		}
		v.mu.Unlock()
		if answer != "" {
			c.send(answer)
		}
	}
}

// peer is the venue's end of a connection. Each has its own lock, because messages on a
// successor wait until the feed reads it.
type peer struct {
	*websocket.Conn
	saying sync.Mutex
}

func (p *peer) send(message string) {
	p.saying.Lock()
	defer p.saying.Unlock()
	_ = p.WriteMessage(websocket.TextMessage, []byte(message)) // the test notices what did not arrive
}

// send sends messages on a connection, counted from 1, and waits until they have been
// read.
func (v *venue) send(number int, messages ...string) {
	v.mu.Lock()
	c := v.conns[number-1]
	v.mu.Unlock()
	for _, m := range messages {
		c.send(m)
	}
	synctest.Wait()
}

func (v *venue) cut(number int) {
	v.mu.Lock()
	c := v.conns[number-1]
	v.mu.Unlock()
	c.Close()
	synctest.Wait()
}

// answering changes the venue's answers.
func (v *venue) answering(answer func(words []string) string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer = answer
}

// requests returns the requests since the last call.
func (v *venue) requests() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	received := v.received
	v.received = nil
	return received
}

// subTimes returns when topics were requested together.
func (v *venue) subTimes(topics string) []time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.subbedAt[topics])
}

func (v *venue) connections() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.conns)
}

// sink records its calls.
type sink struct {
	mu     sync.Mutex
	events []string
	onBook func()
}

func (s *sink) record(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

func (s *sink) Book(u *venues.BookUpdate) {
	s.record("book %s %d", u.Symbol, u.LastSeq)
	u.Release()
	if s.onBook != nil {
		s.onBook()
	}
}
func (s *sink) Trade(t venues.Trade)              { s.record("trade %s %s", t.Symbol, t.ID) }
func (s *sink) Candle(c venues.Candle)            { s.record("candle %s", c.Symbol) }
func (s *sink) Mark(m venues.MarkPrice)           { s.record("mark %s", m.Symbol) }
func (s *sink) Resumed(topics []venues.FeedTopic) { s.record("resumed %s", names(topics)) }
func (s *sink) Interrupted(topics []venues.FeedTopic, cause error) {
	s.record("interrupted %s: %v", names(topics), cause)
}

func names(topics []venues.FeedTopic) string {
	all := make([]string, len(topics))
	for n, c := range topics {
		all[n] = protocol{}.TopicName(c)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// take returns the calls since the last time, in order.
func (s *sink) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	s.events = nil
	return events
}

// takeOthers is take without the messages of books.
func (s *sink) takeOthers() []string {
	return slices.DeleteFunc(s.take(), func(event string) bool { return strings.HasPrefix(event, "book") })
}

// bench is a feed on a venue, in a bubble of its own.
type bench struct {
	*testing.T
	*venue
	sink *sink
	feed venues.Feed
}

// play runs a test with a feed; change sets options and the venue before.
func play(t *testing.T, change func(*feed.Options, *venue), run func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v, s := newVenue(t), &sink{}
		o := feed.Options{
			Protocol: protocol{v}, Sink: s, TopicsPerRequestMax: perRequestMax, StreamSnapshots: true, RejectedRetryMax: 4 * time.Minute,
			BookSilenceMax: time.Minute, MarkSilenceMax: 20 * time.Second, Log: zap.NewNop(),
		}
		if change != nil {
			change(&o, v)
		}
		b := &bench{T: t, venue: v, sink: s, feed: feed.Open(o)}
		defer b.feed.Close()
		run(b)
	})
}

// subscribe subscribes and waits until everything that follows immediately has happened.
func (b *bench) subscribe(topics ...string) {
	b.feed.Subscribe(channelsOf(topics)...)
	b.settle()
}

func (b *bench) unsubscribe(topics ...string) {
	b.feed.Unsubscribe(channelsOf(topics)...)
	b.settle()
}

// settle lets paced requests leave, which takes less time than anything else. It ends
// between two ticks.
func (b *bench) settle() {
	time.Sleep(3500 * time.Millisecond)
	synctest.Wait()
}

func channelsOf(topics []string) []venues.FeedTopic {
	all := make([]venues.FeedTopic, len(topics))
	for n, topic := range topics {
		kind, symbol, _ := strings.Cut(topic, ".")
		for k, name := range kinds {
			if name == kind {
				all[n] = venues.FeedTopic{Kind: k, Symbol: symbol}
			}
		}
	}
	return all
}

// expect compares the calls of the sink since the last time with what they should be.
func (b *bench) expect(want ...string) {
	b.Helper()
	if got := b.sink.take(); !slices.Equal(got, want) {
		b.Errorf("sink calls %q, want %q", got, want)
	}
}

// expectRequests compares the requests since the last time with what they should be,
// without pings.
func (b *bench) expectRequests(want ...string) {
	b.Helper()
	if got := b.requests(); !slices.Equal(got, want) {
		b.Errorf("requests %q, want %q", got, want)
	}
}
