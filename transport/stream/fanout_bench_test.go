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

// The benchmarks compare the hub with a loop of writes that does the same system
// calls and nothing else: 16 frames joined beforehand, one net.Conn.Write for
// each of as many sockets. Both have the same readers, take turns, and run in
// one process, so only their ratio means anything.

const (
	// batch is how many frames the raw loop joins.
	batch = 16
	// window is how many frames are under way to the hub at most: one batch is
	// written while the next one comes in.
	window = 2 * batch
	// turn is how many batches one side writes before it is the other's turn.
	turn = 8
	// pollInterval is short against a batch for 1000 sockets.
	pollInterval = 50 * time.Microsecond
)

// tap is a Feed whose topics are fed by hand.
type tap struct {
	mu    sync.Mutex
	sinks map[string]*tapTopic
}

type tapTopic struct {
	sinks []venues.FrameSink
	seq   uint64
}

func (f *tap) Subscribe(_ string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sinks == nil {
		f.sinks = make(map[string]*tapTopic)
	}
	if f.sinks[topic.String()] == nil {
		f.sinks[topic.String()] = new(tapTopic)
	}
	t := f.sinks[topic.String()]
	t.sinks = append(t.sinks, sink)
	return noSubscription{}, nil
}

func (f *tap) publish(channel string, payload []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.sinks[channel]
	t.seq++
	for _, sink := range t.sinks {
		sink.Deliver(venues.Frame{Topic: channel, Epoch: 1, Seq: t.seq, Bytes: payload})
	}
}

type noSubscription struct{}

func (noSubscription) Resync() {}
func (noSubscription) Close()  {}

// drain reads a connection to its end, and adds what it read to total.
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

// rawSockets are connections that a loop writes.
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

// write makes one write to each.
func (r *rawSockets) write(b *testing.B) {
	for _, conn := range r.conns {
		if _, err := conn.Write(r.batch); err != nil {
			b.Fatal(err)
		}
	}
}

// audience is a hub with subscribers who read everything.
type audience struct {
	*server
	tap      *tap
	channels []string
	payload  []byte
	// subscriptions is how many deliveries a frame of every channel is,
	// published how many there were, base what the hub had written before.
	subscriptions uint64
	published     uint64
	base          uint64
}

// newAudience connects n subscribers; channelsOf says what each is subscribed
// to.
func newAudience(b *testing.B, n, payloadBytes int, options stream.Options, channels []string, channelsOf func(i int) []string) *audience {
	b.Helper()
	a := &audience{tap: new(tap), channels: channels, payload: []byte(strings.Repeat("x", payloadBytes))}
	options.ConnsPerKeyMax = 2 * n
	a.server = newServerOver(b, a.tap, options, true, func(app *fiber.App) { app.Server().ReadBufferSize = 4096 })
	var ignored atomic.Int64
	for i := range n {
		c := a.login("alice")
		list := channelsOf(i)
		c.subscribe(list...)
		a.subscriptions += uint64(len(list))
		go drain(c.ws.NetConn(), &ignored)
	}
	eventually(b, "every answer is written", func() bool { return a.hub.Stats().Deliveries == uint64(3*n) })
	a.base = a.hub.Stats().Deliveries
	return a
}

// publish sends frames of every channel in turn, with at most window frames per
// channel under way. It ends when all are written.
func (a *audience) publish(frames int) {
	for range frames {
		a.await(uint64(window-1) * a.subscriptions)
		for _, channel := range a.channels {
			a.tap.publish(channel, a.payload)
		}
		a.published += a.subscriptions
	}
	a.await(0)
}

// await waits until at most so many deliveries are under way. It looks now and
// then instead of spinning, which would take a core from the readers.
func (a *audience) await(most uint64) {
	for a.under() > most {
		time.Sleep(pollInterval)
	}
}

// under is how many deliveries are under way.
func (a *audience) under() uint64 { return a.published - (a.hub.Deliveries() - a.base) }

// compare measures both sides in turns.
func compare(b *testing.B, a *audience, raw *rawSockets, deliveriesOfRaw int) {
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
		b.Errorf("the readers were outrun: %+v", stats)
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

// BenchmarkFanout: one channel, 1000 subscribers.
func BenchmarkFanout(b *testing.B) {
	const subscribers = 1000
	for _, payloadBytes := range []int{200, 1000} {
		b.Run(fmt.Sprintf("%dB", payloadBytes), func(b *testing.B) {
			raw := newRawSockets(b, subscribers, payloadBytes+4)
			channels := []string{"trades:okx:BTCUSDT"}
			a := newAudience(b, subscribers, payloadBytes, stream.Options{Shards: 1}, channels, func(int) []string { return channels })
			compare(b, a, raw, batch*subscribers)
		})
	}
}

// BenchmarkFanoutMixed: 200 channels, 1000 subscribers, each of its own 20, so
// that hardly two are written the same bytes.
func BenchmarkFanoutMixed(b *testing.B) {
	const subscribers, payloadBytes = 1000, 200
	var channels []string
	for i := range 200 {
		channels = append(channels, fmt.Sprintf("trades:okx:C%dUSDT", i))
	}
	random := rand.New(rand.NewPCG(1, 2))
	raw := newRawSockets(b, subscribers, payloadBytes+4)
	a := newAudience(b, subscribers, payloadBytes, stream.Options{Shards: 1}, channels, func(int) []string {
		list := make([]string, 0, 20)
		for _, i := range random.Perm(len(channels))[:20] {
			list = append(list, channels[i])
		}
		return list
	})
	compare(b, a, raw, batch*subscribers)
}
