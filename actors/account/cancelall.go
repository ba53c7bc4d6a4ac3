package account

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

const (
	// cancelsAtOnce bounds the cancels of one CancelAll that run at the same time.
	cancelsAtOnce = 16
	// cancelAllWithin bounds the time within which CancelAll tries to leave nothing
	// open.
	cancelAllWithin = 6 * time.Second
	// cancelAllPause is the wait before the venue's list is read again: it shows a
	// cancel late.
	cancelAllPause = 250 * time.Millisecond
	// openReadMax is how long its list may take before what is known here is
	// cancelled without it.
	openReadMax = 1500 * time.Millisecond
)

// openOrders is what is not closed: by our record, oldest first, and, of these,
// by the venue's own list.
type openOrders struct {
	unfinished []string
	atVenue    map[string]bool
	// err is why the venue's list is not known.
	err error
}

type (
	callOpen struct{ query getOpen }
	openDue  struct{ callOpen }
	openDone struct {
		query getOpen
		open  []lookedUp
		err   error
	}
)

// getOpen reads the venue's list: what was made elsewhere is adopted with it.
func (s *state) getOpen(in getOpen) {
	if !s.isLoaded {
		in.Reject(s.maintenance())
		return
	}
	in.unfinished = s.unfinishedOf(in.symbol)
	s.after(waitOpen{in})
}

// waitOpen gives the venue time before its list is read again.
type waitOpen struct{ query getOpen }

func (e waitOpen) run(a *account, ctx *actors.Context) {
	if e.query.delay == 0 {
		callOpen(e).run(a, ctx)
		return
	}
	a.openReads++
	ctx.Timers().After("open/"+strconv.FormatUint(a.openReads, 10), e.query.delay, openDue{callOpen(e)})
}

func (e callOpen) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		done := openDone{query: e.query}
		reading, cancel := context.WithTimeout(c, openReadMax)
		reports, err := a.deps.Venue.OpenOrders(reading)
		cancel()
		done.err = err
		for _, r := range reports {
			found, err := a.findStored(c, &r)
			if err != nil {
				return openDone{query: e.query, err: err}
			}
			done.open = append(done.open, lookedUp{report: r, found: found})
		}
		return done
	}, openDone{query: e.query, err: errPoolFull})
}

// openRead answers with what is open of one symbol, or of all, and what was when
// the query came: it may have ended while the list was read.
func (s *state) openRead(m moment, in openDone) {
	list := openOrders{atVenue: map[string]bool{}, err: in.err}
	for _, one := range in.open {
		if in.query.symbol != "" && one.report.Symbol != in.query.symbol {
			continue
		}
		s.lookedUp(m, one)
		if o := s.findReported(&one.report); o != nil {
			list.atVenue[o.OrderID] = true
		}
	}
	list.unfinished = slices.Compact(slices.Sorted(slices.Values(append(in.query.unfinished, s.unfinishedOf(in.query.symbol)...))))
	s.after(replyOpen{in.query.Reply, list})
}

// unfinishedOf lists what is not closed of one symbol, or of all, oldest first.
func (s *state) unfinishedOf(symbol string) []string {
	var ids []string
	for _, o := range s.unfinished() {
		if symbol == "" || o.Symbol == symbol {
			ids = append(ids, o.OrderID)
		}
	}
	return ids
}

type replyOpen struct {
	to   actors.Reply[openOrders]
	list openOrders
}

func (e replyOpen) run(*account, *actors.Context) { e.to.Send(e.list) }

// CancelAll cancels every order of the account, or of one symbol, and says what
// became of each. Orders that race in and orders that were made elsewhere are
// cancelled too: it goes on until the venue's own list is empty, or for
// cancelAllWithin. What remains then is named with what was found last.
func (c Client) CancelAll(ctx context.Context, cmd venues.CancelOrders) ([]venues.CancelResult, error) {
	end := time.Now().Add(cancelAllWithin)
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	var results []venues.CancelResult
	for pause := time.Duration(0); ; pause = cancelAllPause {
		list, err := c.open(ctx, cmd.Symbol, pause)
		switch {
		case err != nil && pause == 0:
			return nil, repeatable(err)
		case err != nil:
			return results, nil
		}
		if due := c.stillOpen(list, results); len(due) > 0 {
			results = merged(results, c.cancelEach(ctx, cmd.Command, due))
		}
		if (list.err == nil && len(list.atVenue) == 0) || time.Until(end) <= cancelAllPause {
			return results, nil
		}
	}
}

func (c Client) open(ctx context.Context, symbol string, delay time.Duration) (openOrders, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[openOrders]) any {
		return getOpen{Reply: reply, symbol: c.canonical(symbol), delay: delay}
	})
}

// stillOpen are the orders to cancel: those that were not yet, and those that the
// venue still lists.
func (c Client) stillOpen(list openOrders, results []venues.CancelResult) []string {
	return slices.DeleteFunc(list.unfinished, func(id string) bool {
		return !list.atVenue[id] && slices.ContainsFunc(results, func(r venues.CancelResult) bool { return r.OrderID == id })
	})
}

// merged puts newer results in the place of older ones.
func merged(results, newer []venues.CancelResult) []venues.CancelResult {
	for _, r := range newer {
		n := slices.IndexFunc(results, func(old venues.CancelResult) bool { return old.OrderID == r.OrderID })
		switch {
		case n < 0:
			results = append(results, r)
		case r.Result != venues.CancelNotFound: // gone is what the first cancel made of it
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
	order, err := c.Cancel(ctx, venues.CancelOrder{Command: cmd, OrderID: orderID})
	result.Symbol = order.Symbol
	if record, stored := c.store.Order(ctx, c.customer, orderID); stored == nil {
		result.Symbol = record.Symbol
	}
	switch {
	case err == nil && order.Status.IsClosed():
	case err == nil:
		result.Result = venues.CancelUnknown
	case venues.CodeOf(err) == venues.CodeNotFound:
		result.Result = venues.CancelNotFound
	case venues.CodeOf(err) == venues.CodeInternal: // no answer in time
		result.Result = venues.CancelUnknown
	default:
		result.Result = venues.CancelFailed
		result.Error, _ = errors.AsType[*venues.Error](err)
	}
	return result
}
