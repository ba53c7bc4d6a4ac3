package lane

import (
	"venuegate/actors"
	"venuegate/venues"
)

// Messages of the actor.
//
//	message   kind     sent by   reply
//	enter     command  Client    when the ticket is called
//	giveBack  command  Client    -
//	leave     command  Client    -
type (
	enter struct {
		actors.Reply[struct{}]
		ticket Ticket
	}
	// giveBack and leave pass the mailbox's limit: they make room.
	giveBack struct {
		actors.Internal
		holder, id string
	}
	leave struct {
		actors.Internal
		holder string
	}
)

// Ticket says what its holder is going to touch. An empty Exchange is all of
// them, an empty Symbol all of an exchange's.
type Ticket struct {
	Holder   string
	ID       string
	Exchange venues.Venue
	Symbol   string
}

// overlaps says whether two tickets could touch the same.
func (t *Ticket) overlaps(other *Ticket) bool {
	return (t.Exchange == "" || other.Exchange == "" || t.Exchange == other.Exchange) &&
		(t.Symbol == "" || other.Symbol == "" || t.Symbol == other.Symbol)
}
