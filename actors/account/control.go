package account

import (
	"context"

	"venuegate/actors"
	"venuegate/persistence"
)

// Configure gives a running account its limits, and halts it or lets it go on.
// The account's record has them already: that is where they are found at the
// next start. A halt goes on after the return; see AwaitHalt.
func (c Client) Configure(ctx context.Context, limits persistence.RiskLimits, halted, flatten bool) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any {
		return configure{reply, limits, halted, flatten}
	})
	return edgeError(err)
}

// AwaitHalt waits for the end of a halt, which is haltMax away at most.
func (c Client) AwaitHalt(ctx context.Context) (HaltResult, error) {
	result, err := actors.Ask(ctx, c.ref, func(reply haltReply) any { return awaitHalt{reply} })
	return result, edgeError(err)
}

// Unlock ends the lock of a limit. The loss so far is set aside: the limit
// counts anew from here.
func (c Client) Unlock(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any { return unlock{reply} })
	return edgeError(err)
}
