package journal

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
)

// Deps are the dependencies of the housekeeping.
type Deps struct {
	Store persistence.Store
	Pool  *actors.Pool
	// EventsKeep and JournalKeep are the retention of rows; zero keeps them for
	// ever.
	EventsKeep  time.Duration
	JournalKeep time.Duration
	// OrdersKeep and FillsKeep are the retention of closed orders and of fills, which are
	// then moved to Archive, at the earliest after twice the life of a request id; zero keeps
	// them in the store for ever.
	OrdersKeep time.Duration
	FillsKeep  time.Duration
	Archive    persistence.Archive
}

const (
	purgePeriod = time.Hour
	purgeJitter = 5 * time.Minute
	// idempotencyKeep is longer than the window, so that a jump of the clock cannot
	// free a request id by removing its record.
	idempotencyKeep = 2 * persistence.IdempotencyWindow
	// archiveKeepMin is how long closed orders and fills stay at least: request ids refer to
	// orders, and the daily loss is that of a day.
	archiveKeepMin = idempotencyKeep
)

type (
	tickPurge struct{}
	purgeDone struct{ err error }
)

// Child returns the specification of the journal actor.
func Child(d Deps) actors.Child {
	return actors.Child{Name: "journal", Producer: func() actors.Behaviour { return &journal{deps: d} }}
}

type journal struct{ deps Deps }

// Started logs a failed integrity check and starts the housekeeping.
func (j *journal) Started(ctx *actors.Context) {
	if err := j.deps.Store.Integrity(); err != nil {
		ctx.Logger().Error("the store has lost confirmed records; trading stays off", zap.Error(err))
	}
	ctx.Timers().Every("purge", purgePeriod, purgeJitter, tickPurge{})
}

// Receive handles one message.
func (j *journal) Receive(ctx *actors.Context, msg any) {
	switch in := msg.(type) {
	case tickPurge:
		j.purge(ctx)
	case purgeDone:
		if in.err != nil {
			ctx.Logger().Warn("purge", zap.Error(in.err))
		}
	default:
		ctx.Unhandled(msg)
	}
}

func (j *journal) purge(ctx *actors.Context) {
	now := time.Now()
	before := persistence.Retention{Idempotency: now.Add(-idempotencyKeep), Sessions: now}
	if j.deps.EventsKeep > 0 {
		before.Events = now.Add(-j.deps.EventsKeep)
	}
	if j.deps.JournalKeep > 0 {
		before.Journal = now.Add(-j.deps.JournalKeep)
	}
	if j.deps.OrdersKeep > 0 {
		before.Orders = now.Add(-max(j.deps.OrdersKeep, archiveKeepMin))
	}
	if j.deps.FillsKeep > 0 {
		before.Fills = now.Add(-max(j.deps.FillsKeep, archiveKeepMin))
	}
	if err := ctx.Go(j.deps.Pool, func(c context.Context) any { return purgeDone{j.keep(c, before)} }); err != nil {
		ctx.Logger().Warn("purge postponed", zap.Error(err))
	}
}

// keep deletes what is older than the retention. On a full disk it does nothing, because
// nothing can be archived and deletions need space in the log.
func (j *journal) keep(ctx context.Context, before persistence.Retention) error {
	if err := j.deps.Store.Full(); err != nil {
		return err
	}
	err := j.deps.Store.Purge(ctx, before)
	if err == nil && (!before.Orders.IsZero() || !before.Fills.IsZero()) {
		err = j.deps.Store.Archive(ctx, before, j.deps.Archive)
	}
	return err
}
