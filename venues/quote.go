package venues

import "time"

// Quote is the known prices of an instrument at one time. A price that is unknown is an
// unknown Optional, never zero.
type Quote struct {
	Symbol  string
	Last    Optional // price of the newest public trade
	Mark    Optional // price at which the venue values positions
	BestBid Optional
	BestAsk Optional
	// VenueTime is the venue's time in the newest message about the book.
	VenueTime time.Time
	// Stale: messages of the venue may have been lost since, so the prices are the newest
	// known but perhaps not the newest.
	Stale bool
}

// HasPrice reports whether the mark price or the last price is known.
func (q Quote) HasPrice() bool { return q.Mark.Valid || q.Last.Valid }
