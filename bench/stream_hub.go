package bench

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/stream"
	"venuegate/venues"
)

const (
	// hubInFlightMax bounds the frames of a topic that are in flight at saturation: two
	// of the largest writes, so that the next one fills up while one is written.
	hubInFlightMax = 256
	// hubPoll is the interval at which the frames in flight are counted; spinning would
	// take a processor from the subscribers.
	hubPoll = 50 * time.Microsecond
	// hubStallMax bounds the time in which nothing is written.
	hubStallMax = 10 * time.Second
	// hubConnsMax is above the connections of every scenario.
	hubConnsMax = 200_000
)

// hubServer is the service's stream with a feed of its own.
type hubServer struct {
	hub  *stream.Hub
	feed streamFeed
}

func newHubServer() (*hubServer, error) {
	s := &hubServer{feed: streamFeed{topics: map[string]*streamTopic{}}}
	hub, err := stream.New(stream.Deps{Feed: &s.feed, Auth: anyKey{}, Log: zap.NewNop()}, stream.Options{
		Shards: max(1, runtime.GOMAXPROCS(0)-1), ConnsMax: hubConnsMax, ConnsPerKeyMax: hubConnsMax, UnauthenticatedPerAddressMax: hubConnsMax,
		// What is late at saturation is to be counted, not dropped.
		AgeMax: time.Hour,
	})
	s.hub = hub
	return s, err
}

func (s *hubServer) handle(c *fiber.Ctx) error { return s.hub.Handler(c) }

func (s *hubServer) close(ctx context.Context) error { return s.hub.Close(ctx) }

func (s *hubServer) send(ctx context.Context, q *streamRequest) (streamAnswer, error) {
	before := s.hub.Stats()
	// Each subscription of a topic is a delivery of each of its frames.
	begun, published, each := time.Now(), uint64(0), uint64(before.Subscriptions)
	for n := range q.Frames {
		due := time.Now()
		if q.PerSecond > 0 {
			due = begun.Add(time.Duration(float64(n) / q.PerSecond * float64(time.Second)))
			if err := waitUntil(ctx, due); err != nil {
				return streamAnswer{}, err
			}
		} else if err := s.await(before, published, each*hubInFlightMax); err != nil {
			return streamAnswer{}, err
		}
		frame := appendSent(nil, due, q.Bytes)
		for _, topic := range q.Topics {
			s.feed.publish(topic, frame)
		}
		published += each
	}
	var err error
	if q.PerSecond > 0 {
		err = waitUntil(ctx, time.Now().Add(streamSettle))
	} else {
		err = s.await(before, published, 0)
	}
	after := s.hub.Stats()
	return streamAnswer{
		Deliveries: float64(after.Deliveries - before.Deliveries), Writes: float64(after.Writes - before.Writes),
		Dropped: float64(after.Dropped - before.Dropped),
	}, err
}

// await waits until at most that many deliveries of those published are in flight.
func (s *hubServer) await(before stream.Stats, published, most uint64) error {
	done, since := uint64(0), time.Now()
	for {
		now := s.hub.Stats()
		at := now.Deliveries - before.Deliveries + now.Dropped - before.Dropped
		if at+most >= published {
			return nil
		}
		if at != done {
			done, since = at, time.Now()
		}
		if time.Since(since) > hubStallMax {
			return errors.New("the stream writes nothing: a subscriber does not read")
		}
		time.Sleep(hubPoll)
	}
}

// anyKey accepts every key.
type anyKey struct{}

func (anyKey) Authenticate(context.Context, string, netip.Addr) (auth.Principal, error) {
	return auth.Principal{Customer: "cus_bench", KeyID: "key_bench", Scopes: []persistence.Scope{persistence.ScopeRead}}, nil
}

// streamFeed is a feed whose frames the scenario publishes.
type streamFeed struct {
	mu     sync.Mutex
	topics map[string]*streamTopic
}

// streamTopic has one sink for each shard.
type streamTopic struct {
	sinks []venues.FrameSink
	seq   uint64
}

// Subscribe implements stream.Feed.
func (f *streamFeed) Subscribe(_ string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.topics[topic.String()]
	if t == nil {
		t = &streamTopic{}
		f.topics[topic.String()] = t
	}
	t.sinks = append(t.sinks, sink)
	return unending{}, nil
}

// publish sends a frame to the shards.
func (f *streamFeed) publish(topic string, frame []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.topics[topic]
	if t == nil {
		return
	}
	t.seq++
	for _, sink := range t.sinks {
		sink.Deliver(venues.Frame{Topic: topic, Epoch: 1, Seq: t.seq, Bytes: frame})
	}
}

// unending is a subscription that lasts as long as the server.
type unending struct{}

func (unending) Resync() {}
func (unending) Close()  {}
