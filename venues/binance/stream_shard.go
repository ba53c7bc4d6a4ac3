package binance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// namesPerMessageMax keeps control messages small.
	namesPerMessageMax = 100
	// ackTimeout is how long the venue may take to confirm a subscription.
	ackTimeout = 10 * time.Second
	// strikesMax bounds how often the patience with a silent stream doubles.
	strikesMax = 5
)

// Causes of an interruption.
var (
	errStreamSilent = errors.New("stream fell silent")
	errNoAck        = errors.New("subscription was not confirmed")
)

// shard is one public connection with its streams. Two locks: mu guards the
// tables, deliver makes sure that the sink hears one thing at a time.
type shard struct {
	feed     *feed
	category string
	link     *wsclient.Link
	count    int // streams; guarded by feed.mu

	deliver sync.Mutex
	decoder depthDecoder
	reading *wsclient.Conn // whose messages come in; guarded by deliver

	mu      sync.Mutex
	conn    *wsclient.Conn // newest; nil while there is none
	streams map[string]*stream
	pending map[uint64]subscription
	lastID  uint64
}

// subscription is a SUBSCRIBE that waits for its confirmation.
type subscription struct {
	streams []*stream
	sentAt  time.Time
}

// stream is one channel on a shard. Guarded by shard.mu.
type stream struct {
	channel     venues.FeedChannel
	name        string
	venueSymbol string
	// interrupted: the sink was told, or never told otherwise.
	interrupted bool
	// broken: a message could not be decoded; what follows is dropped until the
	// next tick.
	broken  bool
	heardAt time.Time
	strikes int
	// lastSeq is the newest sequence number delivered. While overlapping, after a
	// renewed connection took over, what is not newer is dropped.
	lastSeq     uint64
	overlapping bool
	// scale of the instrument in that catalogue; guarded by shard.deliver.
	scale     venues.Scale
	catalogue *venues.InstrumentSet
}

func newShard(f *feed, category string) *shard {
	s := &shard{feed: f, category: category, streams: make(map[string]*stream), pending: make(map[uint64]subscription)}
	o := f.c.options
	s.link = wsclient.New(wsclient.Options{
		URL:      func(context.Context) (string, error) { return o.StreamURL + category + "/stream", nil },
		Handler:  s,
		Lifetime: o.ConnLifetime, RenewOverlap: o.RenewOverlap,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("category", category)),
	})
	s.link.Start()
	return s
}

// add takes streams in and subscribes them if there is a connection.
func (s *shard) add(streams []*stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range streams {
		s.streams[one.name] = one
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
		name := streamName(channel, s.feed.c.venueSymbol(channel.Symbol))
		if one := s.streams[name]; one != nil {
			delete(s.streams, name)
			gone = append(gone, one)
		}
	}
	if s.conn != nil {
		s.control(s.conn, "UNSUBSCRIBE", gone)
	}
}

// subscribe sends SUBSCRIBE and notes what must be confirmed; mu is held.
func (s *shard) subscribe(c *wsclient.Conn, streams []*stream) {
	for len(streams) > 0 {
		n := min(len(streams), namesPerMessageMax)
		id := s.control(c, "SUBSCRIBE", streams[:n])
		s.pending[id] = subscription{streams: streams[:n], sentAt: time.Now()}
		streams = streams[n:]
	}
}

// control sends one control message; mu is held.
func (s *shard) control(c *wsclient.Conn, method string, streams []*stream) uint64 {
	s.lastID++
	message := struct {
		Method string   `json:"method"`
		Params []string `json:"params"`
		ID     uint64   `json:"id"`
	}{method, make([]string, len(streams)), s.lastID}
	for n, one := range streams {
		message.Params[n] = one.name
	}
	text, err := json.Marshal(message)
	if err != nil {
		panic("binance: control message: " + err.Error()) // strings and a number
	}
	c.Send(text)
	return s.lastID
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
	s.subscribe(c, all)
}

// Lost tells the sink that every stream is interrupted.
func (s *shard) Lost(cause error) {
	s.mu.Lock()
	s.conn = nil
	clear(s.pending)
	var channels []venues.FeedChannel
	for _, one := range s.streams {
		one.strikes, one.overlapping = 0, false
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

// answer handles what is no stream message: confirmations, errors, notices.
func (s *shard) answer(message []byte) {
	var parser fastjson.Parser // rare, and the streams' own may be in use
	o, err := payload.Parse(&parser, message)
	if err != nil {
		s.feed.c.options.Log.Warn("venue stream: message is no JSON object", zap.Error(err))
		return
	}
	switch {
	case o.Has("event"):
		if o.Object("event").OptionalText("e") == "serverShutdown" {
			s.link.Renew()
		}
	case o.Has("error"), o.Has("code"):
		s.link.Reconnect(fmt.Errorf("subscription refused: %s", payload.Bounded(string(message))))
	case o.Has("id"):
		s.confirmed(o.Sequence("id"))
	}
}

// confirmed tells the sink which channels are subscribed again.
func (s *shard) confirmed(id uint64) {
	s.mu.Lock()
	confirmed := s.pending[id]
	delete(s.pending, id)
	now := time.Now()
	var channels []venues.FeedChannel
	for _, one := range confirmed.streams {
		one.heardAt = now
		if one.interrupted && s.streams[one.name] == one {
			one.interrupted, one.broken = false, false
			channels = append(channels, one.channel)
		}
	}
	s.mu.Unlock()
	s.resume(channels)
}
