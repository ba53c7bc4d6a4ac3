package book

import (
	"context"

	"venuegate/actors"
	"venuegate/venues"
)

// recentMax is how many trades a book keeps while its trades are subscribed.
const recentMax = 200

// recentTrades are the newest trades, without a gap. The zero value has none and takes none.
type recentTrades struct {
	// held: the trades are subscribed.
	held bool
	ring []venues.Trade
	// next is the place of the oldest trade, once there are recentMax.
	next int
}

func (r *recentTrades) add(t venues.Trade) {
	switch {
	case !r.held: // a trade that was under way
	case len(r.ring) < recentMax:
		r.ring = append(r.ring, t)
	default:
		r.ring[r.next] = t
		r.next = (r.next + 1) % recentMax
	}
}

// begin removes all trades, since later ones may have been missed.
func (r *recentTrades) begin(held bool) { *r = recentTrades{held: held} }

// newest returns the newest trades, newest first, at most limit.
func (r *recentTrades) newest(limit int) []venues.Trade {
	trades := make([]venues.Trade, min(limit, len(r.ring)))
	for n := range trades {
		trades[n] = r.ring[(r.next-1-n+2*len(r.ring))%len(r.ring)]
	}
	return trades
}

// Trades returns the trades that were received since the last interruption, newest first, at
// most limit. It does not subscribe them. Errors are those of actors.
func (c *Client) Trades(ctx context.Context, limit int) ([]venues.Trade, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[[]venues.Trade]) any { return &readTrades{reply, limit} })
}
