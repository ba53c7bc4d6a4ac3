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

// lookFlat reads whether a position is closed and nothing of it left; the answer
// is flatSeen.
type lookFlat struct {
	id     string
	signal venues.Signal
	// closedBy is the newest order that closed some of it; empty before the first.
	closedBy string
}

// left is what there still is of a position that was closed; nothing proves it
// flat.
type left struct {
	// what is one of the names below.
	what string
	qty  decimal.Decimal
	// short says that the order which closed it has ended and was not filled
	// whole: nothing closes the rest.
	short bool
}

// What may be left of a position.
const (
	leftPosition   = "position"
	leftProtection = "protection"
)

func (e lookFlat) run(c *channel, ctx *actors.Context) {
	desk, cmd := c.desk, c.lookAt(&e.signal)
	c.call(ctx, cmd.Deadline, func(life context.Context) any {
		seen := flatSeen{id: e.id}
		seen.left, seen.err = e.left(life, desk, cmd)
		return seen
	}, flatSeen{id: e.id, err: busy()})
}

// left says what there still is of the position that a signal is against. The
// account withdraws the protection of a position that is gone; an order of it that
// lived on would close the next position on its side.
func (e lookFlat) left(ctx context.Context, desk Reader, cmd venues.ReadAccount) (left, error) {
	s := &e.signal
	position, err := against(ctx, desk, cmd, s.Side)
	switch {
	case err != nil:
		return left{}, err
	case position != nil:
		short, err := e.endedShort(ctx, desk)
		return left{what: leftPosition, qty: position.Qty, short: short}, err
	}
	orders, err := desk.UnfinishedOrders(ctx, s.Customer, s.Exchange)
	if err != nil || !slices.ContainsFunc(orders, func(o persistence.OrderRecord) bool { return o.Symbol == s.Symbol && guards(&o, s.Side) }) {
		return left{}, err
	}
	return left{what: leftProtection}, nil
}

// endedShort says so of the order that closed.
func (e lookFlat) endedShort(ctx context.Context, desk Reader) (bool, error) {
	if e.closedBy == "" {
		return false, nil
	}
	made, err := desk.Order(ctx, e.signal.Customer, e.closedBy)
	return err == nil && endedShort(&made.Order), err
}

// guards says whether an order protects a position that orders of a side close:
// a leg that lives, or an entry that is through and whose legs are not.
func guards(o *persistence.OrderRecord, closing venues.Side) bool {
	if o.Protects != "" {
		return o.Side == closing && !o.Status.IsClosed()
	}
	return o.Side == closing.Opposite() && o.Status.IsClosed() && o.FilledQty.IsPositive() && o.Protection.Awake()
}

// lookAt asks for the positions in a signal's instrument.
func (c *channel) lookAt(s *venues.Signal) venues.ReadAccount {
	return venues.ReadAccount{Command: c.command(s, time.Now().Add(stepMax)), Exchange: s.Exchange, Symbol: s.Symbol}
}

// against is the open position that an order of the side would be against, if
// there is one.
func against(ctx context.Context, desk Reader, cmd venues.ReadAccount, of venues.Side) (*venues.Position, error) {
	positions, failures, err := desk.Positions(ctx, cmd)
	if err == nil && len(failures) > 0 {
		err = failures[0].Error
	}
	side := venues.Short
	if of == venues.Sell {
		side = venues.Long
	}
	i := slices.IndexFunc(positions, func(p venues.Position) bool { return p.Symbol == cmd.Symbol && p.Side == side })
	if err != nil || i < 0 {
		return nil, err
	}
	return &positions[i], nil
}
