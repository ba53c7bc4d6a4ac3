package venue

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
)

// Timeouts of the venue's own requests.
const (
	instrumentsTimeout = 30 * time.Second
	clockTimeout       = 2 * time.Second
)

// venue is one incarnation of the actor.
type venue struct {
	client *Client
}

func (v *venue) shared() *shared { return v.client.shared }

// Started starts the connections, then the existing books.
func (v *venue) Started(ctx *actors.Context) {
	ctx.Children().StartAll(v.client.deps.Connections...)
	s := v.shared().state
	s.listing.running, s.clock.running = false, false
	v.restartBooks(ctx)
	v.readInstruments(ctx)
	v.readClock(ctx)
}

// Receive handles one message.
func (v *venue) Receive(ctx *actors.Context, msg any) {
	now := time.Now()
	switch m := msg.(type) {
	case *openBook:
		v.open(ctx, m)
	case *refreshInstruments:
		v.refresh(ctx, now)
	case *feedReport:
		v.shared().state.feedReported(now, m.feed)
	case *instrumentsRead:
		v.instrumentsRead(ctx, now, m)
	case *clockCompared:
		v.clockCompared(ctx, now, m)
	case *instrumentsDue:
		v.readInstruments(ctx)
	case *clockDue:
		v.readClock(ctx)
	case *privateReport:
		v.shared().state.privateReported(now, m.private)
	case *streamsDue:
		v.shared().state.assess(now)
	case *bookDue:
		v.bookDue(ctx, m.symbol)
	case *actors.ChildEnded:
		v.ended(ctx, m)
	default:
		ctx.Unhandled(msg)
		return
	}
	v.publish(ctx)
}

func (v *venue) readInstruments(ctx *actors.Context) {
	s := v.shared().state
	if s.listing.running {
		return
	}
	s.listing.running = true
	connector := v.client.deps.Connector
	err := ctx.Go(v.client.deps.Pool, func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, instrumentsTimeout)
		defer cancel()
		instruments, err := connector.Instruments(ctx)
		return &instrumentsRead{instruments, err}
	})
	if err != nil {
		v.instrumentsRead(ctx, time.Now(), &instrumentsRead{err: err})
	}
}

func (v *venue) instrumentsRead(ctx *actors.Context, now time.Time, m *instrumentsRead) {
	s := v.shared().state
	first := s.instruments == nil
	changes, next := s.instrumentsRead(now, m.instruments, m.err)
	v.again(ctx, "instruments", next, &instrumentsDue{})
	if s.listing.failures > 0 {
		if s.listing.failures == 1 {
			ctx.Logger().Warn("instruments not read", zap.String("error", s.health.LastError))
		}
		return
	}
	v.client.instruments.Store(s.instruments)
	if first || changes.added+changes.removed+changes.changed > 0 {
		ctx.Logger().Info("instruments read", zap.Int("instruments", len(s.instruments.All())),
			zap.Int("added", changes.added), zap.Int("removed", changes.removed), zap.Int("changed", changes.changed))
	}
	v.rescale(changes.rescaled)
	if first || changes.added > 0 {
		v.openResident(ctx)
	}
}

func (v *venue) refresh(ctx *actors.Context, now time.Time) {
	v.client.refreshing.Store(false)
	if wait, ok := v.shared().state.refreshWait(now); ok {
		ctx.Timers().After("instruments", wait, &instrumentsDue{})
	}
}

func (v *venue) readClock(ctx *actors.Context) {
	s := v.shared().state
	if s.clock.running {
		return
	}
	s.clock.running = true
	connector := v.client.deps.Connector
	err := ctx.Go(v.client.deps.Pool, func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, clockTimeout)
		defer cancel()
		offset, err := connector.SyncClock(ctx)
		return &clockCompared{offset, err}
	})
	if err != nil {
		v.clockCompared(ctx, time.Now(), &clockCompared{err: err})
	}
}

func (v *venue) clockCompared(ctx *actors.Context, now time.Time, m *clockCompared) {
	s := v.shared().state
	skewed, failed := s.skewed(), s.clock.failures > 0
	next := s.clockCompared(now, m.offset, m.err)
	v.again(ctx, "clock", next, &clockDue{})
	if failed && m.err == nil && s.listing.failures > 0 {
		v.readInstruments(ctx) // the venue responds again
	}
	switch {
	case m.err != nil && !failed:
		ctx.Logger().Warn("clock not compared", zap.Error(m.err))
	case s.skewed() && !skewed:
		ctx.Logger().Warn("clocks differ", zap.Duration("offset", s.offset), zap.Duration("offset_max", skewMax))
	}
}

func (v *venue) again(ctx *actors.Context, key string, w wait, msg any) {
	ctx.Timers().After(key, w.after+ctx.Jitter(w.jitter), msg)
}

// publish publishes the state of the venue, and logs a change of its status.
func (v *venue) publish(ctx *actors.Context) {
	s := v.shared().state
	before := v.client.stats.Load()
	next := &Stats{
		Health: s.health, Instruments: len(s.instruments.All()),
		InstrumentsAt: s.listing.at, ClockAt: s.clock.at, ClockOffset: s.offset, Feed: s.feed, Private: s.private,
	}
	v.client.stats.Store(next)
	if due := s.streamsDue(); !due.IsZero() {
		ctx.Timers().After("streams", max(0, time.Until(due)), &streamsDue{})
	}
	v.logStatus(ctx, before.Status, next)
}

// logStatus logs a change of the status, and a venue that is down from the start.
func (v *venue) logStatus(ctx *actors.Context, before Status, next *Stats) {
	exchange := zap.String("exchange", string(v.client.deps.Venue))
	shared := v.shared()
	switch {
	case next.Status == StatusDown:
		if shared.warned || before == StatusDown && shared.state.clock.failures < failuresDown {
			return
		}
		shared.warned = true
		ctx.Logger().Warn("venue down", exchange, zap.String("reason", next.Reason), zap.String("error", next.LastError))
	case before != next.Status:
		shared.warned = false
		ctx.Logger().Info("venue health changed", exchange, zap.String("from", string(before)), zap.String("to", string(next.Status)), zap.String("reason", next.Reason))
	}
}
