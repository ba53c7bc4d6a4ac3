package okx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// topicsPerMessageMax keeps control messages far below the venue's 64 KiB.
	topicsPerMessageMax = 100
	// ackTimeout is how long the venue may take to confirm a subscription.
	ackTimeout = 10 * time.Second
	// refusedRetry is when a refused subscription is tried again; each further
	// refusal doubles it.
	refusedRetry = time.Minute
	// brokenRetry is when a stream that was subscribed again and still cannot be
	// decoded is tried once more; each further failure doubles it.
	brokenRetry = time.Second
	// strikesMax bounds how often a patience doubles.
	strikesMax = 5
	// silenceOfConnMax is how long a connection may bring nothing at all, with
	// pings every Options.PingInterval.
	silenceOfConnMax = 45 * time.Second
)

// Causes of an interruption.
var (
	errStreamSilent = errors.New("stream fell silent")
	errNoAck        = errors.New("subscription was not confirmed")
)

// shard is one public connection with its streams. Two locks: mu guards the
// tables, deliver makes sure that the sink hears one thing at a time.
type shard struct {
	feed  *feed
	group group
	link  *wsclient.Link
	count int // streams; guarded by feed.mu

	deliver sync.Mutex
	decoder bookDecoder
	reading *wsclient.Conn // whose messages come in; guarded by deliver

	mu      sync.Mutex
	conn    *wsclient.Conn // newest; nil while there is none
	streams map[topic]*stream
	pending map[uint64]*subscription
	lastID  uint64
}

// subscription is a request that waits for its confirmations, one for each topic.
type subscription struct {
	waiting map[topic]*stream
	sentAt  time.Time
}

// stream is one channel on a shard. Guarded by shard.mu.
type stream struct {
	channel venues.FeedChannel
	topic   topic
	// interrupted: the sink was told, or never told otherwise.
	interrupted bool
	// broken: a message could not be decoded; what follows is dropped until the
	// stream is subscribed again.
	broken  bool
	heardAt time.Time
	strikes int
	// retryAt is when a broken or refused subscription is tried again; zero if it
	// stands. faults counts the messages since the last good one.
	retryAt time.Time
	faults  int
	// synced: the book's snapshot has come; what comes before it is of an older
	// subscription.
	synced bool
	// lastID is the newest trade delivered. While overlapping, after a renewed
	// connection took over, what is not newer is dropped.
	lastID      uint64
	overlapping bool
}

func newShard(f *feed, g group) *shard {
	s := &shard{feed: f, group: g, streams: make(map[topic]*stream), pending: make(map[uint64]*subscription)}
	s.link = wsclient.New(f.c.linkOptions(g.path, s))
	s.link.Start()
	return s
}

// linkOptions are those of every connection to the venue. It wants to hear the
// text "ping" and cuts a connection only for maintenance, of which it warns.
func (c *Connector) linkOptions(path string, h wsclient.Handler) wsclient.Options {
	o := c.options
	return wsclient.Options{
		URL:          func(context.Context) (string, error) { return o.StreamURL + path, nil },
		Handler:      h,
		Ping:         []byte("ping"),
		PingInterval: o.PingInterval, SilenceMax: silenceOfConnMax, RenewOverlap: o.RenewOverlap,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("path", path)),
	}
}

// add takes streams in and subscribes them if there is a connection.
func (s *shard) add(streams []*stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range streams {
		s.streams[one.topic] = one
	}
	if s.conn != nil {
		s.subscribe(s.conn, streams)
	}
}

func (s *shard) remove(channels []venues.FeedChannel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []*stream
	for _, channel := range channels {
		for name, one := range s.streams {
			if one.channel == channel {
				delete(s.streams, name)
				gone = append(gone, one)
			}
		}
	}
	if s.conn != nil && len(gone) > 0 {
		s.control(s.conn, "unsubscribe", gone)
	}
}

// subscribe asks for streams and notes what must be confirmed; mu is held.
func (s *shard) subscribe(c *wsclient.Conn, streams []*stream) {
	for len(streams) > 0 {
		n := min(len(streams), topicsPerMessageMax)
		waiting := make(map[topic]*stream, n)
		for _, one := range streams[:n] {
			one.retryAt = time.Time{}
			waiting[one.topic] = one
		}
		id := s.control(c, "subscribe", streams[:n])
		s.pending[id] = &subscription{waiting: waiting, sentAt: time.Now()}
		streams = streams[n:]
	}
}

// control sends one control message; mu is held.
func (s *shard) control(c *wsclient.Conn, op string, streams []*stream) uint64 {
	s.lastID++
	message := struct {
		ID   string  `json:"id"`
		Op   string  `json:"op"`
		Args []topic `json:"args"`
	}{strconv.FormatUint(s.lastID, 10), op, make([]topic, len(streams))}
	for n, one := range streams {
		message.Args[n] = one.topic
	}
	text, err := json.Marshal(message)
	if err != nil {
		panic("okx: control message: " + err.Error()) // strings alone
	}
	c.Send(text)
	return s.lastID
}

// Opened subscribes everything on a new connection. On a successor the streams
// stay in step: its messages are read once the old connection is closed.
func (s *shard) Opened(c *wsclient.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
	clear(s.pending)
	all := make([]*stream, 0, len(s.streams))
	for _, one := range s.streams {
		all = append(all, one)
	}
	s.subscribe(c, all)
}

// restart subscribes streams anew, for books so that they begin with a snapshot;
// mu is held and there is a connection.
func (s *shard) restart(streams []*stream) {
	if len(streams) == 0 {
		return
	}
	for _, one := range streams {
		one.synced = false
	}
	s.control(s.conn, "unsubscribe", streams)
	s.subscribe(s.conn, streams)
}

// Lost tells the sink that every stream is interrupted.
func (s *shard) Lost(cause error) {
	s.mu.Lock()
	s.conn = nil
	clear(s.pending)
	var channels []venues.FeedChannel
	for _, one := range s.streams {
		one.strikes, one.overlapping, one.synced = 0, false, false
		if !one.interrupted {
			one.interrupted = true
			channels = append(channels, one.channel)
		}
	}
	s.mu.Unlock()
	s.interrupt(channels, cause)
}

func (s *shard) interrupt(channels []venues.FeedChannel, cause error) {
	if len(channels) == 0 {
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.feed.sink.Interrupted(channels, cause)
}

func (s *shard) resume(channels []venues.FeedChannel) {
	if len(channels) == 0 {
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.feed.sink.Resumed(channels)
}

// answer handles what is no push: confirmations, errors, notices, pongs.
func (s *shard) answer(message []byte) {
	if string(message) == "pong" {
		return
	}
	var parser fastjson.Parser // rare, and the streams' own may be in use
	o, err := payload.Parse(&parser, message)
	if err != nil {
		s.feed.c.options.Log.Warn("venue stream: message is no JSON object", zap.Error(err))
		return
	}
	id, _ := strconv.ParseUint(o.OptionalText("id"), 10, 64)
	switch o.OptionalText("event") {
	case "subscribe":
		if arg := o.Value().Get("arg"); arg != nil {
			a := payload.Of(arg)
			s.confirmed(topic{Channel: a.OptionalText("channel"), InstID: a.OptionalText("instId")})
		}
	case "notice":
		s.link.Renew()
	case "error":
		s.refused(id, fmt.Errorf("subscription refused: %s", payload.Bounded(string(message))))
	}
}

// confirmed notes that a topic is subscribed.
func (s *shard) confirmed(name topic) {
	s.mu.Lock()
	for id, p := range s.pending {
		delete(p.waiting, name)
		if len(p.waiting) == 0 {
			delete(s.pending, id)
		}
	}
	one := s.streams[name]
	resumed := one != nil && one.interrupted
	if one != nil {
		one.heardAt, one.retryAt = time.Now(), time.Time{}
		one.interrupted, one.broken = false, false
	}
	s.mu.Unlock()
	if resumed {
		s.resume([]venues.FeedChannel{one.channel})
	}
}

// refused handles an error of the venue. It names no topic: what waits is asked
// for one by one, so that one bad name spoils nothing but itself.
func (s *shard) refused(id uint64, cause error) {
	s.feed.c.options.Log.Warn("venue stream: refusal", zap.Error(cause))
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[id]
	if p == nil || s.conn == nil {
		return
	}
	delete(s.pending, id)
	for _, one := range p.waiting {
		if len(p.waiting) > 1 {
			s.subscribe(s.conn, []*stream{one})
			continue
		}
		one.retryAt = time.Now().Add(refusedRetry << min(one.strikes, strikesMax))
		one.strikes++
	}
}
