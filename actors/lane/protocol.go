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
		ticket ticket
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

// ticket says what its holder is going to touch; see Client.Enter.
type ticket struct {
	holder   string
	id       string
	exchange venues.Venue
	symbol   string
}

// overlaps says whether two tickets could touch the same.
func (t *ticket) overlaps(other *ticket) bool {
	return (t.exchange == "" || other.exchange == "" || t.exchange == other.exchange) &&
		(t.symbol == "" || other.symbol == "" || t.symbol == other.symbol)
}
