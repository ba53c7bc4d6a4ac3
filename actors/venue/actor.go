package venue

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
)

// Bounds of the venue's own requests.
const (
	catalogueTimeout = 30 * time.Second
	clockTimeout     = 10 * time.Second
)

// venue is one incarnation of the actor.
type venue struct {
	client *Client
}

func (v *venue) keep() *keep { return v.client.keep }

// Started starts the connections, then the books that there were.
func (v *venue) Started(ctx *actors.Context) {
	ctx.Children().StartAll(v.client.deps.Connections...)
	s := v.keep().state
	s.catalogue.running, s.clock.running = false, false
	v.restartBooks(ctx)
	v.readCatalogue(ctx)
	v.readClock(ctx)
}

// Receive only dispatches.
func (v *venue) Receive(ctx *actors.Context, msg any) {
	now := time.Now()
	switch m := msg.(type) {
	case *openBook:
		v.open(ctx, m)
	case *refreshCatalogue:
		v.refresh(ctx, now)
	case *feedReport:
		v.keep().state.feedCame(now, m.feed)
	case *catalogueCame:
		v.catalogueCame(ctx, now, m)
	case *clockCame:
		v.clockCame(ctx, now, m)
	case *catalogueDue:
		v.readCatalogue(ctx)
	case *clockDue:
		v.readClock(ctx)
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

func (v *venue) readCatalogue(ctx *actors.Context) {
	s := v.keep().state
	if s.catalogue.running {
		return
	}
	s.catalogue.running = true
	connector := v.client.deps.Connector
	err := ctx.Go(v.client.deps.Pool, func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, catalogueTimeout)
		defer cancel()
		instruments, err := connector.Instruments(ctx)
		return &catalogueCame{instruments, err}
	})
	if err != nil {
		v.catalogueCame(ctx, time.Now(), &catalogueCame{err: err})
	}
}

func (v *venue) catalogueCame(ctx *actors.Context, now time.Time, m *catalogueCame) {
	s := v.keep().state
	first := s.instruments == nil
	changes, next := s.catalogueCame(now, m.instruments, m.err)
	v.again(ctx, "catalogue", next, &catalogueDue{})
	if s.catalogue.failures > 0 {
		ctx.Logger().Warn("instruments not read", zap.String("error", s.health.LastError), zap.Int("failures", s.catalogue.failures))
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
	if wait, ok := v.keep().state.refreshWait(now); ok {
		ctx.Timers().After("catalogue", wait, &catalogueDue{})
	}
}

func (v *venue) readClock(ctx *actors.Context) {
	s := v.keep().state
	if s.clock.running {
		return
	}
	s.clock.running = true
	connector := v.client.deps.Connector
	err := ctx.Go(v.client.deps.Pool, func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, clockTimeout)
		defer cancel()
		offset, err := connector.SyncClock(ctx)
		return &clockCame{offset, err}
	})
	if err != nil {
		v.clockCame(ctx, time.Now(), &clockCame{err: err})
	}
}

func (v *venue) clockCame(ctx *actors.Context, now time.Time, m *clockCame) {
	s := v.keep().state
	skewed := s.skewed()
	next := s.clockCame(now, m.offset, m.err)
	v.again(ctx, "clock", next, &clockDue{})
	switch {
	case m.err != nil:
		ctx.Logger().Warn("clock not compared", zap.Error(m.err), zap.Int("failures", s.clock.failures))
	case s.skewed() && !skewed:
		ctx.Logger().Warn("clocks differ", zap.Duration("offset", s.offset), zap.Duration("offset_max", skewMax))
	}
}

func (v *venue) again(ctx *actors.Context, key string, w wait, msg any) {
	ctx.Timers().After(key, w.after+ctx.Jitter(w.jitter), msg)
}

// publish lets everybody read how the venue stands, and logs when that changes.
func (v *venue) publish(ctx *actors.Context) {
	s := v.keep().state
	before := v.client.stats.Load()
	next := &Stats{
		Health: s.health, Instruments: len(s.instruments.All()),
		CatalogueAt: s.catalogue.at, ClockAt: s.clock.at, ClockOffset: s.offset, Feed: s.feed,
	}
	v.client.stats.Store(next)
	if before.Status != next.Status {
		level := zap.InfoLevel
		if next.Status == StatusDown {
			level = zap.WarnLevel
		}
		ctx.Logger().Log(level, "venue health changed", zap.String("from", string(before.Status)),
			zap.String("to", string(next.Status)), zap.String("reason", next.Reason))
	}
}
