package alerts

import (
	"context"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Messages of the actor.
//
//	message       kind     sent by       reply
//	put           command  Client        the alert as it is stored
//	loaded        result   own reading   -
//	watched       result   own request   -
//	hit           event    book          -
//	watchDue      timer
type (
	put struct {
		actors.Reply[persistence.Alert]
		alert persistence.Alert
		entry persistence.JournalEntry
	}

	loaded struct {
		alerts []persistence.Alert
		err    error
	}
	// watched is the result of a watch. generation is the alert's generation when it was
	// requested.
	watched struct {
		id         string
		generation int
		watch      venues.PriceWatch
		err        error
	}
	hit struct {
		actors.Internal
		id         string
		generation int
		price      venues.PriceHit
	}
	watchDue struct {
		id         string
		generation int
	}
)

// Client is the client of a customer's alerts. It is safe for concurrent use.
type Client struct{ ref actors.Ref }

// NewClient returns a client of the actor at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Put stores a new or changed alert together with the journal row that explains it, and
// watches it if it is armed. An alert with RemovedAt is removed. Put returns the alert
// as stored: FiredAt is kept from the stored alert.
func (c Client) Put(ctx context.Context, alert persistence.Alert, entry persistence.JournalEntry) (persistence.Alert, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[persistence.Alert]) any { return put{r, alert, entry} })
}
