package account

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// markWaitMax is how long an order without a price waits for the mark price
	// that its notional is computed with: that of an instrument which nobody has
	// traded lately is not known yet.
	markWaitMax = time.Second
	// markLookEvery is how often it is looked for.
	markLookEvery = 20 * time.Millisecond
)

// isUnpriced says whether an order was refused because nobody knows what it would
// cost.
func isUnpriced(err error) bool {
	refusal, ok := errors.AsType[*venues.Error](err)
	if !ok || refusal.Code != venues.CodeRiskRejected || refusal.Details["rule"] != ruleMaxNotional {
		return false
	}
	_, priced := refusal.Details["given"]
	return !priced
}

// awaitMark waits for a mark price; false if there is none in time.
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

// Configure gives a running account its limits, and halts it or lets it go on, as
// its record says. That is durable already, and where it is found at the next
// start. A halt goes on after the return; see AwaitHalt.
func (c Client) Configure(ctx context.Context, control persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any {
		return configure{reply, control}
	})
	return repeatable(err)
}

// AwaitHalt waits for the end of a halt, which is haltMax away at most.
func (c Client) AwaitHalt(ctx context.Context) (HaltResult, error) {
	result, err := actors.Ask(ctx, c.ref, func(reply haltReply) any { return awaitHalt{reply} })
	return result, repeatable(err)
}

// Unlock ends the lock of a limit. The loss so far is set aside: the limit
// counts anew from here.
func (c Client) Unlock(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any { return unlock{reply} })
	return repeatable(err)
}
