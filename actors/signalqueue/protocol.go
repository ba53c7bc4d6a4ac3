package signalqueue

import (
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Messages of the actor.
//
//	message   kind     sent by   reply
//	enter     command  Client    when the slot is granted
//	release   command  Client    -
//	retain    command  Client    -
//	startDue  timer
type (
	enter struct {
		actors.Reply[struct{}]
		slot slot
	}
	// release and retain are not subject to the mailbox's limit: they free slots.
	release struct {
		actors.Internal
		channel, id string
	}
	retain struct {
		actors.Internal
		channel string
		ids     []string
	}
	startDue struct{}
)

// slot is the place of a signal in the queue; see Client.Enter.
type slot struct {
	channel    string
	id         string
	exchange   venues.Venue
	symbol     string
	receivedAt time.Time
}

// overlaps reports whether two signals could trade the same instrument.
func (s *slot) overlaps(other *slot) bool {
	return (s.exchange == "" || other.exchange == "" || s.exchange == other.exchange) &&
		(s.symbol == "" || other.symbol == "" || s.symbol == other.symbol)
}
