package delivery

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
)

// Client is the client of a delivery queue. It is safe for concurrent use.
type Client struct{ ref actors.Ref }

// NewClient returns a client of the queue at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Wake reports that the customer's events up to seq are durable. It never blocks. If
// the call is lost, the events are found within pollPeriod.
func (c Client) Wake(seq uint64) { c.ref.Tell(wake{seq}) }

// Resend restarts the delivery of an event, with all its attempts, under the same
// event id; a pending one is attempted immediately. It returns when the restart is
// durable. The error is CodeNotFound if the queue has no delivery of the event.
func (c Client) Resend(ctx context.Context, eventID string) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return resend{r, eventID} })
	return err
}

// ResendUndelivered restarts the undelivered deliveries that were queued at since or
// later, or all if since is zero, and returns their number.
func (c Client) ResendUndelivered(ctx context.Context, since time.Time) (int, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[int]) any { return resendAll{r, since} })
}

// TestResult is the outcome of the attempt to deliver a test event.
type TestResult struct {
	EventID string
	Attempt persistence.Attempt
	Took    time.Duration
}

// Test sends a test event, once and immediately. A failed attempt is reported in
// TestResult; an error means that no attempt was made. It is actors.ErrBusy if another
// test is under way.
func (c Client) Test(ctx context.Context) (TestResult, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[TestResult]) any { return test{r} })
}
