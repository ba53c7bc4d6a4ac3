package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// topicsOf returns the topics of a connection: all, or EachOf of them, beginning at another one
// for each connection.
func (r *run) topicsOf(connection int) []string {
	all, n := r.Stream.Channels, r.Stream.EachOf
	if n <= 0 || n >= len(all) {
		return all
	}
	topics := make([]string, n)
	for i := range topics {
		topics[i] = all[(connection*n+i)%len(all)]
	}
	return topics
}

// subscribers is the subscribers of a run.
type subscribers struct {
	*run
	audience *audience
	verified *verified
	cancel   context.CancelFunc
	// used, messages and bytes are the counters at the end of the warm-up.
	used            time.Duration
	messages, bytes int64
	endProgress     func()
}

// openSubscribers connects the verified subscribers and n others that read everything. The clock
// of the run starts after that.
func (r *run) openSubscribers(ctx context.Context, n int) (*subscribers, error) {
	if len(r.Stream.Channels) == 0 {
		return nil, errors.New("no channel is given")
	}
	life, cancel := context.WithCancel(ctx)
	s := &subscribers{run: r, cancel: cancel, endProgress: func() {}}
	memory := r.monitor.residentBytes()
	s.audience = newAudience(life, r)
	// Half of the verified subscribers connect before the others and half after them, so that
	// a service that serves connections in an order shows it.
	s.verified = &verified{run: r}
	s.verified.enter("")
	err := s.verified.connect(life, r.Stream.Verified-r.Stream.Verified/2)
	if err == nil {
		err = s.audience.connect(ctx, n, readsAll, nil)
	}
	if err == nil {
		err = s.verified.connect(life, r.Stream.Verified/2)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	if grown := r.monitor.residentBytes() - memory; grown > 0 && memory > 0 {
		r.add("memory of the service, a connection", float64(grown)/1024/float64(n+r.Stream.Verified), "KiB")
	}
	_, s.endProgress = r.begin(ctx)
	return s, nil
}

// close ends the subscribers.
func (s *subscribers) close() {
	s.cancel()
	s.endProgress()
	s.audience.disconnect()
	s.audience.reading.Wait()
	s.verified.reading.Wait()
}

// warmUp waits for the end of the warm-up.
func (s *subscribers) warmUp(ctx context.Context) {
	sleep(ctx, s.Warmup)
	s.used, s.messages, s.bytes = s.monitor.processorTime(), s.delivered(), s.audience.bytes.Load()
}

func (s *subscribers) delivered() int64 {
	return s.audience.messages.Load() + s.verified.messages.Load()
}

// report adds the figures of the time since the warm-up.
func (s *subscribers) report() {
	took := time.Since(s.recorder.from).Seconds()
	messages := s.delivered() - s.messages
	s.add("messages delivered", float64(messages)/took, "messages/s")
	s.add("bytes delivered", float64(s.audience.bytes.Load()-s.bytes)/took/(1<<20), "MiB/s")
	if used := s.monitor.processorTime() - s.used; used > 0 && messages > 0 {
		s.add("processor time of the service, a message", float64(used.Nanoseconds())/float64(messages), "ns")
	}
	s.verified.figures()
	s.audience.mu.Lock()
	defer s.audience.mu.Unlock()
	for _, code := range slices.Sorted(maps.Keys(s.audience.closed)) {
		s.add("connections closed by the service: "+code, float64(s.audience.closed[code]), "connections")
	}
}

// sleep waits for a time or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// runStream reads with all subscribers.
func runStream(ctx context.Context, r *run) error {
	s, err := r.openSubscribers(ctx, r.Stream.Subscribers)
	if err != nil {
		return err
	}
	s.warmUp(ctx)
	sleep(ctx, r.Duration)
	s.report()
	s.close()
	return nil
}

// Phases of the scenarios that compare subscribers with and without a disturbance.
const (
	phaseBefore = ", before"
	phaseDuring = ", during"
)

// runReconnect reads with the verified subscribers for half of the duration; then all others
// connect again.
func runReconnect(ctx context.Context, r *run) error {
	s, err := r.openSubscribers(ctx, r.Stream.Subscribers)
	if err != nil {
		return err
	}
	s.verified.enter(phaseBefore)
	s.warmUp(ctx)
	sleep(ctx, r.Duration/2)
	s.verified.enter(phaseDuring)
	begun := time.Now()
	s.audience.disconnect()
	err = s.audience.connect(ctx, r.Stream.Subscribers, readsAll, func(due, first time.Time) { r.recorder.record("reconnect", due, first) })
	r.add("all subscribed again after", time.Since(begun).Seconds(), "s")
	sleep(ctx, time.Until(r.recorder.from.Add(r.Duration)))
	s.report()
	s.close()
	return err
}

// runSlowReaders reads with subscribers that read everything for half of the duration; then
// those connect that read slowly or never.
func runSlowReaders(ctx context.Context, r *run) error {
	slow, never := share(r.Stream.Subscribers, r.Stream.Slow), share(r.Stream.Subscribers, r.Stream.Never)
	if slow+never == 0 || slow+never >= r.Stream.Subscribers {
		return fmt.Errorf("%d of %d subscribers read slowly or never; some must, and some must not", slow+never, r.Stream.Subscribers)
	}
	s, err := r.openSubscribers(ctx, r.Stream.Subscribers-slow-never)
	if err != nil {
		return err
	}
	s.verified.enter(phaseBefore)
	s.warmUp(ctx)
	sleep(ctx, r.Duration/2)
	s.verified.enter(phaseDuring)
	err = errors.Join(s.audience.connect(ctx, slow, readsSlowly, nil), s.audience.connect(ctx, never, readsNever, nil))
	sleep(ctx, time.Until(r.recorder.from.Add(r.Duration)))
	s.report()
	s.close()
	return err
}

// share returns a part of a number.
func share(of int, part float64) int { return int(float64(of) * part) }
