package load

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	venuegate "venuegate/transport/clients/go"
)

// verified is the subscribers that decode every message with the Go client, measure its age and
// check it.
type verified struct {
	run *run
	// phase begins the kinds under which ages are recorded.
	phase   atomic.Pointer[string]
	reading sync.WaitGroup

	messages, gaps, missed, stales, snapshots atomic.Int64

	mu sync.Mutex
	// ages has the histogram of each subscriber.
	ages []*hdrhistogram.Histogram
}

// connect adds subscribers, and returns when all of them are subscribed.
func (v *verified) connect(ctx context.Context, n int) error {
	for range n {
		s := &verifiedSubscriber{verified: v, age: newHistogram(), books: map[string]*venuegate.Book{}}
		topics := v.run.topicsOf(len(v.ages))
		for _, topic := range topics {
			if strings.HasPrefix(topic, "book:") {
				s.books[topic] = venuegate.NewBook(topic)
			}
		}
		v.ages = append(v.ages, s.age)
		stream := venuegate.Subscribe(ctx, venuegate.StreamOptions{
			URL: v.run.StreamURL, Key: v.run.key(len(v.ages)), Topics: topics, UserAgent: "venuegate-load/" + v.run.Version,
		})
		ready := make(chan error, 1)
		v.reading.Go(func() {
			defer stream.Close()
			s.follow(ctx, stream, ready)
		})
		if err := <-ready; err != nil {
			return err
		}
		v.run.monitor.connections.Add(1)
	}
	return nil
}

// enter begins a phase of the run; its name becomes part of the kinds of latency.
func (v *verified) enter(phase string) { v.phase.Store(&phase) }

// verifiedSubscriber is one of them.
type verifiedSubscriber struct {
	*verified
	age   *hdrhistogram.Histogram
	books map[string]*venuegate.Book
}

// follow reads messages until ctx ends. ready receives nil once the topics are subscribed.
func (s *verifiedSubscriber) follow(ctx context.Context, stream *venuegate.Stream, ready chan<- error) {
	subscribed := false
	for {
		m, err := stream.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && m.Type == venuegate.TypeConnected && !subscribed:
			subscribed = true
			ready <- nil
		case !subscribed && (err != nil || m.Type == venuegate.TypeDisconnected):
			ready <- errors.Join(err, m.Err)
			return
		case err != nil:
			s.run.faults.add("a subscriber ended: %v", err)
			return
		default:
			s.take(&m, time.Now())
		}
	}
}

// take measures and checks a message.
func (s *verifiedSubscriber) take(m *venuegate.Message, now time.Time) {
	switch m.Type {
	case venuegate.TypeDisconnected:
		s.run.faults.add("a subscriber was disconnected: %v", m.Err)
	case venuegate.TypeConnected:
	case venuegate.TypeGap:
		s.gaps.Add(1)
		if m.Missed != nil {
			s.missed.Add(int64(*m.Missed))
		}
	case venuegate.TypeStale:
		s.stales.Add(1)
	case venuegate.TypeSnapshot:
		s.snapshots.Add(1)
	default:
		s.measure(m, now)
	}
	s.check(m)
}

// measure records the age of a message. The clocks of both machines must agree.
func (s *verifiedSubscriber) measure(m *venuegate.Message, now time.Time) {
	s.messages.Add(1)
	kind, _, _ := strings.Cut(m.Topic, ":")
	s.run.recorder.record(kind+*s.phase.Load(), m.Time, now)
	if !s.run.recorder.counts(m.Time) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.age.RecordValue(min(max(now.Sub(m.Time).Microseconds(), latencyMinUs), latencyMaxUs)) // it is within the bounds
}

// check applies a message to the book of its topic and checks what a book must be.
func (s *verifiedSubscriber) check(m *venuegate.Message) {
	if m.Type == venuegate.TypeDisconnected {
		for _, book := range s.books {
			_ = book.Apply(*m) // a disconnection has no levels
		}
		return
	}
	book := s.books[m.Topic]
	if book == nil {
		return
	}
	if err := book.Apply(*m); err != nil {
		s.run.faults.add("%s: %v", m.Topic, err)
		return
	}
	bids, asks := book.Bids(), book.Asks()
	if book.Current() && len(bids) > 0 && len(asks) > 0 && !bids[0].Price.LessThan(asks[0].Price) {
		s.run.faults.add("%s: the best bid %s is not below the best ask %s after message %d", m.Topic, bids[0].Price, asks[0].Price, m.Seq)
	}
}

// figures adds what the subscribers saw.
func (v *verified) figures() {
	v.mu.Lock()
	defer v.mu.Unlock()
	medians := make(map[int64]bool, len(v.ages))
	for _, age := range v.ages {
		if age.TotalCount() > 0 {
			medians[age.ValueAtQuantile(50)] = true
		}
	}
	if sorted := slices.Sorted(maps.Keys(medians)); len(sorted) > 0 {
		v.run.add("median age at the first subscriber", float64(sorted[0])/1000, "ms")
		v.run.add("median age at the last subscriber", float64(sorted[len(sorted)-1])/1000, "ms")
	}
	v.run.add("messages decoded", float64(v.messages.Load()), "messages")
	v.run.add("snapshots", float64(v.snapshots.Load()), "messages")
	v.run.add("books reported stale", float64(v.stales.Load()), "messages")
	v.run.add("gaps reported", float64(v.gaps.Load()), "messages")
	v.run.add("trades left out by them", float64(v.missed.Load()), "trades")
}
