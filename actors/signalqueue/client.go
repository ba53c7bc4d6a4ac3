package signalqueue

import (
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Client sends commands to a customer's signal queue. It is safe for concurrent use, and
// no method blocks.
type Client struct{ ref actors.Ref }

// NewClient returns a client of the actor at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Enter adds a slot for a channel's signal. An empty exchange stands for all
// exchanges, an empty symbol for all symbols of the exchange. granted is called with
// nil when the slot is granted and the signal may be carried out, or with an error if it
// never will be, such as actors.ErrBusy if the queue is full; it must not block. A slot
// that exists already keeps its place, and the new granted replaces the old one.
func (c Client) Enter(channel, id string, exchange venues.Venue, symbol string, receivedAt time.Time, granted func(error)) {
	reply := actors.ReplyFunc(func(_ struct{}, err error) { granted(err) })
	c.ref.Tell(enter{reply, slot{channel: channel, id: id, exchange: exchange, symbol: symbol, receivedAt: receivedAt}})
}

// Release removes a slot, whether or not it is granted.
func (c Client) Release(channel, id string) { c.ref.Tell(release{channel: channel, id: id}) }

// Retain releases every slot of a channel except those with the given ids. A channel
// calls it at each start, once it knows which signals are left, and then enters
// these again.
func (c Client) Retain(channel string, ids []string) { c.ref.Tell(retain{channel: channel, ids: ids}) }
