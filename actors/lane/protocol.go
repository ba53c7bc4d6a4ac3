package lane

import (
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Messages of the actor.
//
//	message   kind     sent by   reply
//	enter     command  Client    when the ticket is called
//	giveBack  command  Client    -
//	retain    command  Client    -
//	beginDue  timer
type (
	enter struct {
		actors.Reply[struct{}]
		ticket ticket
	}
	// giveBack and retain pass the mailbox's limit: they make room.
	giveBack struct {
		actors.Internal
		holder, id string
	}
	retain struct {
		actors.Internal
		holder string
		ids    []string
	}
	beginDue struct{}
)

// ticket says what its holder is going to touch; see Client.Enter.
type ticket struct {
	holder     string
	id         string
	exchange   venues.Venue
	symbol     string
	receivedAt time.Time
}

// overlaps says whether two tickets could touch the same.
func (t *ticket) overlaps(other *ticket) bool {
	return (t.exchange == "" || other.exchange == "" || t.exchange == other.exchange) &&
		(t.symbol == "" || other.symbol == "" || t.symbol == other.symbol)
}
