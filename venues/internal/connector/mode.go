package connector

import (
	"context"
	"sync/atomic"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// ModeCache keeps an account's mode as last read; nil until it was read. It is safe for
// concurrent use.
type ModeCache struct {
	atomic.Pointer[venues.AccountMode]
}

// Get returns the mode as last read. If it was never read it calls read, which stores it.
func (c *ModeCache) Get(ctx context.Context, read func(context.Context) (venues.AccountMode, error)) (venues.AccountMode, error) {
	if mode := c.Load(); mode != nil {
		return *mode, nil
	}
	return read(ctx)
}

// AccountType returns the account type; empty until the mode was read.
func (c *ModeCache) AccountType() string {
	if mode := c.Load(); mode != nil {
		return mode.AccountType
	}
	return ""
}

// Place sends an order for the position mode as last read. If the venue rejects the order
// because of the mode, nothing was placed: the mode is read again and, if it has changed,
// the order sent once more.
func (c *ModeCache) Place(
	ctx context.Context, read func(context.Context) (venues.AccountMode, error), isModeRejection func(error) bool,
	send func(hedge bool) (venues.ExecutionReport, error),
) (venues.ExecutionReport, error) {
	mode, err := c.Get(ctx, read)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	report, rejected := send(mode.Hedge)
	if !isModeRejection(rejected) {
		return report, rejected
	}
	fresh, err := read(ctx)
	if err != nil || fresh.Hedge == mode.Hedge {
		return report, rejected
	}
	return send(fresh.Hedge)
}
