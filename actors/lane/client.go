package lane

import (
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Client is the way to the lanes; safe for concurrent use. No method waits.
type Client struct{ ref actors.Ref }

// NewClient makes the client of the actor that runs at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Enter takes a ticket for what its holder is going to touch: an empty exchange
// is all of them, an empty symbol all of an exchange's. called is told when it is
// the ticket's turn, or why it never will be; it must not block. A ticket that is
// held already keeps its place, and the new called is told.
func (c Client) Enter(holder, id string, exchange venues.Venue, symbol string, receivedAt time.Time, called func(error)) {
	reply := actors.ReplyFunc(func(_ struct{}, err error) { called(err) })
	c.ref.Tell(enter{reply, ticket{holder: holder, id: id, exchange: exchange, symbol: symbol, receivedAt: receivedAt}})
}

// GiveBack ends a ticket, called or not.
func (c Client) GiveBack(holder, id string) { c.ref.Tell(giveBack{holder: holder, id: id}) }

// Retain ends every ticket of a holder but those named. A holder says so at each
// of its starts, once it knows what is left to do, and then enters it again.
func (c Client) Retain(holder string, ids []string) { c.ref.Tell(retain{holder: holder, ids: ids}) }
