package venue

import (
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Messages of a venue.
//
//	message            kind      sent by        reply
//	*openBook          command   Client         the book of a symbol
//	*refreshCatalogue  command   Client         -
//	*feedReport        event     connection     -
//	*catalogueCame     result    own request
//	*clockCame         result    own request
//	*catalogueDue      timer
//	*clockDue          timer
//	*bookDue           timer
type (
	openBook struct {
		actors.Reply[Book]
		symbol string
		// not is a book that has ended for the asker; nil if none has.
		not Book
	}
	// refreshCatalogue passes the mailbox's limit: one is under way at a time.
	refreshCatalogue struct{ actors.Internal }
	feedReport       struct {
		actors.Internal
		feed Feed
	}

	catalogueCame struct {
		instruments []venues.Instrument
		err         error
	}
	clockCame struct {
		offset time.Duration
		err    error
	}

	catalogueDue struct{}
	clockDue     struct{}
	bookDue      struct{ symbol string }
)
