package channel

import (
	"bytes"
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Client is the way to a channel; safe for concurrent use.
type Client struct {
	ref     actors.Ref
	channel persistence.Channel
	store   Store
	market  Market
}

// Store is what is read of signals and of what they made.
type Store interface {
	Signal(ctx context.Context, customer, id string) (persistence.SignalRecord, error)
	UnfinishedSignals(ctx context.Context, customer, channel string) ([]persistence.SignalRecord, error)
	Signals(ctx context.Context, q persistence.SignalQuery) (persistence.Page[persistence.SignalRecord], error)
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error)
}

// Market has the instruments of each exchange; false is one that is not served.
type Market interface {
	Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool)
}

// NewClient makes the client of the channel that runs at ref.
func NewClient(ref actors.Ref, channel persistence.Channel, store Store, market Market) Client {
	return Client{ref, channel, store, market}
}

// acceptTriesMax bounds the attempts under one request id: each is freed by proof
// while the next one is on its way.
const acceptTriesMax = 3

// Accept takes a signal. Without an error it is durable, and the answer is how it
// stands within AnswerWithin. A repeat is answered with what became of the first
// one. Errors are *venues.Error: the refusal of a rule, of the account or of the
// venue; rate_limited while too many signals wait; internal_error, with
// details.orderState, when it is not known whether the signal was taken.
func (c Client) Accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error) {
	fault := c.identify(&s)
	attempt, repeat, err := c.attempt(ctx, &s)
	if err != nil || repeat != nil {
		return c.answerRepeat(ctx, repeat, err)
	}
	for range acceptTriesMax {
		var out outcome
		out, err = actors.Ask(ctx, c.ref, func(reply actors.Reply[outcome]) any {
			return accept{reply, s, attempt, fault}
		})
		if err == nil && out.repeatOf != "" {
			return c.repeat(ctx, out.repeatOf)
		}
		exists, taken := errors.AsType[*persistence.ExistsError](err)
		if !taken {
			return out.answer, edgeError(err)
		}
		prior, ok := exists.Found.(persistence.IdempotencyRecord)
		switch {
		case !ok:
			return venues.SignalAnswer{}, edgeError(err)
		case prior.Holds(time.Now()):
			return c.answerRepeat(ctx, &prior, nil)
		}
		attempt = prior.Attempt + 1
	}
	return venues.SignalAnswer{}, edgeError(err)
}

// identify gives the instrument its canonical name, or says why it cannot be
// traded.
func (c Client) identify(s *venues.Signal) *venues.Error {
	if s.Exchange == "" || s.Symbol == "" {
		return nil
	}
	set, served := c.market.Instruments(s.Exchange)
	switch {
	case !served:
		return venues.Errorf(venues.CodeNotFound, "%s is not connected", s.Exchange).With("exchange", string(s.Exchange))
	case set == nil:
		e := venues.Errorf(venues.CodeMaintenance, "the instruments of %s are not known yet", s.Exchange)
		e.RetryAfter = time.Second
		return e
	}
	i, known := set.Find(s.Symbol)
	if !known {
		return venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of %s", s.Symbol, s.Exchange).With("symbol", s.Symbol)
	}
	s.Symbol = i.Symbol
	return nil
}

// attempt is the next one under the signal's requestId, or the claim that holds
// it.
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

func (c Client) answerRepeat(ctx context.Context, prior *persistence.IdempotencyRecord, err error) (venues.SignalAnswer, error) {
	if err != nil {
		return venues.SignalAnswer{}, err
	}
	return c.repeat(ctx, prior.OrderID)
}

// repeat answers with the current state of what the first signal made.
func (c Client) repeat(ctx context.Context, signalID string) (venues.SignalAnswer, error) {
	record, err := c.store.Signal(ctx, c.channel.Customer, signalID)
	if err != nil {
		return venues.SignalAnswer{}, err
	}
	answer := answerOf(&record, nil)
	if n := len(record.OrderIDs); n > 0 {
		order, err := c.store.Order(ctx, c.channel.Customer, record.OrderIDs[n-1])
		if err != nil {
			return venues.SignalAnswer{}, err
		}
		answer = answerOf(&record, &order.Order)
	} else if prior, err := c.store.Idempotency(ctx, c.channel.Customer, stepOpen.scope(c.channel.ID), record.RequestID); err == nil &&
		!record.Status.IsFinal() && bytes.Equal(prior.BodyHash, record.BodyHash) {
		// The account has its order, and the channel has not heard of it yet.
		if order, err := c.store.Order(ctx, c.channel.Customer, prior.OrderID); err == nil {
			answer = answerOf(&record, &order.Order)
		}
	}
	answer.Duplicate = true
	return answer, nil
}

// answerOf is what there is to say of a signal and of the newest order that it
// made.
func answerOf(r *persistence.SignalRecord, order *venues.Order) venues.SignalAnswer {
	a := venues.SignalAnswer{SignalID: r.ID, RequestID: r.RequestID, Status: string(r.Status)}
	if !r.Status.IsFinal() {
		a.Status = string(venues.StatusPending)
	}
	if order != nil {
		a.OrderID, a.Status, a.FilledQty, a.AvgPrice = order.OrderID, string(order.Status), order.FilledQty, order.AvgPrice
	}
	return a
}

// edgeError turns the kit's refusals into what a client may see.
func edgeError(err error) error {
	if _, ours := errors.AsType[*venues.Error](err); err == nil || ours {
		return err
	}
	switch {
	case errors.Is(err, actors.ErrBusy):
		return busy().Because(err)
	case errors.Is(err, actors.ErrStopped), errors.Is(err, persistence.ErrUnavailable):
		e := venues.Errorf(venues.CodeMaintenance, "the channel cannot take signals now").Because(err)
		e.RetryAfter = time.Second
		return e
	default:
		return venues.Errorf(venues.CodeInternal, "no answer in time; whether the signal was taken is not known").
			With("orderState", "unknown").Because(err)
	}
}

func busy() *venues.Error {
	e := venues.Errorf(venues.CodeRateLimited, "too many signals of this channel wait")
	e.RetryAfter = time.Second
	return e
}
