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
	errSilent   = errors.New("no messages on the stream")
	errNoAck    = errors.New("subscription was not confirmed")
	errRejected = errors.New("subscription was rejected")
)

// shard is one connection with its streams.
type shard struct {
	options  *Options
	protocol Protocol
	group    Group
	link     *wsclient.Link
	count    int // streams; guarded by feed.mu

	// deliver is held during each call of the sink, from before the decision to call it,
	// so that calls are made in the order of their causes. It is locked before mu.
	deliver    sync.Mutex
	newDecoder func(venues.FeedTopic, string) Decoder // guarded by feed.mu
	reading    *wsclient.Conn                         // connection whose messages are read; guarded by deliver

	mu      sync.Mutex
	conn    *wsclient.Conn     // newest; nil while there is none
	streams map[string]*Stream // by name
	pending map[uint64]*request
	lastID  uint64
}

// request is a Subscribe that is not confirmed yet.
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

func (s *shard) newStream(topic venues.FeedTopic) *Stream {
	name := s.protocol.TopicName(topic)
	return &Stream{shard: s, topic: topic, name: name, decoder: s.newDecoder(topic, name), interrupted: true}
}

// Opened subscribes everything on a new connection.
func (s *shard) Opened(c *wsclient.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
	clear(s.pending) // their topics are requested again
	all := slices.SortedFunc(maps.Values(s.streams), func(a, b *Stream) int { return strings.Compare(a.name, b.name) })
	s.subscribe(all, s.options.TopicsPerRequestMax)
}

// Lost reports to the sink that every stream is interrupted. Nothing is known to overlap
// with the next connection.
func (s *shard) Lost(cause error) {
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.reading = nil
	s.mu.Lock()
	s.conn = nil
	clear(s.pending)
	var topics []venues.FeedTopic
	for _, stream := range s.streams {
		stream.activity.misses, stream.rejections = 0, 0
		if !stream.interrupted {
			stream.interrupted = true
			topics = append(topics, stream.topic)
		}
	}
	s.mu.Unlock()
	s.interrupt(topics, cause)
}

// Message passes one message to the sink.
func (s *shard) Message(c *wsclient.Conn, message []byte) {
	name, data, ok := s.protocol.Split(message)
	if !ok {
		s.answer(c, message)
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	received := time.Now()
	stream, before := s.arrived(c, name, received)
	if stream == nil {
		return // unsubscribed meanwhile, or broken
	}
	switch err := stream.decoder.Decode(data, received, stream); {
	case err == nil:
		stream.decodeErrors = 0
	case errors.Is(err, ErrStale):
		s.mu.Lock()
		stream.activity = before
		s.mu.Unlock()
	default:
		s.decodeFailed(stream, received, err)
	}
}

// arrived returns the stream of a message and records its activity; before is the
// activity until then. deliver is held.
func (s *shard) arrived(c *wsclient.Conn, name []byte, now time.Time) (stream *Stream, before activity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != c {
		s.switchConn(s.reading != nil)
		s.reading = c
	}
	stream = s.streams[string(name)]
	if stream == nil || stream.broken {
		return nil, before
	}
	if stream.restarted {
		stream.restarted = false
		stream.decoder.Restart()
	}
	before, stream.activity = stream.activity, activity{receivedAt: now}
	return stream, before
}

// switchConn begins to read another connection. Streams that were not interrupted
// overlap: the new connection repeats what the old one has brought.
func (s *shard) switchConn(renewed bool) {
	for _, stream := range s.streams {
		stream.restarted = true
		stream.overlapping = renewed && !stream.interrupted && stream.lastSeq > 0
	}
}

// decodeFailed drops the messages of a stream until it is restored: at the next tick, and
// after a growing wait if that does not help. deliver is held.
func (s *shard) decodeFailed(stream *Stream, now time.Time, cause error) {
	s.mu.Lock()
	stream.broken, stream.interrupted, stream.retryAt = true, true, now
	if stream.decodeErrors > 0 {
		stream.retryAt = now.Add(doubled(brokenRetry, stream.decodeErrors-1))
	}
	stream.decodeErrors++
	s.mu.Unlock()
	s.options.Log.Error("venue stream: undecodable message", zap.String("topic", stream.name), zap.Error(cause))
	s.options.Sink.Interrupted([]venues.FeedTopic{stream.topic}, fmt.Errorf("stream %s: %w", stream.name, cause))
}

// interrupt reports interrupted topics to the sink; deliver is held.
func (s *shard) interrupt(topics []venues.FeedTopic, cause error) {
	if len(topics) > 0 {
		s.options.Sink.Interrupted(topics, cause)
	}
}

// resume reports resumed topics to the sink; deliver is held.
func (s *shard) resume(topics []venues.FeedTopic) {
	if len(topics) > 0 {
		s.options.Sink.Resumed(topics)
	}
}
