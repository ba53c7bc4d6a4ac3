package channel

import (
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
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error)
}

// Inbox is what the actor reads besides, of its own.
type Inbox interface {
	Channels(ctx context.Context, customer string) ([]persistence.Channel, error)
	UnfinishedSignals(ctx context.Context, customer, channel string) ([]persistence.SignalRecord, error)
	Signals(ctx context.Context, q persistence.SignalQuery) (persistence.Page[persistence.SignalRecord], error)
}

// Market has the instruments of each exchange; false is one that is not served.
type Market interface {
	Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool)
}

// NewClient makes the client of the channel that runs at ref.
func NewClient(ref actors.Ref, channel persistence.Channel, store Store, market Market) Client {
	return Client{ref, channel, store, market}
}

// Follow says that another state of the channel's record is durable. It never
// waits: signals that are accepted later are held to it, and so is each step that
// begins later.
func (c Client) Follow(record persistence.Channel) { c.ref.Tell(changed{record: record}) }

// acceptTriesMax bounds the attempts under one request id: each is freed by proof
// while the next one is on its way.
const acceptTriesMax = 3

// Accept takes a signal. Without an error it is durable, and the answer is how it
// stands within AnswerWithin. A repeat is answered with what became of the first
// one. Errors are *venues.Error: the refusal of a rule, of the account or of the
// venue; rate_limited while too many signals wait; internal_error, with
// details.orderState, when it is not known whether the signal was taken.
func (c Client) Accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error) {
	answer, err := c.accept(ctx, s)
	return answer, edgeError(err)
}

func (c Client) accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error) {
	fault := c.identify(&s)
	attempt, prior, err := c.attempt(ctx, &s)
	switch {
	case err != nil:
		return venues.SignalAnswer{}, err
	case prior != nil:
		return c.repeat(ctx, prior.OrderID)
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
			return out.answer, err
		}
		prior, ok := exists.Found.(persistence.IdempotencyRecord)
		switch {
		case !ok:
			return venues.SignalAnswer{}, err
		case prior.Holds(time.Now()):
			return c.repeat(ctx, prior.OrderID)
		}
		attempt = prior.Attempt + 1
	}
	return venues.SignalAnswer{}, err
}

// identify gives the instrument its canonical name, or says why it cannot be
// traded. What trades nothing may speak of any.
func (c Client) identify(s *venues.Signal) *venues.Error {
	if s.Symbol == "" || s.Action == venues.ActionNotify {
		return nil
	}
	if s.Exchange != "" {
		return c.canonical(s, s.Exchange)
	}
	fault := venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of any exchange", s.Symbol).With("symbol", s.Symbol)
	for _, exchange := range venues.All() {
		at := c.canonical(s, exchange)
		if at == nil {
			return nil
		}
		if at.Code == venues.CodeMaintenance {
			fault = at
		}
	}
	return fault
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

// repeat answers with the current state of what the first signal made.
func (c Client) repeat(ctx context.Context, signalID string) (venues.SignalAnswer, error) {
	record, err := c.store.Signal(ctx, c.channel.Customer, signalID)
	if errors.Is(err, persistence.ErrNotFound) {
		// The store did not take the first one after all.
		return venues.SignalAnswer{}, persistence.ErrUnavailable
	}
	if err != nil {
		return venues.SignalAnswer{}, err
	}
	order, err := c.madeBy(ctx, &record)
	if err != nil {
		return venues.SignalAnswer{}, err
	}
	answer := answerOf(&record, order)
	answer.Duplicate = true
	return answer, nil
}

// madeBy is the order by which a signal is answered: the last one of a plan that
// is through. Of one that is not, it is the order that opens, which the account
// may have before the channel has heard of it.
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

// answerOf is what there is to say of a signal and of the order that it made.
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
