package alerts

import (
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
//	stored        result   journal       -
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
	// watched answers a request to watch the alert's condition; generation says
	// which one it was.
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
	stored struct {
		output
		err error
	}
	watchDue struct {
		id         string
		generation int
	}
)
