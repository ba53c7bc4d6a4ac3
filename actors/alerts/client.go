package alerts

import (
	"context"

	"venuegate/actors"
	"venuegate/persistence"
)

// Client is the way to a customer's alerts; safe for concurrent use.
type Client struct{ ref actors.Ref }

// NewClient makes the client of the actor that runs at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Put stores an alert, new or changed, together with the journal row that says
// why, and watches it from then on if it is armed. One with RemovedAt is taken
// away. The answer is the alert as it is stored: when it last fired is not the
// caller's to say.
func (c Client) Put(ctx context.Context, alert persistence.Alert, entry persistence.JournalEntry) (persistence.Alert, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[persistence.Alert]) any { return put{r, alert, entry} })
}
