package account

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// markWaitMax is how long an order without a price waits for the mark price that its
	// notional is computed with: it is unknown for an instrument that was not traded
	// lately.
	markWaitMax = time.Second
	// markLookEvery is how often the mark price is looked up meanwhile.
	markLookEvery = 20 * time.Millisecond
)

// isUnpriced reports whether an order was rejected because its notional is unknown.
func isUnpriced(err error) bool {
	rejection, ok := errors.AsType[*venues.Error](err)
	if !ok || rejection.Code != venues.CodeRiskRejected || rejection.Details["rule"] != risk.RuleMaxNotional {
		return false
	}
	_, priced := rejection.Details["given"]
	return !priced
}

// awaitMark waits for a mark price; it returns false if there is none in time.
func (c Client) awaitMark(ctx context.Context, symbol string) bool {
	ctx, cancel := context.WithTimeout(ctx, markWaitMax)
	defer cancel()
	look := time.NewTicker(markLookEvery)
	defer look.Stop()
	for !c.market.Mark(symbol).Valid {
		select {
		case <-look.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Configure sets the limits of a running account, and halts it or resumes trading, by its
// record. The record must be durable; it is loaded at the next start. A halt continues
// after the return; see AwaitHalt.
func (c Client) Configure(ctx context.Context, control persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any {
		return configure{reply, control}
	})
	return repeatableError(err)
}

// AwaitHalt waits for the end of a halt, at most haltMax.
func (c Client) AwaitHalt(ctx context.Context) (venues.HaltReport, error) {
	result, err := actors.Ask(ctx, c.ref, func(reply haltReply) any { return awaitHalt{reply} })
	return result, repeatableError(err)
}

// Unlock ends the lock of a limit. The loss so far is set aside: the limit counts from
// here.
func (c Client) Unlock(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any { return unlock{reply} })
	return repeatableError(err)
}
