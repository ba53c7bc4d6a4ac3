package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/actors"
)

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

// openOrders are the orders that are not closed: by our records, oldest first, and those of
// them that the venue lists.
type openOrders struct {
	unfinished []string
	atVenue    map[string]bool
	// err is the reason if the venue's list is not known.
	err error
}

// errReadRecently is returned to callers who would have to wait for the venue's list.
var errReadRecently = errors.New("the venue's list was read just now")

type (
	callOpen struct{ queries []getOpen }
	openDone struct {
		queries []getOpen
		open    []lookedUp
		err     error
	}
)

// getOpen reads the venue's list, which adopts orders that were made elsewhere. The first
// query of a caller does not wait for the pause between readings.
func (s *state) getOpen(step stepContext, in getOpen) {
	if !s.isLoaded {
		in.Reject(maintenance(s.exchange))
		return
	}
	in.unfinished = s.unfinishedOf(in.symbol)
	if !in.again && (s.openList.reading || step.now.Before(s.openList.next())) {
		s.after(replyOpen{in.Reply, openOrders{unfinished: in.unfinished, err: errReadRecently}})
		return
	}
	s.openList.waiting = append(s.openList.waiting, in)
	s.openTick(step)
}

// next returns when the list may be read again.
func (l *openList) next() time.Time { return l.began.Add(l.pause) }

// due returns when openTick has something to do; zero for never.
func (l *openList) due() time.Time {
	if len(l.waiting) == 0 || l.reading {
		return time.Time{}
	}
	return l.next()
}

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
	}, openDone{queries: e.queries, err: errPoolFull})
}

// openRead answers each query with the open orders of its symbol, or of all, and those that
// were open when the query came: they may have ended while the list was read.
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
		s.after(replyOpen{q.Reply, list})
	}
}

func (q getOpen) includes(symbol string) bool { return q.symbol == "" || q.symbol == symbol }

// unfinishedOf returns the orders of one symbol, or of all, that are not closed, oldest
// first.
func (x *orderIndex) unfinishedOf(symbol string) []string {
	var ids []string
	for _, o := range x.unfinished() {
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
