package account

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// cancelsAtOnce bounds the cancels of one CancelAll that run at the same time.
	cancelsAtOnce = 16
	// cancelAllWithin bounds the time within which CancelAll tries to leave nothing
	// open.
	cancelAllWithin = 6 * time.Second
)

// CancelAll cancels every order of the account, or of one symbol, and returns the result
// of each. Orders that arrive meanwhile and orders that were made elsewhere are cancelled
// too: it continues until the venue's own list is empty, or for cancelAllWithin. Orders
// that remain then have their newest result.
func (c Client) CancelAll(ctx context.Context, cmd venues.CancelOrders) ([]venues.CancelResult, error) {
	end := time.Now().Add(cancelAllWithin)
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	var results []venues.CancelResult
	for again := false; ; again = true {
		list, err := c.open(ctx, cmd.Symbol, again)
		switch {
		case err != nil && !again:
			return nil, repeatableError(err)
		case err != nil:
			return results, nil
		}
		if due := c.stillOpen(list, results); len(due) > 0 {
			results = merged(results, c.cancelEach(ctx, cmd.Command, due))
		}
		if (list.err == nil && len(list.atVenue) == 0) || time.Until(end) <= openPauseMin {
			return results, nil
		}
	}
}

func (c Client) open(ctx context.Context, symbol string, again bool) (openOrders, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[openOrders]) any {
		return getOpen{Reply: reply, symbol: c.canonical(symbol), again: again}
	})
}

// stillOpen returns the orders to cancel: those that were not cancelled yet, and those that
// the venue still lists.
func (c Client) stillOpen(list openOrders, results []venues.CancelResult) []string {
	return slices.DeleteFunc(list.unfinished, func(id string) bool {
		return !list.atVenue[id] && slices.ContainsFunc(results, func(r venues.CancelResult) bool { return r.OrderID == id })
	})
}

// merged replaces older results by newer ones.
func merged(results, newer []venues.CancelResult) []venues.CancelResult {
	for _, r := range newer {
		n := slices.IndexFunc(results, func(old venues.CancelResult) bool { return old.OrderID == r.OrderID })
		switch {
		case n < 0:
			results = append(results, r)
		case r.Result != venues.CancelNotFound: // the first cancel has removed it
			results[n] = r
		}
	}
	return results
}

func (c Client) cancelEach(ctx context.Context, cmd venues.Command, ids []string) []venues.CancelResult {
	results := make([]venues.CancelResult, len(ids))
	var wait sync.WaitGroup
	places := make(chan struct{}, cancelsAtOnce)
	for i, id := range ids {
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			results[i] = c.cancelOne(ctx, cmd, id)
		})
	}
	wait.Wait()
	return results
}

func (c Client) cancelOne(ctx context.Context, cmd venues.Command, orderID string) venues.CancelResult {
	result := venues.CancelResult{OrderID: orderID, Exchange: c.exchange, Result: venues.CancelDone}
	record, err := c.store.Order(ctx, c.customer, orderID)
	if errors.Is(err, persistence.ErrNotFound) {
		err = venues.Errorf(venues.CodeNotFound, "no order %s", orderID)
	}
	var order venues.Order
	if err == nil {
		result.Symbol = record.Symbol
		order, err = c.Cancel(ctx, &record, venues.CancelOrder{Command: cmd, OrderID: orderID})
	}
	switch {
	case err == nil && order.Status.IsClosed():
	case err == nil:
		result.Result = venues.CancelUnknown
	case venues.CodeOf(err) == venues.CodeNotFound:
		result.Result = venues.CancelNotFound
	case venues.CodeOf(err) == venues.CodeInternal: // no reply in time
		result.Result = venues.CancelUnknown
	default:
		result.Result = venues.CancelFailed
		result.Error, _ = errors.AsType[*venues.Error](err)
	}
	return result
}
