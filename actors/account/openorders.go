package account

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

const (
	// listEvery is the time between two readings of the venue's list while the private stream
	// reports which orders appear.
	listEvery = 15 * time.Second
	// listPauseMin is the wait before the venue's list is read again without the stream. It
	// doubles up to listPauseMax while readings follow each other.
	listPauseMin = 250 * time.Millisecond
	listPauseMax = 3 * time.Second
	// listReadWithin is how long a reading may take before the orders that are known here
	// are cancelled without it.
	listReadWithin = 1500 * time.Millisecond
)

// orderList is the reading of the venue's list of open orders for CancelAll. The reading is
// expensive under the venue's rate limits, which all accounts share: one is under way at a
// time, for all callers.
type orderList struct {
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
	l := &s.orderList
	streamed := s.stream.coversSince(l.readAt)
	switch {
	case !s.isLoaded:
		s.after(replyOpen{to: in.Reply, err: maintenance(s.exchange)})
	case !in.read, streamed && step.now.Sub(l.readAt) < listEvery:
		s.after(replyOpen{to: in.Reply, value: s.knownOpen(in.symbol)})
	case streamed && l.reading:
		l.served = append(l.served, in)
	default:
		l.waiting = append(l.waiting, in)
		s.orderListTick(step)
	}
}

// knownOpen returns the open orders of a symbol, or of all, that are known.
func (s *state) knownOpen(symbol string) openOrders {
	list := openOrders{atVenue: map[string]bool{}, streamed: s.stream.coversSince(s.orderList.readAt)}
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
func (l *orderList) next() time.Time { return l.began.Add(l.pause) }

// due returns when orderListTick has something to do; zero for never.
func (l *orderList) due() time.Time {
	if len(l.waiting) == 0 || l.reading {
		return time.Time{}
	}
	return l.next()
}

// orderListTick starts a reading of the list for the waiting callers, unless it was read recently.
func (s *state) orderListTick(step stepContext) {
	l := &s.orderList
	if len(l.waiting) == 0 || l.reading || step.now.Before(l.next()) {
		return
	}
	l.pause = min(2*l.pause, listPauseMax)
	if step.now.Sub(l.began) > cancelAllWithin {
		l.pause = listPauseMin
	}
	l.served, l.waiting, l.reading, l.began = l.waiting, nil, true, step.now
	s.after(callOpen{})
}

func (callOpen) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		var done openDone
		reading, cancel := context.WithTimeout(venues.WithCaller(c), listReadWithin)
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

// orderListRead applies the venue's list, with the foreign orders in it, and answers the callers.
func (s *state) orderListRead(step stepContext, in openDone) {
	l := &s.orderList
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
		list := s.knownOpen(q.symbol)
		if list.err = in.err; in.err == nil {
			for id, isActive := range list.atVenue { // one that was reported since may not be listed
				list.atVenue[id] = listed[id] || (isActive && !s.orders[id].seenOpenAt.Before(l.began))
			}
		}
		s.after(replyOpen{to: q.Reply, value: list})
	}
	l.served = nil
}
