package account

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// cancelsAtOnce bounds the cancels of one CancelAll that run at the same time.
	cancelsAtOnce = 16
	// cancelAllWithin bounds the time in which CancelAll repeats cancels of open orders.
	cancelAllWithin = 6 * time.Second
	// openReadsMax bounds the readings of the venue's list for one CancelAll.
	openReadsMax = 2
	// retryPauseMin is the wait before the cancels of orders that remain are repeated. It
	// doubles up to retryPauseMax.
	retryPauseMin = 250 * time.Millisecond
	retryPauseMax = time.Second
)

// CancelAll cancels every order of the account, or of one symbol, and returns the result of
// each, also of orders that are placed meanwhile or were made elsewhere. To find the latter it
// reads the venue's list: with a private stream at the same time as the cancels, unless it was
// read within openEvery; without a stream after the cancels, and again after those of the orders
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
		known, err := c.open(ctx, cmd.Symbol, false)
		if err != nil {
			return c.cancelled(results, isComplete, err)
		}
		read := c.readOpen(ctx, cmd.Symbol, reads < openReadsMax, known.streamed)
		results = merged(results, c.cancelEach(ctx, cmd.Command, known.due(results)))
		list, err := read()
		if err != nil {
			return c.cancelled(results, isComplete, err)
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
			return c.cancelled(results, isComplete, list.err)
		}
		pause = min(2*pause, retryPauseMax)
	}
}

// cancelled returns the results so far. Without any it returns cause if it is not known which
// orders are open: no order to cancel would be a guess.
func (c Client) cancelled(results []venues.CancelResult, isComplete bool, cause error) ([]venues.CancelResult, error) {
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

// open returns the open orders: as they are known here, or after a reading of the venue's list.
func (c Client) open(ctx context.Context, symbol string, read bool) (openOrders, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[openOrders]) any {
		return getOpen{Reply: reply, symbol: c.canonical(symbol), read: read}
	})
}

// readOpen returns a function with the result of open. If atOnce is set, the venue's list is
// read from now on, else by that function. The result includes the orders that are known when
// the function is called.
func (c Client) readOpen(ctx context.Context, symbol string, read, atOnce bool) func() (openOrders, error) {
	if !atOnce {
		return func() (openOrders, error) { return c.open(ctx, symbol, read) }
	}
	var list openOrders
	var err error
	var wait sync.WaitGroup
	wait.Go(func() { list, err = c.open(ctx, symbol, read) })
	return func() (openOrders, error) {
		wait.Wait()
		if err != nil {
			return list, err
		}
		now, err := c.open(ctx, symbol, false)
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
	// openEvery is the time between two readings of the venue's list while the private stream
	// reports which orders appear.
	openEvery = 15 * time.Second
	// openPauseMin is the wait before the venue's list is read again without the stream. It
	// doubles up to openPauseMax while readings follow each other.
	openPauseMin = 250 * time.Millisecond
	openPauseMax = 3 * time.Second
	// openReadMax is how long a reading may take before the orders that are known here
	// are cancelled without it.
	openReadMax = 1500 * time.Millisecond
)

// openList is the reading of the venue's list of open orders for CancelAll. The reading is
// expensive under the venue's rate limits, which all accounts share: one is under way at a
// time, for all callers.
type openList struct {
	reading bool
	// served are the callers of the running reading, waiting those of the next one.
	served, waiting []getOpen
	// began is when the last reading began, pause how long the next one waits after that.
	began time.Time
	pause time.Duration
	// readAt is when the last complete reading began, for CancelAll or a reconciliation.
	readAt time.Time
}

// openOrders has the ids of the orders that are not closed: unfinished all, oldest first, and
// atVenue those that the venue has, by its list or its reports.
type openOrders struct {
	unfinished []string
	atVenue    map[string]bool
	// streamed is set if the private stream has reported every order since the list was read.
	streamed bool
	// err is the reason why the venue's list was not read; nil if it was, recently or now.
	err error
}

type (
	callOpen struct{}
	openDone struct {
		open []lookedUp
		err  error
	}
)

// getOpen answers with the open orders that are known. If the caller requires the venue's
// list, that is read before, unless it was read recently and the private stream has reported
// everything since.
func (s *state) getOpen(step stepContext, in getOpen) {
	l := &s.openList
	streamed := s.stream.coversSince(l.readAt)
	switch {
	case !s.isLoaded:
		s.after(replyOpen{to: in.Reply, err: maintenance(s.exchange)})
	case !in.read, streamed && step.now.Sub(l.readAt) < openEvery:
		s.after(replyOpen{to: in.Reply, value: s.openOrders(in.symbol)})
	case streamed && l.reading:
		l.served = append(l.served, in)
	default:
		l.waiting = append(l.waiting, in)
		s.openTick(step)
	}
}

// openOrders returns the open orders of a symbol, or of all, that are known.
func (s *state) openOrders(symbol string) openOrders {
	list := openOrders{atVenue: map[string]bool{}, streamed: s.stream.coversSince(s.openList.readAt)}
	for _, o := range s.unfinished() {
		if symbol != "" && o.Symbol != symbol {
			continue
		}
		list.unfinished = append(list.unfinished, o.OrderID)
		list.atVenue[o.OrderID] = o.Status.IsActive()
	}
	return list
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

// openTick starts a reading of the list for the waiting callers, unless it was read recently.
func (s *state) openTick(step stepContext) {
	l := &s.openList
	if len(l.waiting) == 0 || l.reading || step.now.Before(l.next()) {
		return
	}
	l.pause = min(2*l.pause, openPauseMax)
	if step.now.Sub(l.began) > cancelAllWithin {
		l.pause = openPauseMin
	}
	l.served, l.waiting, l.reading, l.began = l.waiting, nil, true, step.now
	s.after(callOpen{})
}

func (callOpen) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		var done openDone
		reading, cancel := context.WithTimeout(venues.WithCaller(c), openReadMax)
		reports, err := a.deps.Venue.OpenOrders(reading)
		cancel()
		done.err = err
		for _, r := range reports {
			found, err := a.findStored(c, &r)
			if err != nil {
				return openDone{err: err}
			}
			done.open = append(done.open, lookedUp{report: r, found: found})
		}
		return done
	}, func() any { return openDone{err: errPoolFull} })
}

// openRead applies the venue's list, with the foreign orders in it, and answers the callers.
func (s *state) openRead(step stepContext, in openDone) {
	l := &s.openList
	l.reading = false
	if in.err == nil {
		l.readAt = deadline.Later(l.readAt, l.began)
	}
	listed := map[string]bool{}
	for _, one := range in.open {
		s.orderLookedUp(step, one)
		if o := s.findReported(&one.report); o != nil {
			listed[o.OrderID] = true
		}
	}
	for _, q := range l.served {
		list := s.openOrders(q.symbol)
		if list.err = in.err; in.err == nil {
			for id, isActive := range list.atVenue { // one that was reported since may not be listed
				list.atVenue[id] = listed[id] || (isActive && !s.orders[id].seenOpenAt.Before(l.began))
			}
		}
		s.after(replyOpen{to: q.Reply, value: list})
	}
	l.served = nil
}
