package channel

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Client is the client of a channel. It is safe for concurrent use.
type Client struct {
	ref     actors.Ref
	channel persistence.Channel
	store   Store
	market  Market
}

// Store reads signals and the orders they created.
type Store interface {
	Signal(ctx context.Context, customer, id string) (persistence.SignalRecord, error)
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error)
}

// Inbox is what the actor itself reads.
type Inbox interface {
	Channels(ctx context.Context, customer string) ([]persistence.Channel, error)
	UnfinishedSignals(ctx context.Context, customer, channel string) ([]persistence.SignalRecord, error)
	Signals(ctx context.Context, q persistence.SignalQuery) (persistence.Page[persistence.SignalRecord], error)
}

// Market returns the instruments of an exchange, or false if it is not connected.
type Market interface {
	Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool)
}

// NewClient returns a client of the channel at ref.
func NewClient(ref actors.Ref, channel persistence.Channel, store Store, market Market) Client {
	return Client{ref, channel, store, market}
}

// Follow passes on a version of the channel's record that is durable. It does not
// wait. The record applies to every signal that is accepted, and every step that
// begins, afterwards.
func (c Client) Follow(record persistence.Channel) { c.ref.Tell(changed{record: record}) }

// acceptTriesMax bounds the attempts under one requestId: each claim may be freed
// while the next attempt is under way.
const acceptTriesMax = 3

// Accept accepts a signal. If it returns no error the signal is durable, and the
// response is its state within AnswerWithin, with the order as soon as that has an id. A
// repeat returns the state of the first signal. Errors are *venues.Error: the rejection by
// a rule, the account or the venue; rate_limited if too many signals are pending; internal_error, with
// details.orderState, if it is not known whether the signal was accepted.
func (c Client) Accept(ctx context.Context, s venues.Signal) (venues.SignalResponse, error) {
	answer, err := c.accept(ctx, s)
	if err == nil && answer.Status == string(venues.StatusPending) && answer.OrderID == "" {
		// The account stores an order before it sends it, and the channel knows it later.
		if current, unread := c.current(ctx, answer.SignalID); unread == nil {
			current.Duplicate = answer.Duplicate
			answer = current
		}
	}
	return answer, edgeError(err)
}

func (c Client) accept(ctx context.Context, s venues.Signal) (venues.SignalResponse, error) {
	rejection := c.identify(&s)
	attempt, prior, err := c.attempt(ctx, &s)
	switch {
	case err != nil:
		return venues.SignalResponse{}, err
	case prior != nil:
		return c.repeat(ctx, prior.OrderID)
	}
	for range acceptTriesMax {
		var out outcome
		out, err = actors.Ask(ctx, c.ref, func(reply actors.Reply[outcome]) any {
			return accept{reply, s, attempt, rejection}
		})
		if err == nil && out.repeatOf != "" {
			return c.repeat(ctx, out.repeatOf)
		}
		exists, is := errors.AsType[*persistence.ExistsError](err)
		if !is {
			return out.answer, err
		}
		prior, ok := exists.Found.(persistence.IdempotencyRecord)
		switch {
		case !ok:
			return venues.SignalResponse{}, err
		case prior.Holds(time.Now()):
			return c.repeat(ctx, prior.OrderID)
		}
		attempt = prior.Attempt + 1
	}
	return venues.SignalResponse{}, err
}

// identify sets the canonical name of the instrument, or returns why it cannot be
// traded. A notification may name any instrument.
func (c Client) identify(s *venues.Signal) *venues.Error {
	if s.Symbol == "" || s.Action == venues.ActionNotify {
		return nil
	}
	if s.Exchange != "" {
		return c.canonical(s, s.Exchange)
	}
	rejection := venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of any exchange", s.Symbol).With("symbol", s.Symbol)
	for _, exchange := range venues.All() {
		at := c.canonical(s, exchange)
		if at == nil {
			return nil
		}
		if at.Code == venues.CodeMaintenance {
			rejection = at
		}
	}
	return rejection
}

func (c Client) canonical(s *venues.Signal, exchange venues.Venue) *venues.Error {
	set, served := c.market.Instruments(exchange)
	switch {
	case !served:
		return venues.Errorf(venues.CodeNotFound, "%s is not connected", exchange).With("exchange", string(exchange))
	case set == nil:
		e := venues.Errorf(venues.CodeMaintenance, "the instruments of %s are not known yet", exchange)
		e.RetryAfter = time.Second
		return e
	}
	i, known := set.Find(s.Symbol)
	if !known {
		return venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of %s", s.Symbol, exchange).With("symbol", s.Symbol)
	}
	s.Symbol = i.Symbol
	return nil
}

// attempt returns the number of the next attempt under the signal's requestId, or the
// claim that holds it.
func (c Client) attempt(ctx context.Context, s *venues.Signal) (int, *persistence.IdempotencyRecord, error) {
	if s.RequestID == "" {
		return 1, nil, nil
	}
	prior, err := c.store.Idempotency(ctx, c.channel.Customer, signalScope(c.channel.ID), s.RequestID)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return 1, nil, nil
	case err != nil:
		return 0, nil, err
	case prior.Holds(time.Now()):
		return 0, &prior, nil
	}
	return prior.Attempt + 1, nil, nil
}

// repeat returns the current state of the signal that was received first.
func (c Client) repeat(ctx context.Context, signalID string) (venues.SignalResponse, error) {
	answer, err := c.current(ctx, signalID)
	answer.Duplicate = err == nil
	return answer, err
}

// current returns the current state of a signal.
func (c Client) current(ctx context.Context, signalID string) (venues.SignalResponse, error) {
	record, err := c.store.Signal(ctx, c.channel.Customer, signalID)
	if errors.Is(err, persistence.ErrNotFound) {
		// The first one was not stored after all.
		return venues.SignalResponse{}, persistence.ErrUnavailable
	}
	if err != nil {
		return venues.SignalResponse{}, err
	}
	order, err := c.madeBy(ctx, &record)
	if err != nil {
		return venues.SignalResponse{}, err
	}
	return answerOf(&record, order), nil
}

// madeBy returns the order that a response reports: the last one of a finished plan.
// While a plan is under way it is the opening order, which the account may have before
// the channel knows it.
func (c Client) madeBy(ctx context.Context, record *persistence.SignalRecord) (*venues.Order, error) {
	id := ""
	if record.Status.IsFinal() {
		if n := len(record.OrderIDs); n > 0 {
			id = record.OrderIDs[n-1]
		}
	} else {
		claim, err := c.store.Idempotency(ctx, c.channel.Customer, firstStep(record.Action).scope(c.channel.ID), record.RequestID)
		switch {
		case err == nil && sameReceipt(claim.FirstReceived, record.ReceivedAt):
			id = claim.OrderID
		case err != nil && !errors.Is(err, persistence.ErrNotFound):
			return nil, err
		}
	}
	if id == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	made, err := c.store.Order(ctx, c.channel.Customer, id)
	return &made.Order, err
}

// answerOf returns the response for a signal and the order that it created, if any.
func answerOf(r *persistence.SignalRecord, order *venues.Order) venues.SignalResponse {
	a := venues.SignalResponse{SignalID: r.ID, RequestID: r.RequestID, Status: string(r.Status)}
	if !r.Status.IsFinal() {
		a.Status = string(venues.StatusPending)
	}
	if order != nil {
		a.OrderID, a.Status, a.FilledQty, a.AvgPrice = order.OrderID, string(order.Status), order.FilledQty, order.AvgPrice
	}
	return a
}

// edgeError converts errors of the actor system into errors that a client may see.
func edgeError(err error) error {
	if _, ours := errors.AsType[*venues.Error](err); err == nil || ours {
		return err
	}
	switch {
	case errors.Is(err, persistence.ErrDiskFull):
		return venues.DiskFull(err)
	case errors.Is(err, actors.ErrBusy):
		return busy().Because(err)
	case errors.Is(err, actors.ErrStopped), errors.Is(err, persistence.ErrUnavailable):
		e := venues.Errorf(venues.CodeMaintenance, "the channel cannot accept signals now").Because(err)
		e.RetryAfter = time.Second
		return e
	default:
		return venues.Errorf(venues.CodeInternal, "no answer in time; it is not known whether the signal was accepted").
			With("orderState", "unknown").Because(err)
	}
}

func busy() *venues.Error {
	e := venues.Errorf(venues.CodeRateLimited, "too many pending signals on this channel")
	e.RetryAfter = time.Second
	return e
}
