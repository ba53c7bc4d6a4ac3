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
	// cancelAllWithin bounds the time in which CancelAll repeats cancels of open orders.
	cancelAllWithin = 6 * time.Second
	// listReadsMax bounds the readings of the venue's list for one CancelAll.
	listReadsMax = 2
	// retryPauseMin is the wait before the cancels of orders that remain are repeated. It
	// doubles up to retryPauseMax.
	retryPauseMin = 250 * time.Millisecond
	retryPauseMax = time.Second
)

// CancelAll cancels every order of the account, or of one symbol, and returns the result of
// each, also of orders that are placed meanwhile or were made elsewhere. To find the latter it
// reads the venue's list: with a private stream at the same time as the cancels, unless it was
// read within listEvery; without a stream after the cancels, and again after those of the orders
// that it has found. Cancels and readings that fail are repeated for cancelAllWithin; an order
// that remains has the result of its last cancel. It is an error if the list cannot be read and
// no open order is known.
func (c Client) CancelAll(ctx context.Context, cmd venues.CancelOrders) ([]venues.CancelResult, error) {
	end := time.Now().Add(cancelAllWithin)
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	var results []venues.CancelResult
	isComplete := false // all open orders have been known once
	pause := retryPauseMin
	for reads := 0; ; {
		known, err := c.openOrders(ctx, cmd.Symbol, false)
		if err != nil {
			return c.resultsOrError(results, isComplete, err)
		}
		read := c.readOpen(ctx, cmd.Symbol, reads < listReadsMax, known.streamed)
		results = merged(results, c.cancelEach(ctx, cmd.Command, known.due(results)))
		list, err := read()
		if err != nil {
			return c.resultsOrError(results, isComplete, err)
		}
		if list.err == nil {
			reads++
		}
		isKnown := list.err == nil || list.streamed
		isComplete = isComplete || isKnown
		due := list.due(results)
		switch {
		case slices.ContainsFunc(due, func(id string) bool { return indexOf(results, id) < 0 }):
			continue // others have appeared
		case len(due) == 0 && isKnown:
			return results, nil
		case !pauseFor(ctx, pause):
			return c.resultsOrError(results, isComplete, list.err)
		}
		pause = min(2*pause, retryPauseMax)
	}
}

// resultsOrError returns the results so far. Without any it returns cause if it is not known which
// orders are open: no order to cancel would be a guess.
func (c Client) resultsOrError(results []venues.CancelResult, isComplete bool, cause error) ([]venues.CancelResult, error) {
	if len(results) > 0 || isComplete {
		return results, nil
	}
	return nil, c.readError(cause)
}

// pauseFor waits for d, and reports whether the deadline of ctx is later.
func pauseFor(ctx context.Context, d time.Duration) bool {
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// openOrders returns the open orders: as they are known here, or after a reading of the venue's list.
func (c Client) openOrders(ctx context.Context, symbol string, read bool) (openOrders, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[openOrders]) any {
		return getOpen{Reply: reply, symbol: c.canonical(symbol), read: read}
	})
}

// readOpen returns a function with the result of openOrders. If atOnce is set, the venue's list is
// read from now on, else by that function. The result includes the orders that are known when
// the function is called.
func (c Client) readOpen(ctx context.Context, symbol string, read, atOnce bool) func() (openOrders, error) {
	if !atOnce {
		return func() (openOrders, error) { return c.openOrders(ctx, symbol, read) }
	}
	var list openOrders
	var err error
	var wait sync.WaitGroup
	wait.Go(func() { list, err = c.openOrders(ctx, symbol, read) })
	return func() (openOrders, error) {
		wait.Wait()
		if err != nil {
			return list, err
		}
		now, err := c.openOrders(ctx, symbol, false)
		list.unfinished = now.unfinished
		return list, err
	}
}

// due returns the ids of the orders to cancel: those without a result, and those that the
// venue has and of which the last cancel failed or has an unknown outcome.
func (l openOrders) due(results []venues.CancelResult) []string {
	return slices.DeleteFunc(slices.Clone(l.unfinished), func(id string) bool {
		n := indexOf(results, id)
		return n >= 0 && (!l.atVenue[id] || results[n].Result == venues.CancelDone || results[n].Result == venues.CancelNotFound)
	})
}

func indexOf(results []venues.CancelResult, id string) int {
	return slices.IndexFunc(results, func(r venues.CancelResult) bool { return r.OrderID == id })
}

// merged replaces older results by newer ones.
func merged(results, newer []venues.CancelResult) []venues.CancelResult {
	for _, r := range newer {
		switch n := indexOf(results, r.OrderID); {
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
	eachAtOnce(len(ids), cancelsAtOnce, func(i int) { results[i] = c.cancelOne(ctx, cmd, ids[i]) })
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
