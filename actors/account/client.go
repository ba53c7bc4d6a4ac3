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
	"venuegate/actors/account/risk"
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

// placeTriesMax bounds the commands that Place sends for one call. It sends another one once
// the mark price is known, or if an earlier attempt under the request id has placed nothing,
// so that the id is free again.
const placeTriesMax = 3

// Place places an order and returns its record; status unknown means that its outcome is
// not known. Errors: duplicate_request with the first order of the request id; the venue's
// rejection with details.order; exchange_unavailable or maintenance if certainly nothing was
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
			return order, clientError(err)
		}
		prior, ok := exists.Found.(persistence.IdempotencyRecord)
		switch {
		case !ok:
			return venues.Order{}, commitError(err)
		case prior.Holds(time.Now()):
			return venues.Order{}, c.duplicate(ctx, prior, cmd.BodyHash)
		}
		attempt = prior.Attempt + 1
	}
	if errors.Is(err, persistence.ErrExists) {
		return venues.Order{}, commitError(err) // no intent was stored: certainly nothing was placed
	}
	return venues.Order{}, clientError(err)
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

// duplicate returns the error of a repeated request, with the current state of the first
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

const (
	// markWaitMax is how long an order without a price waits for the mark price, which is
	// needed for its notional. The mark price of an instrument without recent trading is
	// unknown until it is read.
	markWaitMax = time.Second
	// markPollEvery is how often the mark price is looked up meanwhile.
	markPollEvery = 20 * time.Millisecond
)

// isUnpriced reports whether an order was rejected because its notional is unknown.
func isUnpriced(err error) bool {
	rejection, ok := errors.AsType[*venues.Error](err)
	if !ok || rejection.Code != venues.CodeRiskRejected || rejection.Details["rule"] != risk.RuleMaxNotional {
		return false
	}
	_, priced := rejection.Details["given"]
	return !priced
}

// awaitMark waits for a mark price, at most markWaitMax, and reports whether it is known.
func (c Client) awaitMark(ctx context.Context, symbol string) bool {
	ctx, cancel := context.WithTimeout(ctx, markWaitMax)
	defer cancel()
	ticker := time.NewTicker(markPollEvery)
	defer ticker.Stop()
	for !c.market.Mark(symbol).Valid {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Amend changes an active order and returns its record, which may have a new id. record is
// the stored order. Stop loss and take profit can be changed as long as they protect what the
// order has opened. If the order is not active, the error is not_found with details.status.
func (c Client) Amend(ctx context.Context, record *persistence.OrderRecord, cmd venues.AmendOrder) (venues.Order, error) {
	if record.Status.IsClosed() && (!cmd.ChangesProtection() || !protection.IsChangeable(&record.Order)) {
		return venues.Order{}, notActive(&record.Order)
	}
	instrument, _ := c.market.Instrument(record.Symbol)
	order, err := actors.Ask(ctx, c.ref, func(reply orderReply) any {
		return amendOrder{reply, cmd, instrument, c.market.Mark(record.Symbol)}
	})
	return order, clientError(err)
}

// Cancel cancels an order and returns its record. record is the stored order. If the order
// is not active, the error is not_found with details.status.
func (c Client) Cancel(ctx context.Context, record *persistence.OrderRecord, cmd venues.CancelOrder) (venues.Order, error) {
	if record.Status.IsClosed() {
		return venues.Order{}, notActive(&record.Order)
	}
	order, err := actors.Ask(ctx, c.ref, func(reply orderReply) any { return cancelOrder{reply, cmd} })
	return order, clientError(err)
}

// Ready returns nil if the account accepts orders. Until its first reading of its venue the
// error is maintenance.
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
	p, err := c.positionToClose(ctx, &cmd)
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

// positionToClose returns the position that a command closes. It reads the positions before
// it returns that there is none: the fill that opened one may not have arrived yet.
func (c Client) positionToClose(ctx context.Context, cmd *venues.ClosePosition) (venues.Position, error) {
	for _, mustRead := range []bool{false, true} {
		funds, err := c.funds(ctx, positionsPart, mustRead)
		if err != nil {
			return venues.Position{}, err
		}
		p, err := c.toClose(funds.Positions, cmd)
		if !isNoPosition(err) {
			return p, err
		}
	}
	return venues.Position{}, venues.NoPosition(c.canonical(cmd.Symbol))
}

func isNoPosition(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	return ok && e.Details["reason"] == venues.ReasonNoPosition
}

// toClose returns the position among the open ones that a command closes.
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
		return venues.Position{}, venues.NoPosition(symbol)
	case 1:
		return open[0], nil
	default: // hedge mode: the command does not name the side
		return venues.Position{}, venues.Errorf(venues.CodeOrderRejected, "%s is open both long and short; close by reduce-only orders", symbol).
			With("reason", "two_positions")
	}
}

// canonical returns the service's spelling of a symbol, or the symbol itself if it is not
// listed.
func (c Client) canonical(symbol string) string {
	if i, known := c.market.Instrument(symbol); known {
		return i.Symbol
	}
	return symbol
}

// SetLeverage changes the leverage of an instrument and returns the leverage that is in force
// at the venue afterwards.
func (c Client) SetLeverage(ctx context.Context, cmd venues.ChangeLeverage) (venues.LeverageChange, error) {
	instrument, known := c.market.Instrument(cmd.Symbol)
	if !known {
		return venues.LeverageChange{}, notListed(cmd.Symbol, c.exchange)
	}
	cmd.Symbol = instrument.Symbol
	if limit := instrument.MaxLeverage; limit.Valid && cmd.Leverage.GreaterThan(limit.Decimal) {
		return venues.LeverageChange{}, venues.Errorf(venues.CodeLeverageChangeRejected, "leverage above the maximum").
			With("reason", venues.ReasonAboveMax).With("maxLeverage", venues.FormatDecimal(limit.Decimal))
	}
	change, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.LeverageChange]) any {
		return changeLeverage{reply, cmd}
	})
	return change, clientError(err)
}

// Balances returns the balances, with unrealized P&L and equity at the present mark prices.
// They include every change that is known. They are those in memory while the private stream
// reports changes, and at most fundsMax old; else they are read, for all callers at once.
func (c Client) Balances(ctx context.Context) ([]venues.Balance, error) {
	funds, err := c.funds(ctx, balancesPart, false)
	return funds.Balances, err
}

// Positions returns the open positions, valued at the present mark prices. They include every
// fill that is known; else they are as old as Balances.
func (c Client) Positions(ctx context.Context) ([]venues.Position, error) {
	funds, err := c.funds(ctx, positionsPart, false)
	return funds.Positions, err
}

func (c Client) funds(ctx context.Context, part fundsPart, mustRead bool) (Funds, error) {
	funds, err := actors.Ask(ctx, c.ref, func(reply fundsReply) any { return getFunds{reply, part, mustRead} })
	return funds, c.readError(err)
}

// readError returns the error of a reading, which has no unknown outcome.
func (c Client) readError(err error) error {
	if errors.Is(err, actors.ErrDeadline) {
		return venues.Errorf(venues.CodeExchangeUnavailable, "%s does not answer", c.exchange).Because(err)
	}
	return repeatableError(err)
}

// Configure applies the account's record: it sets the limits, and halts the account or
// resumes trading. The record must be durable; it is loaded at the next start. A halt
// continues after the return; see AwaitHalt.
func (c Client) Configure(ctx context.Context, control persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any {
		return configure{reply, control}
	})
	return repeatableError(err)
}

// AwaitHalt waits for the end of a halt, at most haltMax, and returns its report.
func (c Client) AwaitHalt(ctx context.Context) (venues.HaltReport, error) {
	result, err := actors.Ask(ctx, c.ref, func(reply haltReply) any { return awaitHalt{reply} })
	return result, repeatableError(err)
}

// Risk returns the loss of the day by its parts. It reads the positions as Positions does, for
// at most fundsWaitMax, and else returns the loss as of the newest reading.
func (c Client) Risk(ctx context.Context) (venues.RiskReport, error) {
	reading, cancel := context.WithTimeout(ctx, fundsWaitMax)
	_, _ = c.funds(reading, positionsPart, false) // AsOf of the report has the age
	cancel()
	report, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.RiskReport]) any { return getRisk{reply} })
	return report, c.readError(err)
}

// Unlock ends the lock that a limit has caused. The loss so far is forgiven: the daily loss
// counts from zero again.
func (c Client) Unlock(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any { return unlock{reply} })
	return repeatableError(err)
}
