package channel

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// checkFlat reads whether a position is closed and nothing of it is left; its result
// is flatRead.
type checkFlat struct {
	id     string
	signal venues.Signal
	// closedBy is the newest order that closed a part of it, or empty.
	closedBy string
}

// remainder is what is left of a position that was closed. It is zero if the position
// is flat.
type remainder struct {
	// what is one of the names below, or empty.
	what string
	qty  decimal.Decimal
	// partial reports whether the closing order has ended with a part unfilled, so
	// that nothing closes the rest.
	partial bool
}

// What may be left of a position.
const (
	leftPosition   = "position"
	leftProtection = "protection"
)

func (e checkFlat) run(c *channel, ctx *actors.Context) {
	executor, cmd := c.executor, c.readPositions(&e.signal)
	c.call(ctx, cmd.Deadline, func(life context.Context) any {
		seen := flatRead{id: e.id}
		seen.left, seen.err = e.left(life, executor, cmd)
		return seen
	}, flatRead{id: e.id, err: busy()})
}

// left returns what is left of the position that the signal is opposite to. The
// account cancels the protection of a closed position; a leg that stayed open would
// close the next position on the same side.
func (e checkFlat) left(ctx context.Context, reader Reader, cmd venues.ReadAccount) (remainder, error) {
	s := &e.signal
	position, err := oppositePosition(ctx, reader, cmd, s.Side)
	switch {
	case err != nil:
		return remainder{}, err
	case position != nil:
		return remainder{what: leftPosition, qty: position.Qty, partial: e.closedPartially(ctx, reader)}, nil
	}
	orders, err := reader.UnfinishedOrders(ctx, s.Customer, s.Exchange)
	if err != nil || !slices.ContainsFunc(orders, func(o persistence.OrderRecord) bool { return o.Symbol == s.Symbol && isProtective(&o, s.Side) }) {
		return remainder{}, err
	}
	return remainder{what: leftProtection}, nil
}

// closedPartially reports whether the closing order is known to have ended with a part unfilled.
// The next check reads it again.
func (e checkFlat) closedPartially(ctx context.Context, reader Reader) bool {
	made, err := reader.Order(ctx, e.signal.Customer, e.closedBy)
	return err == nil && closedPartially(&made.Order)
}

// isProtective reports whether an unfinished order protects a position that orders of side
// closing close: an open leg, or a filled entry whose legs are not closed.
func isProtective(o *persistence.OrderRecord, closing venues.Side) bool {
	if o.Protects != "" {
		return o.Side == closing
	}
	return o.Side == closing.Opposite() && o.Status.IsClosed() && o.FilledQty.IsPositive()
}

// readPositions returns the query for the positions in the signal's instrument.
func (c *channel) readPositions(s *venues.Signal) venues.ReadAccount {
	return venues.ReadAccount{Command: c.command(s, time.Now().Add(stepMax)), Exchange: s.Exchange, Symbol: s.Symbol}
}

// oppositePosition returns the open position opposite to an order of the given side,
// or nil.
func oppositePosition(ctx context.Context, reader PositionReader, cmd venues.ReadAccount, of venues.Side) (*venues.Position, error) {
	return findPosition(ctx, reader, cmd, func(side venues.PositionSide) bool { return side == of.Reduces() })
}

// findPosition returns an open position in the instrument of a query, or nil.
func findPosition(ctx context.Context, reader PositionReader, cmd venues.ReadAccount, is func(venues.PositionSide) bool) (*venues.Position, error) {
	positions, failures, err := reader.Positions(ctx, cmd)
	if err == nil && len(failures) > 0 {
		err = failures[0].Error
	}
	i := slices.IndexFunc(positions, func(p venues.Position) bool { return p.Symbol == cmd.Symbol && is(p.Side) })
	if err != nil || i < 0 {
		return nil, err
	}
	return &positions[i], nil
}
