package bybit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// topicsPerMessageMax keeps control messages small.
	topicsPerMessageMax = 50
	// ackTimeout is how long the venue may take to confirm a subscription.
	ackTimeout = 10 * time.Second
	// refusedRetry is when a stream that the venue does not know is asked for
	// again: a new listing begins to speak some day.
	refusedRetry = time.Minute
	// strikesMax bounds how often the patience with a silent stream doubles.
	strikesMax = 5
)

// heartbeat is what the venue wants to hear on every connection.
const heartbeat = `{"op":"ping"}`

// Causes of an interruption.
var (
	errStreamSilent = errors.New("stream fell silent")
	errNoAck        = errors.New("subscription was not confirmed")
	errRefused      = errors.New("subscription was refused")
)

// shard is one public connection with its streams. Two locks: mu guards the
// tables, deliver makes sure that the sink hears one thing at a time.
type shard struct {
	feed  *feed
	link  *wsclient.Link
	count int // streams; guarded by feed.mu

	deliver sync.Mutex
	decoder bookDecoder

	mu      sync.Mutex
	conn    *wsclient.Conn     // nil while there is none
	streams map[string]*stream // by topic
	pending map[uint64]subscription
	lastID  uint64
}

// subscription is a subscribe message that waits for its confirmation.
type subscription struct {
	streams []*stream
	sentAt  time.Time
}

// stream is one channel on a shard. Guarded by shard.mu.
type stream struct {
	channel     venues.FeedChannel
	topic       string
	venueSymbol string
	// interrupted: the sink was told, or never told otherwise.
	interrupted bool
	// broken: a message could not be decoded; what follows is dropped until the
	// next tick subscribes anew.
	broken bool
	// refusedAt is when the venue refused the stream; zero otherwise.
	refusedAt time.Time
	heardAt   time.Time
	strikes   int
	// scale of the instrument in that catalogue; guarded by shard.deliver.
	scale     venues.Scale
	catalogue *venues.InstrumentSet
}

func newShard(f *feed) *shard {
	s := &shard{feed: f, streams: make(map[string]*stream), pending: make(map[uint64]subscription)}
	o := f.c.options
	s.link = wsclient.New(wsclient.Options{
		URL:     func(context.Context) (string, error) { return o.StreamURL + streamPath, nil },
		Handler: s,
		Ping:    []byte(heartbeat), PingInterval: o.PingInterval,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("stream", "public")),
	})
	s.link.Start()
	return s
}

// add takes streams in and subscribes them if there is a connection.
func (s *shard) add(streams []*stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range streams {
		s.streams[one.topic] = one
	}
	s.subscribe(streams)
}

func (s *shard) remove(channels []venues.FeedChannel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []*stream
	for _, channel := range channels {
		topic := topicName(channel, s.feed.c.venueSymbol(channel.Symbol))
		if one := s.streams[topic]; one != nil {
			delete(s.streams, topic)
			gone = append(gone, one)
		}
	}
	s.unsubscribe(gone)
}

// subscribe asks for streams in messages of many and notes what must be
// confirmed; mu is held.
func (s *shard) subscribe(streams []*stream) {
	s.subscribeBy(topicsPerMessageMax, streams)
}

func (s *shard) subscribeBy(size int, streams []*stream) {
	if s.conn == nil {
		return
	}
	for len(streams) > 0 {
		n := min(len(streams), size)
		id := s.control("subscribe", streams[:n])
		s.pending[id] = subscription{streams: streams[:n], sentAt: time.Now()}
		streams = streams[n:]
	}
}

// unsubscribe needs no confirmation; mu is held.
func (s *shard) unsubscribe(streams []*stream) {
	for s.conn != nil && len(streams) > 0 {
		n := min(len(streams), topicsPerMessageMax)
		s.control("unsubscribe", streams[:n])
		streams = streams[n:]
	}
}

// control sends one control message; mu is held.
func (s *shard) control(op string, streams []*stream) uint64 {
	s.lastID++
	topics := make([]string, len(streams))
	for n, one := range streams {
		topics[n] = one.topic
	}
	s.conn.Send(controlMessage(strconv.FormatUint(s.lastID, 10), op, topics))
	return s.lastID
}

// controlMessage is a message of ours on any stream connection.
func controlMessage[T any](id, op string, args []T) []byte {
	text, err := json.Marshal(struct {
		ID   string `json:"req_id"`
		Op   string `json:"op"`
		Args []T    `json:"args"`
	}{id, op, args})
	if err != nil {
		panic("bybit: control message: " + err.Error()) // texts and numbers
	}
	return text
}

// Opened subscribes everything on a new connection.
func (s *shard) Opened(c *wsclient.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
	all := make([]*stream, 0, len(s.streams))
	for _, one := range s.streams {
		all = append(all, one)
	}
	s.subscribe(all)
}

// Lost tells the sink that every stream is interrupted.
func (s *shard) Lost(cause error) {
	s.mu.Lock()
	s.conn = nil
	clear(s.pending)
	var channels []venues.FeedChannel
	for _, one := range s.streams {
		one.strikes = 0
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

// answer handles what is no stream message: confirmations, refusals, pongs. The
// venue may answer in plain text.
func (s *shard) answer(message []byte) {
	var parser fastjson.Parser // rare, and the streams' own may be in use
	o, err := payload.Parse(&parser, message)
	if err != nil {
		s.feed.c.options.Log.Warn("venue stream: message is no JSON object", zap.Error(err))
		return
	}
	if o.OptionalText("op") != "subscribe" {
		return
	}
	id, err := strconv.ParseUint(o.OptionalText("req_id"), 10, 64)
	if err != nil {
		return // not of ours; what is missing a confirmation is noticed
	}
	s.mu.Lock()
	streams := s.pending[id].streams
	delete(s.pending, id)
	s.mu.Unlock()
	text := o.OptionalText("ret_msg")
	switch {
	case o.Flag("success"):
		s.confirmed(streams)
	case len(streams) == 1 && strings.Contains(text, "already subscribed"):
		s.confirmed(streams)
	default:
		s.refused(streams, text)
	}
}

// confirmed tells the sink which channels are subscribed again.
func (s *shard) confirmed(streams []*stream) {
	s.mu.Lock()
	now := time.Now()
	var channels []venues.FeedChannel
	for _, one := range streams {
		one.heardAt = now
		if one.interrupted && s.streams[one.topic] == one {
			one.interrupted, one.broken, one.refusedAt = false, false, time.Time{}
			channels = append(channels, one.channel)
		}
	}
	s.mu.Unlock()
	s.resume(channels)
}

// refused finds the culprit: one bad topic fails the whole message, so each is
// asked for alone.
func (s *shard) refused(streams []*stream, text string) {
	s.mu.Lock()
	if len(streams) > 1 {
		s.subscribeBy(1, streams)
		s.mu.Unlock()
		return
	}
	var channels []venues.FeedChannel
	for _, one := range streams {
		one.refusedAt, one.interrupted = time.Now(), true
		channels = append(channels, one.channel)
	}
	s.mu.Unlock()
	s.feed.c.options.Log.Warn("venue stream: subscription refused", zap.String("message", payload.Bounded(text)))
	s.interrupt(channels, fmt.Errorf("%w: %s", errRefused, payload.Bounded(text)))
}
