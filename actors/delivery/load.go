package delivery

import (
	"context"
	"errors"
	"time"

	"venuegate/persistence"
)

// load reads the cursor and the first deliveries. It first waits for the commits of
// the previous incarnation. The store must accept a commit: an attempt that cannot be
// recorded would be repeated over and over.
func (d *delivery) load(ctx context.Context) any {
	if err := persistence.Await(ctx, d.deps.Journal, persistence.Batch{Fence: d.deps.Fence}); err != nil {
		return loaded{err: err}
	}
	to := d.deps.Endpoint
	cursor, err := d.deps.Store.EndpointCursor(ctx, to.Customer, to.ID)
	if errors.Is(err, persistence.ErrNotFound) {
		cursor, err = d.origin(ctx)
		return loaded{cursor: cursor, err: err}
	}
	if err != nil {
		return loaded{err: err}
	}
	unchanged := persistence.Batch{Fence: d.deps.Fence, Puts: []persistence.Record{cursor}}
	if err := persistence.Await(ctx, d.deps.Journal, unchanged); err != nil {
		return loaded{err: err}
	}
	rows, err := d.deps.Store.PendingDeliveries(ctx, to.Customer, to.ID, windowMax)
	return loaded{cursor: cursor, hasCursor: true, rows: rows, err: err}
}

// origin finds the cursor of a new endpoint: the last event created before it.
func (d *delivery) origin(ctx context.Context) (persistence.EndpointCursor, error) {
	to := d.deps.Endpoint
	cursor := persistence.EndpointCursor{Customer: to.Customer, Endpoint: to.ID}
	created := to.CreatedAt.Truncate(time.Millisecond) // as events are stored
	for {
		events, err := d.deps.Store.EventsSince(ctx, to.Customer, cursor.Seq, persistence.PageSizeMax)
		if err != nil {
			return cursor, err
		}
		for _, e := range events {
			if !e.CreatedAt.Before(created) {
				return cursor, nil
			}
			cursor.Seq, cursor.Event = e.Seq, e.ID
		}
		if len(events) < persistence.PageSizeMax {
			return cursor, nil
		}
	}
}
