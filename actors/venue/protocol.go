package venue

import (
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Messages of a venue.
//
//	message              kind      sent by        reply
//	*openBook            command   Client         the book of a symbol
//	*refreshInstruments  command   Client         -
//	*feedReport          event     connection     -
//	*privateReport       event     accounts       -
//	*instrumentsRead     result    own request
//	*clockCompared       result    own request
//	*instrumentsDue      timer
//	*clockDue            timer
//	*streamsDue          timer
//	*bookDue             timer
type (
	openBook struct {
		actors.Reply[Book]
		symbol string
		// not is a book that has ended for the caller, or nil.
		not Book
	}
	// refreshInstruments is not subject to the mailbox's limit: one is pending at a time.
	refreshInstruments struct{ actors.Internal }
	feedReport         struct {
		actors.Internal
		feed Feed
	}
	privateReport struct {
		actors.Internal
		private Streams
	}

	instrumentsRead struct {
		instruments []venues.Instrument
		err         error
	}
	clockCompared struct {
		offset time.Duration
		err    error
	}

	instrumentsDue struct{}
	clockDue       struct{}
	streamsDue     struct{}
	bookDue        struct{ symbol string }
)
