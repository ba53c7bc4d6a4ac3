package account

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Client is the way into an account. It is a small value, safe for concurrent
// use; every call is bounded by its context. A call that timed out may still be
// carried out.
type Client struct {
	ref      actors.Ref
	customer string
	exchange venues.Venue
	store    persistence.Reader
	market   Market
}

// NewClient makes the client of the account that runs at ref.
func NewClient(ref actors.Ref, c Config, store persistence.Reader, market Market) Client {
	return Client{ref: ref, customer: c.Customer, exchange: c.Exchange, store: store, market: market}
}

// placeTriesMax bounds the attempts under one request id: each is freed by proof
// while the next one is on its way.
const placeTriesMax = 3

// Place places an order. Without an error the order is the record: its status
// says whether the outcome is known. Errors: duplicate_request with the order
// that the request id made; the venue's refusal with details.order;
// exchange_unavailable if it is proven that nothing was placed.
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

// attempt is the next one under a request id, or the error that an earlier one
// holds it.
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

// duplicate answers a repeat with the current state of the first order.
func (c Client) duplicate(ctx context.Context, prior persistence.IdempotencyRecord, body []byte) error {
	record, err := c.store.Order(ctx, c.customer, prior.OrderID)
	if err != nil {
		return err
	}
	return venues.Errorf(venues.CodeDuplicateRequest, "the requestId was already handled").
		With("orderId", record.OrderID).With("status", string(record.Status)).
		With("order", record.Order).With("sameBody", bytes.Equal(prior.BodyHash, body))
}

// Amend changes an active order; the record returned may have a new id.
// Stop loss and take profit can be changed for as long as they protect what the
// order has opened.
func (c Client) Amend(ctx context.Context, cmd venues.AmendOrder) (venues.Order, error) {
	record, err := c.stored(ctx, cmd.OrderID)
	if err != nil && (!cmd.ChangesProtection() || !isProtectable(&record.Order)) {
		return venues.Order{}, err
	}
	instrument, _ := c.market.Instrument(record.Symbol)
	order, err := actors.Ask(ctx, c.ref, func(reply orderReply) any {
		return amendOrder{reply, cmd, instrument, c.market.Mark(record.Symbol)}
	})
	return order, edgeError(err)
}

// Cancel ends an order. Error not_found, with details.status where the order
// exists: it was not active any more.
func (c Client) Cancel(ctx context.Context, cmd venues.CancelOrder) (venues.Order, error) {
	if _, err := c.stored(ctx, cmd.OrderID); err != nil {
		return venues.Order{}, err
	}
	order, err := actors.Ask(ctx, c.ref, func(reply orderReply) any { return cancelOrder{reply, cmd} })
	return order, edgeError(err)
}

// stored finds an order that has not ended.
func (c Client) stored(ctx context.Context, orderID string) (persistence.OrderRecord, error) {
	record, err := c.store.Order(ctx, c.customer, orderID)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return record, venues.Errorf(venues.CodeNotFound, "no order %s", orderID)
	case err != nil:
		return record, err
	case record.Status.IsClosed():
		return record, notActive(&record.Order)
	}
	return record, nil
}

// Close places a reduce-only market order against an open position. A repeat is
// known before the position is looked for: the first may have closed it.
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
		Source: cmd.Source, ChannelID: cmd.ChannelID, Comment: cmd.Comment, ClosesAs: cmd.ClosesAs,
	})
}

// toClose finds the position that a command means.
func (c Client) toClose(positions []venues.Position, cmd *venues.ClosePosition) (venues.Position, error) {
	symbol := c.canonical(cmd.Symbol)
	open := slices.DeleteFunc(slices.Clone(positions), func(p venues.Position) bool {
		return p.Symbol != symbol || (cmd.Closes != "" && cmd.Closes != p.Side.ClosedBy())
	})
	switch len(open) {
	case 0:
		if _, known := c.market.Instrument(symbol); !known {
			return venues.Position{}, notListed(symbol, c.exchange)
		}
		return venues.Position{}, venues.Errorf(venues.CodeOrderRejected, "no open position in %s", symbol).With("reason", venues.ReasonNoPosition)
	case 1:
		return open[0], nil
	default: // hedge mode: the command does not say which
		return venues.Position{}, venues.Errorf(venues.CodeOrderRejected, "%s is open both long and short; close by reduce-only orders", symbol).
			With("reason", "two_positions")
	}
}

// canonical is the service's own spelling of a symbol, if it is known.
func (c Client) canonical(symbol string) string {
	if i, known := c.market.Instrument(symbol); known {
		return i.Symbol
	}
	return symbol
}

// SetLeverage changes the leverage of an instrument and reads it back.
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

// Funds reads balances and open positions, at most fundsFresh old.
func (c Client) Funds(ctx context.Context) (Funds, error) {
	funds, err := actors.Ask(ctx, c.ref, func(reply fundsReply) any { return getFunds{reply} })
	if errors.Is(err, actors.ErrDeadline) { // nothing was to be done but to ask the venue
		return funds, venues.Errorf(venues.CodeExchangeUnavailable, "%s does not answer", c.exchange).Because(err)
	}
	return funds, repeatable(err)
}

// repeatable is edgeError of what can be asked again without harm.
func repeatable(err error) error {
	if errors.Is(err, actors.ErrFailed) {
		return starting(err)
	}
	return edgeError(err)
}

// starting is the answer of an account that has done nothing.
func starting(cause error) *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the account is starting").Because(cause)
	e.RetryAfter = maintenanceRetry
	return e
}

// edgeError turns the kit's refusals into what a client may see. After a
// time-out, and if the account has ended meanwhile, the outcome is not known, and
// said so.
func edgeError(err error) error {
	if _, ours := errors.AsType[*venues.Error](err); err == nil || ours {
		return err
	}
	switch {
	case errors.Is(err, actors.ErrBusy):
		e := venues.Errorf(venues.CodeRateLimited, "the account has too much to do").Because(err)
		e.RetryAfter = time.Second
		return e
	case errors.Is(err, actors.ErrStopped):
		return starting(err)
	default:
		// exchange_unavailable would say that nothing was placed.
		return venues.Errorf(venues.CodeInternal, "no answer came; the outcome is not known").
			With("orderState", "unknown").Because(err)
	}
}

// Observer hands the events of a private connection to the account. It is safe
// for concurrent use and never blocks.
type Observer struct{ ref actors.Ref }

// Report tells of an order.
func (o Observer) Report(r venues.ExecutionReport) { o.ref.Tell(observed{report: &r}) }

// Position tells the new state of a position.
func (o Observer) Position(p venues.Position) { o.ref.Tell(observed{position: &p}) }

// BalancesChanged says that balances moved.
func (o Observer) BalancesChanged() { o.ref.Tell(observed{balancesChanged: true}) }

// Connected says that the stream is up.
func (o Observer) Connected() { o.ref.Tell(observed{connected: true}) }

// Lost says that events may have been missed.
func (o Observer) Lost(error) { o.ref.Tell(observed{lost: true}) }
