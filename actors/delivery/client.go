package delivery

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
)

// Client is the way into a delivery queue; safe for concurrent use.
type Client struct{ ref actors.Ref }

// NewClient makes the client of the queue that runs at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Wake says that the customer's events up to seq are durable. It never blocks; a
// call that is lost costs pollPeriod at most.
func (c Client) Wake(seq uint64) { c.ref.Tell(wake{seq}) }

// Resend begins the delivery of an event anew, with all its attempts, under the
// same event id; one that waits is tried at once. It returns when that is
// durable. An event that the queue has not taken yet, or never will, is
// CodeNotFound.
func (c Client) Resend(ctx context.Context, eventID string) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return resend{r, eventID} })
	return err
}

// ResendUndelivered begins all undelivered ones anew and says how many.
func (c Client) ResendUndelivered(ctx context.Context) (int, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[int]) any { return resendAll{r} })
}

// Tested is what the attempt to deliver a test event came to.
type Tested struct {
	EventID string
	Attempt persistence.Attempt
	Took    time.Duration
}

// Test sends a test event, once and now. A failed attempt is in Tested; the error
// says why none was made. One runs at a time: others get actors.ErrBusy.
func (c Client) Test(ctx context.Context) (Tested, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[Tested]) any { return test{r} })
}
