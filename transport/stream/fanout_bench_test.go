package stream_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/stream"
	"venuegate/venues"
)

// The benchmarks compare the hub with a loop that makes the same system calls and
// nothing else: one net.Conn.Write of 16 joined frames per socket. Both have the same
// readers, alternate, and run in one process, so only their ratio is meaningful.

const (
	// batch is the number of frames that the raw loop joins.
	batch = 16
	// inFlightMax bounds the frames in flight to the hub: one batch is written while the
	// next one arrives.
	inFlightMax = 2 * batch
	// turn is the number of batches that one side writes before they alternate.
	turn = 8
	// pollInterval is short compared with a batch for 1000 sockets.
	pollInterval = 50 * time.Microsecond
)

// manualFeed is a Feed whose frames the benchmark publishes.
type manualFeed struct {
	mu    sync.Mutex
	sinks map[string]*manualTopic
}

type manualTopic struct {
	sinks []venues.FrameSink
	seq   uint64
}

func (f *manualFeed) Subscribe(_ string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sinks == nil {
		f.sinks = make(map[string]*manualTopic)
	}
	if f.sinks[topic.String()] == nil {
		f.sinks[topic.String()] = new(manualTopic)
	}
	t := f.sinks[topic.String()]
	t.sinks = append(t.sinks, sink)
	return noSubscription{}, nil
}

func (f *manualFeed) publish(topic string, payload []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.sinks[topic]
	t.seq++
	for _, sink := range t.sinks {
		sink.Deliver(venues.Frame{Topic: topic, Epoch: 1, Seq: t.seq, Bytes: payload})
	}
}

type noSubscription struct{}

func (noSubscription) Resync() {}
func (noSubscription) Close()  {}

// drain reads a connection until it ends, and adds the bytes read to total.
func drain(conn net.Conn, total *atomic.Int64) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := conn.Read(buffer)
		total.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// rawSockets are the connections of the raw loop.
type rawSockets struct {
	conns []net.Conn
	batch []byte
}

func newRawSockets(b *testing.B, n, frameBytes int) *rawSockets {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	r := &rawSockets{batch: make([]byte, batch*frameBytes)}
	var ignored atomic.Int64
	for range n {
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		server, err := l.Accept()
		if err != nil {
			b.Fatal(err)
		}
		go drain(client, &ignored)
		r.conns = append(r.conns, server)
		b.Cleanup(func() { _, _ = client.Close(), server.Close() })
	}
	return r
}

// write makes one write to each connection.
func (r *rawSockets) write(b *testing.B) {
	for _, conn := range r.conns {
		if _, err := conn.Write(r.batch); err != nil {
			b.Fatal(err)
		}
	}
}

// readers is a hub with subscribers that read everything.
type readers struct {
	*server
	manual  *manualFeed
	topics  []string
	payload []byte
	// subscriptions is the number of deliveries of one frame of every topic, published
	// the number of deliveries so far, base what the hub had delivered before.
	subscriptions uint64
	published     uint64
	base          uint64
}

// newReaders connects n subscribers; topicsOf returns the topics of each.
func newReaders(b *testing.B, n, payloadBytes int, options stream.Options, topics []string, topicsOf func(i int) []string) *readers {
	b.Helper()
	a := &readers{manual: new(manualFeed), topics: topics, payload: []byte(strings.Repeat("x", payloadBytes))}
	options.ConnsPerKeyMax = 2 * n
	a.server = newServerOver(b, a.manual, options, true, func(app *fiber.App) { app.Server().ReadBufferSize = 4096 })
	var ignored atomic.Int64
	for i := range n {
		c := a.login("alice")
		list := topicsOf(i)
		c.subscribe(list...)
		a.subscriptions += uint64(len(list))
		go drain(c.ws.NetConn(), &ignored)
	}
	eventually(b, "every reply is written", func() bool { return a.hub.Stats().Deliveries == uint64(3*n) })
	a.base = a.hub.Stats().Deliveries
	return a
}

// publish sends frames of every topic in turn, with at most inFlightMax frames per
// topic in flight. It returns when all are written.
func (a *readers) publish(frames int) {
	for range frames {
		a.await(uint64(inFlightMax-1) * a.subscriptions)
		for _, topic := range a.topics {
			a.manual.publish(topic, a.payload)
		}
		a.published += a.subscriptions
	}
	a.await(0)
}

// await waits until at most that many deliveries are in flight. It polls at an
// interval, because spinning would take a core from the readers.
func (a *readers) await(most uint64) {
	for a.inFlight() > most {
		time.Sleep(pollInterval)
	}
}

// inFlight returns the number of deliveries in flight.
func (a *readers) inFlight() uint64 { return a.published - (a.hub.Deliveries() - a.base) }

// compare measures both sides alternately.
func compare(b *testing.B, a *readers, raw *rawSockets, deliveriesOfRaw int) {
	var hubTime, rawTime time.Duration
	var hubDeliveries, rawDeliveries, mallocs uint64
	var before, after runtime.MemStats
	for b.Loop() {
		start := time.Now()
		for range turn {
			raw.write(b)
		}
		rawTime += time.Since(start)
		rawDeliveries += uint64(turn * deliveriesOfRaw)

		runtime.ReadMemStats(&before)
		start = time.Now()
		a.publish(turn * batch)
		hubTime += time.Since(start)
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		hubDeliveries += uint64(turn*batch) * a.subscriptions
	}
	stats := a.hub.Stats()
	if stats.Conflations > 0 || stats.Overruns > 0 {
		b.Errorf("stats = %+v, want no conflations and no overruns: the readers were too slow", stats)
	}
	rawNs := float64(rawTime) / float64(rawDeliveries)
	hubNs := float64(hubTime) / float64(hubDeliveries)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rawNs, "raw-ns/delivery")
	b.ReportMetric(hubNs, "hub-ns/delivery")
	b.ReportMetric(rawNs/hubNs, "hub/raw")
	b.ReportMetric(float64(mallocs)/float64(hubDeliveries), "allocs/delivery")
	b.ReportMetric(float64(stats.Deliveries)/float64(stats.Writes), "frames/write")
	b.ReportMetric(float64(stats.SlowWrites), "slow-writes")
}

// BenchmarkFanout measures one topic with 1000 subscribers.
func BenchmarkFanout(b *testing.B) {
	const subscribers = 1000
	for _, payloadBytes := range []int{200, 1000} {
		b.Run(fmt.Sprintf("%dB", payloadBytes), func(b *testing.B) {
			raw := newRawSockets(b, subscribers, payloadBytes+4)
			topics := []string{"trades:okx:BTCUSDT"}
			a := newReaders(b, subscribers, payloadBytes, stream.Options{Shards: 1}, topics, func(int) []string { return topics })
			compare(b, a, raw, batch*subscribers)
		})
	}
}

// BenchmarkFanoutMixed measures 200 topics with 1000 subscribers, each of 20 random
// ones, so that few of them receive the same bytes.
func BenchmarkFanoutMixed(b *testing.B) {
	const subscribers, payloadBytes = 1000, 200
	var topics []string
	for i := range 200 {
		topics = append(topics, fmt.Sprintf("trades:okx:C%dUSDT", i))
	}
	random := rand.New(rand.NewPCG(1, 2))
	raw := newRawSockets(b, subscribers, payloadBytes+4)
	a := newReaders(b, subscribers, payloadBytes, stream.Options{Shards: 1}, topics, func(int) []string {
		list := make([]string, 0, 20)
		for _, i := range random.Perm(len(topics))[:20] {
			list = append(list, topics[i])
		}
		return list
	})
	compare(b, a, raw, batch*subscribers)
}
