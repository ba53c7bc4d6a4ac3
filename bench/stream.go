package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"time"

	"venuegate/bench/process"
)

const (
	// streamBytes is the size of a frame, that of a trade.
	streamBytes = 200
	// streamSampled is the number of subscribers that measure the age of frames.
	streamSampled = 16
	// streamDeliveries is about the number of deliveries of a turn at saturation.
	streamDeliveries = 2_000_000
	// streamPerSecond is the number of deliveries per second of the constant rate, which
	// lasts for streamSeconds.
	streamPerSecond = 50_000
	streamSeconds   = 5
	// mixedTopics is the number of topics of stream-mixed, of which each subscriber has
	// mixedEach.
	mixedTopics = 200
	mixedEach   = 20
	// descriptorsSpare is the number of descriptors besides those of the connections.
	descriptorsSpare = 200
)

// streamShape is the subscribers of a scenario and their topics.
type streamShape struct {
	name                      string
	subscribers, topics, each int
	neverReading              int
}

var (
	saturateShapes = []streamShape{
		{name: "1000 subscribers", subscribers: 1000, topics: 1, each: 1},
		{name: "5000 subscribers", subscribers: 5000, topics: 1, each: 1},
		{name: "10000 subscribers", subscribers: 10_000, topics: 1, each: 1},
	}
	steadyShapes = append([]streamShape{{name: "100 subscribers", subscribers: 100, topics: 1, each: 1}}, saturateShapes...)
	mixedShapes  = []streamShape{{name: "1000 subscribers, each of 20 of 200 topics", subscribers: 1000, topics: mixedTopics, each: mixedEach}}
	idleShapes   = []streamShape{{name: "10000 subscribers", subscribers: 10_000, topics: 1, each: 1}}
	slowShapes   = []streamShape{{name: "1000 subscribers", subscribers: 1000, topics: 1, each: 1}}
)

// streamScenarios return the scenarios of the stream. Their server is the service's stream with
// a feed that makes frames, and their limit a server that joins as many frames a write.
func streamScenarios() []Scenario {
	return []Scenario{
		{Name: "stream-saturate", Does: "frames to many subscribers as fast as possible, against plain writes of as many frames", Run: streamRun(saturateShapes, (*streamTurn).saturate)},
		{Name: "stream-mixed", Does: "the same where each subscriber has other topics", Run: streamRun(mixedShapes, (*streamTurn).saturate)},
		{Name: "stream-steady", Does: "the age of frames at 50,000 deliveries per second, against plain writes", Run: streamRun(steadyShapes, (*streamTurn).steady)},
		{Name: "stream-slow", Does: "the same while a tenth of the subscribers never reads, against all reading", Run: streamRun(slowShapes, (*streamTurn).slow)},
		{Name: "stream-idle", Does: "memory of idle connections, against a server that only keeps them", Run: streamRun(idleShapes, (*streamTurn).idle)},
	}
}

// streamRun runs a measurement for each shape.
func streamRun(shapes []streamShape, measure func(*streamTurn, context.Context) error) func(context.Context, Options) ([]Figure, error) {
	return func(ctx context.Context, o Options) (figures []Figure, err error) {
		if o.Quick {
			shapes = shapes[:1]
		} else {
			defer keepAwake()()
		}
		for _, shape := range shapes {
			if o.Quick {
				shape.subscribers, shape.topics, shape.each = min(shape.subscribers, 8), min(shape.topics, 4), min(shape.each, 2)
			}
			if reason := descriptorsLack(shape.subscribers); reason != "" {
				figures = append(figures, Figure{Group: shape.name, Name: "deliveries", Missing: reason})
				continue
			}
			t := &streamTurn{options: o, shape: shape, values: map[string][]float64{}}
			for range o.Rounds {
				if err := measure(t, ctx); err != nil {
					return nil, fmt.Errorf("%s: %w", shape.name, err)
				}
			}
			figures = append(figures, t.figures...)
			t.complete(figures[len(figures)-len(t.figures):])
		}
		return figures, nil
	}
}

// descriptorsLack returns why a process cannot have that many connections, or "".
func descriptorsLack(connections int) string {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < uint64(connections+descriptorsSpare) {
		return fmt.Sprintf("needs %d open files; ulimit -n is %d", connections+descriptorsSpare, limit.Cur)
	}
	return ""
}

// streamTurn measures one shape. values has the values of each figure by round.
type streamTurn struct {
	options Options
	shape   streamShape
	figures []Figure
	values  map[string][]float64
}

// add adds the values of a round; a figure without a limit has the same value for it as before.
func (t *streamTurn) add(f Figure, ours float64, limit ...float64) {
	f.Group = t.shape.name
	if _, known := t.values[f.Name]; !known {
		t.figures = append(t.figures, f)
	}
	t.values[f.Name] = append(t.values[f.Name], ours)
	if len(limit) > 0 {
		t.values[f.Name+limitSuffix] = append(t.values[f.Name+limitSuffix], limit[0])
	}
}

const limitSuffix = ", limit"

// complete sets the medians and spreads of figures.
func (t *streamTurn) complete(figures []Figure) {
	for i := range figures {
		f := &figures[i]
		f.Ours, f.Limit = spreadOf(t.values[f.Name]), spreadOf(t.values[f.Name+limitSuffix])
	}
}

// openStream is a server with its subscribers, each a process of its own.
type openStream struct {
	server, audience *partner
	topics           []string
	each             int
	// grownBytes is by how much the memory of the server grew with the subscribers.
	grownBytes float64
}

// open starts a server, "hub" or "raw", and its subscribers.
func (t *streamTurn) open(ctx context.Context, kind string, neverReading int) (_ *openStream, err error) {
	s := &openStream{each: t.shape.each}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for n := range t.shape.topics {
		s.topics = append(s.topics, "trades:okx:C"+strconv.Itoa(n)+"USDT")
	}
	var ready streamReady
	if s.server, err = startPart(ctx, t.options.Binary, &ready, "stream", kind); err != nil {
		return nil, err
	}
	before, err := s.residentBytes()
	if err != nil {
		return nil, err
	}
	if s.audience, err = startPart(ctx, t.options.Binary, &struct{}{}, "audience", ""); err != nil {
		return nil, err
	}
	err = s.audience.ask(audienceRequest{
		URL: ready.URL, Key: "bench", Channels: s.topics, Each: s.each, Subscribers: t.shape.subscribers, Sampled: streamSampled, NeverReading: neverReading,
	}, &struct{}{})
	if err != nil {
		return nil, err
	}
	after, err := s.residentBytes()
	s.grownBytes = after - before
	return s, err
}

// residentBytes returns the memory of the server without what it does not use.
func (s *openStream) residentBytes() (float64, error) {
	if err := s.server.ask(streamRequest{ReleaseMemory: true}, &struct{}{}); err != nil {
		return 0, err
	}
	bytes, err := process.ResidentBytes(s.server.process())
	return float64(bytes), err
}

func (s *openStream) close() (err error) {
	for _, p := range []*partner{s.audience, s.server} {
		if p != nil {
			err = errors.Join(err, p.close())
		}
	}
	return err
}

// send sends frames, and returns what was written, the processor time of the server and the
// ages of the frames.
func (s *openStream) send(q streamRequest) (said streamAnswer, busy time.Duration, ages ageSummary, err error) {
	q.Topics, q.Each, q.Bytes = s.topics, s.each, streamBytes
	var ignored audienceAnswer
	if err := s.audience.ask(audienceRequest{}, &ignored); err != nil {
		return said, 0, ages, err
	}
	busy, err = process.CPUTimeDuring(s.server.process(), func() error { return s.server.ask(q, &said) })
	if err != nil {
		return said, 0, ages, err
	}
	var read audienceAnswer
	err = s.audience.ask(audienceRequest{}, &read)
	if err == nil && said.Deliveries == 0 {
		err = errors.New("nothing is delivered")
	}
	return said, busy, read.Ages, err
}
