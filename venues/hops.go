package venues

import (
	"sync/atomic"
	"time"
)

// Hop is a stage of an order on its way through the service to its venue and back.
type Hop int

// Hops of an order, in their order. Each is named after what ends it.
const (
	// HopAuthenticated: the sender is known and the body is read.
	HopAuthenticated Hop = iota
	// HopAdmitted: the account has begun to handle the order, and its rules admit it.
	HopAdmitted
	// HopDurable: the intent is durable.
	HopDurable
	// HopSent: the request was passed to the venue's connector. A wait for the venue's rate
	// limit is part of the next hop.
	HopSent
	// HopVenueAnswered: the venue has answered, or its private stream was faster.
	HopVenueAnswered
	// HopRecorded: the answer is in the store's log, which is synced a few milliseconds
	// later where a promise to the client allows that. An order that takes liquidity is
	// recorded with its end.
	HopRecorded
	// HopAnswered: the answer was passed to the sender's connection.
	HopAnswered
	HopCount
)

// String returns the name of the hop, as metrics have it.
func (h Hop) String() string {
	return [HopCount]string{"authenticated", "admitted", "durable", "sent", "venue_answered", "recorded", "answered"}[h]
}

// Hops are the times at which one order has ended its hops. A nil Hops records nothing. It
// is safe for concurrent use.
type Hops struct {
	received time.Time
	// ended has the time since received, in nanoseconds; zero for a hop that has not ended.
	ended [HopCount]atomic.Int64
}

// NewHops returns the hops of an order that was received at a time.
func NewHops(received time.Time) *Hops { return &Hops{received: received} }

// Received returns when the order was received.
func (h *Hops) Received() time.Time { return h.received }

// End records the end of a hop. Only the first call for a hop counts.
func (h *Hops) End(hop Hop, at time.Time) {
	if h != nil {
		h.ended[hop].CompareAndSwap(0, max(1, int64(at.Sub(h.received))))
	}
}

// Ended returns the time from the receipt to the end of a hop; zero if it has not ended.
func (h *Hops) Ended(hop Hop) time.Duration { return time.Duration(h.ended[hop].Load()) }
