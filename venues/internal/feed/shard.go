package feed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Causes of an interruption.
var (
	errSilent  = errors.New("stream fell silent")
	errNoAck   = errors.New("subscription was not confirmed")
	errRefused = errors.New("subscription was refused")
)

// shard is one connection with its streams.
type shard struct {
	options  *Options
	protocol Protocol
	group    Group
	link     *wsclient.Link
	count    int // streams; guarded by feed.mu

	// deliver is held for whatever the sink is told, from before it is decided, so that
	// it is told in the order in which it happened; it is taken before mu.
	deliver    sync.Mutex
	newDecoder func(venues.FeedChannel, string) Decoder // guarded by feed.mu
	reading    *wsclient.Conn                           // whose messages come in; guarded by deliver

	mu      sync.Mutex
	conn    *wsclient.Conn     // newest; nil while there is none
	streams map[string]*Stream // by topic
	pending map[uint64]*request
	lastID  uint64
}

// request is a Subscribe that waits for its confirmation.
type request struct {
	waiting []*Stream
	sentAt  time.Time
}

func newShard(o *Options) *shard {
	return &shard{
		options: o, protocol: o.Protocol, newDecoder: o.Protocol.Decoders(),
		streams: make(map[string]*Stream), pending: make(map[uint64]*request),
	}
}

func (s *shard) dial(g Group) {
	s.group = g
	o := s.protocol.Link(g)
	o.Handler = s
	s.link = wsclient.New(o)
	s.link.Start()
}

func (s *shard) newStream(channel venues.FeedChannel) *Stream {
	topic := s.protocol.Topic(channel)
	return &Stream{home: s, channel: channel, topic: topic, decoder: s.newDecoder(channel, topic), interrupted: true}
}

// Opened subscribes everything on a new connection.
func (s *shard) Opened(c *wsclient.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
	clear(s.pending) // what they ask for is asked for once more
	all := slices.SortedFunc(maps.Values(s.streams), func(a, b *Stream) int { return strings.Compare(a.topic, b.topic) })
	s.subscribe(all, s.options.TopicsPerRequestMax)
}

// Lost tells the sink that every stream is interrupted. The next connection takes
// over from nothing.
func (s *shard) Lost(cause error) {
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.reading = nil
	s.mu.Lock()
	s.conn = nil
	clear(s.pending)
	var channels []venues.FeedChannel
	for _, one := range s.streams {
		one.life.strikes, one.refusals = 0, 0
		if !one.interrupted {
			one.interrupted = true
			channels = append(channels, one.channel)
		}
	}
	s.mu.Unlock()
	s.interrupt(channels, cause)
}

// Message passes one message to the sink.
func (s *shard) Message(c *wsclient.Conn, message []byte) {
	topic, data, ok := s.protocol.Split(message)
	if !ok {
		s.answer(c, message)
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	received := time.Now()
	one, before := s.arrived(c, topic, received)
	if one == nil {
		return // unsubscribed meanwhile, or broken
	}
	switch err := one.decoder.Decode(data, received, one); {
	case err == nil:
		one.faults = 0
	case errors.Is(err, ErrStale):
		s.mu.Lock()
		one.life = before
		s.mu.Unlock()
	default:
		s.fault(one, received, err)
	}
}

// arrived finds the stream of a message and notes that it lives; before is its life
// until then. deliver is held.
func (s *shard) arrived(c *wsclient.Conn, topic []byte, now time.Time) (one *Stream, before life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != c {
		s.takeOver(s.reading != nil)
		s.reading = c
	}
	one = s.streams[string(topic)]
	if one == nil || one.broken {
		return nil, before
	}
	if one.restarted {
		one.restarted = false
		one.decoder.Restart()
	}
	before, one.life = one.life, life{heardAt: now}
	return one, before
}

// takeOver begins to read another connection. Streams that were never interrupted
// overlap: their messages go on where the old connection stopped.
func (s *shard) takeOver(renewed bool) {
	for _, one := range s.streams {
		one.restarted = true
		one.overlapping = renewed && !one.interrupted && one.lastSeq > 0
	}
}

// fault silences a stream until it is mended: at the next tick, and later and later
// if that does not help. deliver is held.
func (s *shard) fault(one *Stream, now time.Time, cause error) {
	s.mu.Lock()
	one.broken, one.interrupted, one.retryAt = true, true, now
	if one.faults > 0 {
		one.retryAt = now.Add(patience(brokenRetry, one.faults-1))
	}
	one.faults++
	s.mu.Unlock()
	s.options.Log.Error("venue stream: undecodable message", zap.String("topic", one.topic), zap.Error(cause))
	s.options.Sink.Interrupted([]venues.FeedChannel{one.channel}, fmt.Errorf("stream %s: %w", one.topic, cause))
}

// interrupt tells the sink of channels; deliver is held.
func (s *shard) interrupt(channels []venues.FeedChannel, cause error) {
	if len(channels) > 0 {
		s.options.Sink.Interrupted(channels, cause)
	}
}

// resume tells the sink of channels; deliver is held.
func (s *shard) resume(channels []venues.FeedChannel) {
	if len(channels) > 0 {
		s.options.Sink.Resumed(channels)
	}
}
