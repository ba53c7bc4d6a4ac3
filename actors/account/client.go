package account

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// Client sends commands and queries to an account. It is a small value and safe for
// concurrent use. Each call is bounded by its context; a call that timed out may still
// be carried out.
type Client struct {
	ref      actors.Ref
	customer string
	exchange venues.Venue
	store    persistence.Reader
	market   Market
}

// NewClient returns the client of the account that runs at ref.
func NewClient(ref actors.Ref, c Config, store persistence.Reader, market Market) Client {
	return Client{ref: ref, customer: c.Customer, exchange: c.Exchange, store: store, market: market}
}

// placeTriesMax bounds the commands that Place sends for one call. It sends another one if
// the earlier attempt under the request id was freed in between, because nothing was
// placed, or once the mark price is known.
const placeTriesMax = 3

// Place places an order and returns its record, whose status shows whether the outcome is
// known. Errors: duplicate_request with the order that the request id made; the venue's
// rejection with details.order; exchange_unavailable if it is certain that nothing was
// placed.
func (c Client) Place(ctx context.Context, cmd venues.PlaceOrder) (venues.Order, error) {
	instrument, _ := c.market.Instrument(cmd.Symbol)
	if instrument != nil {
		cmd.Symbol = instrument.Symbol
	}
	attempt, err := c.attempt(ctx, cmd.Scope, cmd.RequestID, cmd.BodyHash)
	if err != nil {
		return venues.Order{}, err
	}
	for range placeTriesMax {
		var order venues.Order
		order, err = actors.Ask(ctx, c.ref, func(reply orderReply) any {
			return placeOrder{reply, cmd, attempt, instrument, c.market.Mark(cmd.Symbol)}
		})
		if isUnpriced(err) && c.awaitMark(ctx, cmd.Symbol) {
			continue
		}
		exists, taken := errors.AsType[*persistence.ExistsError](err)
		if !taken {
			return order, edgeError(err)
		}
		prior, ok := exists.Found.(persistence.IdempotencyRecord)
		switch {
		case !ok:
			return venues.Order{}, edgeError(err)
		case prior.Holds(time.Now()):
			return venues.Order{}, c.duplicate(ctx, prior, cmd.BodyHash)
		}
		attempt = prior.Attempt + 1
	}
	return venues.Order{}, edgeError(err)
}

// attempt returns the number of the next attempt under a request id, or the error of an
// earlier attempt that holds it.
func (c Client) attempt(ctx context.Context, scope, requestID string, body []byte) (int, error) {
	if requestID == "" {
		return 1, nil
	}
	prior, err := c.store.Idempotency(ctx, c.customer, scope, requestID)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return 1, nil
	case err != nil:
		return 0, err
	case prior.Holds(time.Now()):
		return 0, c.duplicate(ctx, prior, body)
	}
	return prior.Attempt + 1, nil
}

// duplicate returns the error for a repeated request, with the current state of the first
// order.
func (c Client) duplicate(ctx context.Context, prior persistence.IdempotencyRecord, body []byte) error {
	record, err := c.store.Order(ctx, c.customer, prior.OrderID)
	if err != nil {
		return err
	}
	return venues.Errorf(venues.CodeDuplicateRequest, "the requestId was already handled").
		With("orderId", record.OrderID).With("status", string(record.Status)).
		With("order", record.Order).With("sameBody", bytes.Equal(prior.BodyHash, body))
}

// Amend changes an active order; the record returned may have a new id. record is the
// order as the store has it. Stop loss and take profit can be changed for as long as they
// protect what the order has opened. Error not_found, with details.status, if the order
// is not active any more.
func (c Client) Amend(ctx context.Context, record *persistence.OrderRecord, cmd venues.AmendOrder) (venues.Order, error) {
	if record.Status.IsClosed() && (!cmd.ChangesProtection() || !protection.IsChangeable(&record.Order)) {
		return venues.Order{}, notActive(&record.Order)
	}
	instrument, _ := c.market.Instrument(record.Symbol)
	order, err := actors.Ask(ctx, c.ref, func(reply orderReply) any {
		return amendOrder{reply, cmd, instrument, c.market.Mark(record.Symbol)}
	})
	return order, edgeError(err)
}

// Cancel ends an order. record is the order as the store has it. Error not_found, with
// details.status, if the order was not active any more.
func (c Client) Cancel(ctx context.Context, record *persistence.OrderRecord, cmd venues.CancelOrder) (venues.Order, error) {
	if record.Status.IsClosed() {
		return venues.Order{}, notActive(&record.Order)
	}
	order, err := actors.Ask(ctx, c.ref, func(reply orderReply) any { return cancelOrder{reply, cmd} })
	return order, edgeError(err)
}

// Ready returns nil while the account accepts orders; until it is reconciled with its
// venue it returns the error maintenance.
func (c Client) Ready(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any { return getReady{reply} })
	return repeatableError(err)
}

// Close places a reduce-only market order against an open position. A repeated request is
// recognized before the position is looked up: the first one may have closed it.
func (c Client) Close(ctx context.Context, cmd venues.ClosePosition) (venues.Order, error) {
	cmd.Scope = cmp.Or(cmd.Scope, persistence.ScopeREST)
	cmd.Source = cmp.Or(cmd.Source, venues.SourceAPI)
	if _, err := c.attempt(ctx, cmd.Scope, cmd.RequestID, cmd.BodyHash); err != nil {
		return venues.Order{}, err
	}
	funds, err := c.Funds(ctx)
	if err != nil {
		return venues.Order{}, err
	}
	p, err := c.toClose(funds.closable, &cmd)
	if err != nil {
		return venues.Order{}, err
	}
	spec := venues.OrderSpec{Symbol: p.Symbol, Side: p.Side.ClosedBy(), Type: venues.TypeMarket, Qty: p.Qty, ReduceOnly: true, TimeInForce: venues.ImmediateOrCancel}
	if cmd.Qty.Valid {
		spec.Qty = cmd.Qty.Decimal
	}
	return c.Place(ctx, venues.PlaceOrder{
		Command: cmd.Command, OrderSpec: spec, Exchange: c.exchange,
		RequestID: cmd.RequestID, Scope: cmd.Scope, BodyHash: cmd.BodyHash,
		Source: cmd.Source, ChannelID: cmd.ChannelID, Comment: cmd.Comment, CloseReason: cmd.CloseReason,
	})
}

// toClose returns the position that a command names.
func (c Client) toClose(positions []venues.Position, cmd *venues.ClosePosition) (venues.Position, error) {
	symbol := c.canonical(cmd.Symbol)
	open := slices.DeleteFunc(slices.Clone(positions), func(p venues.Position) bool {
		return p.Symbol != symbol || (cmd.Side != "" && cmd.Side != p.Side.ClosedBy())
	})
	switch len(open) {
	case 0:
		if _, known := c.market.Instrument(symbol); !known {
			return venues.Position{}, notListed(symbol, c.exchange)
		}
		return venues.Position{}, venues.Errorf(venues.CodeOrderRejected, "no open position in %s", symbol).With("reason", venues.ReasonNoPosition)
	case 1:
		return open[0], nil
	default: // hedge mode: the command does not name the side
		return venues.Position{}, venues.Errorf(venues.CodeOrderRejected, "%s is open both long and short; close by reduce-only orders", symbol).
			With("reason", "two_positions")
	}
}

// canonical returns the service's own spelling of a symbol, if it is known.
func (c Client) canonical(symbol string) string {
	if i, known := c.market.Instrument(symbol); known {
		return i.Symbol
	}
	return symbol
}

// SetLeverage changes the leverage of an instrument and returns the leverage that the
// venue then has.
func (c Client) SetLeverage(ctx context.Context, cmd venues.ChangeLeverage) (venues.LeverageChange, error) {
	instrument, known := c.market.Instrument(cmd.Symbol)
	if !known {
		return venues.LeverageChange{}, notListed(cmd.Symbol, c.exchange)
	}
	cmd.Symbol = instrument.Symbol
	if most := instrument.MaxLeverage; most.Valid && cmd.Leverage.GreaterThan(most.Decimal) {
		return venues.LeverageChange{}, venues.Errorf(venues.CodeLeverageChangeRejected, "leverage above the maximum").
			With("reason", venues.ReasonAboveMax).With("maxLeverage", venues.FormatDecimal(most.Decimal))
	}
	change, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.LeverageChange]) any {
		return changeLeverage{reply, cmd}
	})
	return change, edgeError(err)
}

// Funds returns balances and open positions, at most fundsFresh old.
func (c Client) Funds(ctx context.Context) (Funds, error) {
	funds, err := actors.Ask(ctx, c.ref, func(reply fundsReply) any { return getFunds{reply} })
	if errors.Is(err, actors.ErrDeadline) { // a reading has no unknown outcome
		return funds, venues.Errorf(venues.CodeExchangeUnavailable, "%s does not answer", c.exchange).Because(err)
	}
	return funds, repeatableError(err)
}

// repeatableError is edgeError for requests that can be repeated without harm: if the
// account has failed meanwhile, the client may repeat them.
func repeatableError(err error) error {
	if errors.Is(err, actors.ErrFailed) {
		return startingError(err)
	}
	return edgeError(err)
}

// startingError is returned for a request that the account has not handled, or that
// can be repeated, because it is being started again.
func startingError(cause error) *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the account is starting").Because(cause)
	e.RetryAfter = maintenanceRetry
	return e
}

// edgeError turns errors of package actors into errors that a client may see. After a
// timeout, and if the account has ended meanwhile, the outcome is unknown.
func edgeError(err error) error {
	if _, ours := errors.AsType[*venues.Error](err); err == nil || ours {
		return err
	}
	switch {
	case errors.Is(err, actors.ErrBusy):
		e := venues.Errorf(venues.CodeRateLimited, "too many requests are pending for the account").Because(err)
		e.RetryAfter = time.Second
		return e
	case errors.Is(err, actors.ErrStopped):
		return startingError(err)
	default:
		// exchange_unavailable would mean that nothing was placed.
		return venues.Errorf(venues.CodeInternal, "no reply in time; the outcome is not known").
			With("orderState", "unknown").Because(err)
	}
}

// Observer passes the events of a private connection to the account. It is safe for
// concurrent use and never blocks.
type Observer struct{ ref actors.Ref }

// Report passes a report of an order.
func (o Observer) Report(r venues.ExecutionReport) { o.ref.Tell(observed{report: &r}) }

// Position passes the new state of a position.
func (o Observer) Position(p venues.Position) { o.ref.Tell(observed{position: &p}) }

// BalancesChanged notifies the account that balances have changed.
func (o Observer) BalancesChanged() { o.ref.Tell(observed{balancesChanged: true}) }

// Connected notifies the account that the stream is connected.
func (o Observer) Connected() { o.ref.Tell(observed{connected: true}) }

// Lost notifies the account that events may have been missed.
func (o Observer) Lost(error) { o.ref.Tell(observed{lost: true}) }
