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
)

// CancelAll cancels every order of the account, or of one symbol, and returns the result
// of each. It also cancels orders that are placed meanwhile or were made elsewhere: it
// continues until the venue's own list is empty, at most for cancelAllWithin. An order that
// remains has the result of its last cancel.
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

// stillOpen returns the ids of the orders to cancel: those without a result, and those that
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

const (
	// openPauseMin is the wait before the venue's list is read again, which reflects a
	// cancel late. It doubles up to openPauseMax while readings follow each other.
	openPauseMin = 250 * time.Millisecond
	openPauseMax = time.Second
	// openReadMax is how long a reading may take before the orders that are known here
	// are cancelled without it.
	openReadMax = 1500 * time.Millisecond
)

// openList is the reading of the venue's list of open orders for CancelAll. The reading is
// expensive under the venue's rate limits, which all accounts share: one is under way at a
// time, for all callers.
type openList struct {
	waiting []getOpen
	reading bool
	// began is when the last reading began, pause how long the next one waits after that.
	began time.Time
	pause time.Duration
}

// openOrders has the ids of the orders that are not closed: unfinished by the records,
// oldest first, and atVenue by the venue's list.
type openOrders struct {
	unfinished []string
	atVenue    map[string]bool
	// err is the reason why the venue's list is not known; nil if it is.
	err error
}

type (
	callOpen struct{ queries []getOpen }
	openDone struct {
		queries []getOpen
		open    []lookedUp
		err     error
	}
)

// getOpen reads the venue's list and adopts the foreign orders in it. The first query of a
// caller does not wait for the pause between readings.
func (s *state) getOpen(step stepContext, in getOpen) {
	if !s.isLoaded {
		in.Reject(maintenance(s.exchange))
		return
	}
	in.unfinished = s.unfinishedOf(in.symbol)
	if !in.again && (s.openList.reading || step.now.Before(s.openList.next())) {
		s.after(replyOpen{to: in.Reply, value: openOrders{unfinished: in.unfinished, err: errReadRecently}})
		return
	}
	s.openList.waiting = append(s.openList.waiting, in)
	s.openTick(step)
}

// next returns when the venue's list may be read again.
func (l *openList) next() time.Time { return l.began.Add(l.pause) }

// due returns when openTick has something to do; zero for never.
func (l *openList) due() time.Time {
	if len(l.waiting) == 0 || l.reading {
		return time.Time{}
	}
	return l.next()
}

// openTick starts a reading of the list for the waiting queries, unless it was read recently.
func (s *state) openTick(step stepContext) {
	l := &s.openList
	if len(l.waiting) == 0 || l.reading || step.now.Before(l.next()) {
		return
	}
	l.pause = min(2*l.pause, openPauseMax)
	if step.now.Sub(l.began) > cancelAllWithin {
		l.pause = openPauseMin
	}
	s.after(callOpen{l.waiting})
	l.waiting, l.reading, l.began = nil, true, step.now
}

func (e callOpen) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		done := openDone{queries: e.queries}
		reading, cancel := context.WithTimeout(c, openReadMax)
		reports, err := a.deps.Venue.OpenOrders(reading)
		cancel()
		done.err = err
		for _, r := range reports {
			found, err := a.findStored(c, &r)
			if err != nil {
				return openDone{queries: e.queries, err: err}
			}
			done.open = append(done.open, lookedUp{report: r, found: found})
		}
		return done
	}, func() any { return openDone{queries: e.queries, err: errPoolFull} })
}

// openRead answers each query with the open orders of its symbol, or of all symbols. Orders
// that were open when the query came are included: they may have ended during the reading.
func (s *state) openRead(step stepContext, in openDone) {
	s.openList.reading = false
	for _, one := range in.open {
		if slices.ContainsFunc(in.queries, func(q getOpen) bool { return q.includes(one.report.Symbol) }) {
			s.orderLookedUp(step, one)
		}
	}
	for _, q := range in.queries {
		list := openOrders{atVenue: map[string]bool{}, err: in.err}
		for _, one := range in.open {
			if o := s.findReported(&one.report); o != nil && q.includes(one.report.Symbol) {
				list.atVenue[o.OrderID] = true
			}
		}
		list.unfinished = slices.Compact(slices.Sorted(slices.Values(append(q.unfinished, s.unfinishedOf(q.symbol)...))))
		s.after(replyOpen{to: q.Reply, value: list})
	}
}

func (q getOpen) includes(symbol string) bool { return q.symbol == "" || q.symbol == symbol }

// unfinishedOf returns the ids of the orders that are not closed, of one symbol or, if it is
// empty, of all, oldest first.
func (x *orderIndex) unfinishedOf(symbol string) []string {
	var ids []string
	for _, o := range x.unfinished() {
		if symbol == "" || o.Symbol == symbol {
			ids = append(ids, o.OrderID)
		}
	}
	return ids
}
