package venues

import "time"

// Quote is what is known of an instrument's prices at one moment. It is a value;
// what is unknown is unknown, never zero.
type Quote struct {
	Symbol  string
	Last    Optional // price of the newest public trade
	Mark    Optional // price by which the venue values positions
	BestBid Optional
	BestAsk Optional
	// VenueTime is the venue's clock in the newest message about the book.
	VenueTime time.Time
	// Stale says that messages of the venue may be missing since: the prices
	// are the newest known, not necessarily the newest.
	Stale bool
}

// Known says whether there is any price to go by.
func (q Quote) Known() bool { return q.Mark.Valid || q.Last.Valid }

// BookView is the best levels of a book at one moment, best first. It is
// immutable and may be read by anyone.
type BookView struct {
	Symbol    string
	Scale     Scale
	Bids      []Level
	Asks      []Level
	VenueTime time.Time
	// Stale says that the book is being rebuilt; there are no levels then.
	Stale bool
}
