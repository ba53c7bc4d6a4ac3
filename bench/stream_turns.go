package bench

import (
	"context"
	"errors"
	"math"
)

// Units of the figures.
const (
	unitNanoseconds = "ns"
	unitMillis      = "ms"
)

// saturate sends as fast as possible, to the service's stream and then to plain connections
// with as many frames a write.
func (t *streamTurn) saturate(ctx context.Context) error {
	frames := max(1, streamDeliveries/(t.shape.subscribers*t.shape.each))
	if t.options.Quick {
		frames = 4
	}
	hub, err := t.measure(ctx, "hub", streamRequest{Frames: frames})
	if err != nil {
		return err
	}
	raw, err := t.measure(ctx, "raw", streamRequest{Frames: frames, FramesAWrite: int(math.Round(hub.framesAWrite))})
	if err != nil {
		return err
	}
	t.add(Figure{Name: "processor time, a delivery", Unit: unitNanoseconds, Goal: "<= 1.11; limit: plain writes of as many frames"}, hub.busyNanos, raw.busyNanos)
	t.add(Figure{Name: "deliveries", Unit: "deliveries/s", HigherIsBetter: true, Goal: "the same"}, hub.perSecond, raw.perSecond)
	t.add(Figure{Name: "frames a write", Unit: "frames"}, hub.framesAWrite, raw.framesAWrite)
	t.add(Figure{Name: "dropped for subscribers that do not read", Unit: "frames"}, hub.dropped)
	return nil
}

// steady sends at a constant rate.
func (t *streamTurn) steady(ctx context.Context) error {
	hub, err := t.measure(ctx, "hub", t.constantRate())
	if err != nil {
		return err
	}
	q := t.constantRate()
	q.FramesAWrite = max(1, int(math.Round(hub.framesAWrite)))
	raw, err := t.measure(ctx, "raw", q)
	if err != nil {
		return err
	}
	t.add(Figure{Name: "age of frames, p50", Unit: unitMillis, Goal: "limit: plain writes of as many frames"}, hub.ages.P50/1e3, raw.ages.P50/1e3)
	t.add(Figure{Name: "age of frames, p99", Unit: unitMillis, Goal: "<= 1.00"}, hub.ages.P99/1e3, raw.ages.P99/1e3)
	t.add(Figure{Name: "median of the slowest subscriber", Unit: unitMillis, Goal: "limit: that of the fastest"}, hub.ages.MedianMax/1e3, hub.ages.MedianMin/1e3)
	t.add(Figure{Name: "processor time, a delivery", Unit: unitNanoseconds}, hub.busyNanos, raw.busyNanos)
	return nil
}

// slow sends at a constant rate, without and with subscribers that never read.
func (t *streamTurn) slow(ctx context.Context) error {
	all, err := t.measure(ctx, "hub", t.constantRate())
	if err != nil {
		return err
	}
	t.shape.neverReading = max(1, t.shape.subscribers/10)
	some, err := t.measure(ctx, "hub", t.constantRate())
	t.shape.neverReading = 0
	if err != nil {
		return err
	}
	t.add(Figure{Name: "age of frames of the others, p99", Unit: unitMillis, Goal: "<= 1.05; limit: all read"}, some.ages.P99/1e3, all.ages.P99/1e3)
	return nil
}

// idle opens connections and sends nothing.
func (t *streamTurn) idle(ctx context.Context) error {
	var grown [2]float64
	for i, kind := range []string{"hub", "raw"} {
		s, err := t.open(ctx, kind, 0)
		if err != nil {
			return err
		}
		grown[i] = s.grownBytes / float64(t.shape.subscribers) / 1024
		if err := s.close(); err != nil {
			return err
		}
	}
	t.add(Figure{Name: "memory of a connection", Unit: "KiB", Goal: "<= 6 KiB; limit: a goroutine that reads"}, grown[0], grown[1])
	return nil
}

// constantRate returns the request of a constant rate of deliveries.
func (t *streamTurn) constantRate() streamRequest {
	perSecond := float64(streamPerSecond) / float64(t.shape.subscribers*t.shape.each)
	q := streamRequest{Frames: int(max(1, perSecond*streamSeconds)), PerSecond: perSecond}
	if t.options.Quick {
		q.Frames, q.PerSecond = 8, 80
	}
	return q
}

// streamMeasured is what a request took.
type streamMeasured struct {
	busyNanos, perSecond, framesAWrite, dropped float64
	ages                                        ageSummary
}

// measure opens a server with subscribers, sends a part to warm up, and measures a request.
func (t *streamTurn) measure(ctx context.Context, kind string, q streamRequest) (m streamMeasured, err error) {
	s, err := t.open(ctx, kind, t.shape.neverReading)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	warm := q
	warm.Frames = max(1, q.Frames/10)
	if _, _, _, err := s.send(warm); err != nil {
		return m, err
	}
	said, busy, ages, err := s.send(q)
	if err != nil {
		return m, err
	}
	return streamMeasured{
		busyNanos: float64(busy.Nanoseconds()) / said.Deliveries, perSecond: said.Deliveries / said.Seconds,
		framesAWrite: said.Deliveries / said.Writes, dropped: said.Dropped, ages: ages,
	}, nil
}
