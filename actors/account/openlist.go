package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/actors"
)

const (
	// openPauseMin is the wait before the venue's list is read again: it shows a cancel
	// late. It doubles up to openPauseMax while readings follow each other.
	openPauseMin = 250 * time.Millisecond
	openPauseMax = time.Second
	// openReadMax is how long the list may take before what is known here is
	// cancelled without it.
	openReadMax = 1500 * time.Millisecond
)

// openList is the reading of the venue's list of orders for those who cancel all of
// them. Little costs more of a venue's limits, and without those nothing else of any
// account can be read: one reading is under way at a time, for all who wait for it.
type openList struct {
	waiting []getOpen
	reading bool
	// began is when the last one did, pause how long the next one waits after that.
	began time.Time
	pause time.Duration
}

// openOrders is what is not closed: by our record, oldest first, and, of these,
// by the venue's own list.
type openOrders struct {
	unfinished []string
	atVenue    map[string]bool
	// err is why the venue's list is not known.
	err error
}

// errReadLately answers who would have to wait for the venue's list.
var errReadLately = errors.New("the venue's list was read just now")

type (
	callOpen struct{ queries []getOpen }
	openDone struct {
		queries []getOpen
		open    []lookedUp
		err     error
	}
)

// getOpen reads the venue's list: what was made elsewhere is adopted with it. Who asks
// for the first time does not wait until that may be done.
func (s *state) getOpen(m moment, in getOpen) {
	if !s.isLoaded {
		in.Reject(s.maintenance())
		return
	}
	in.unfinished = s.unfinishedOf(in.symbol)
	if !in.again && (s.openList.reading || m.now.Before(s.openList.next())) {
		s.after(replyOpen{in.Reply, openOrders{unfinished: in.unfinished, err: errReadLately}})
		return
	}
	s.openList.waiting = append(s.openList.waiting, in)
	s.openTick(m)
}

// next is when the list may be read again.
func (l *openList) next() time.Time { return l.began.Add(l.pause) }

// due is when the list is to be read again.
func (l *openList) due() time.Time {
	if len(l.waiting) == 0 || l.reading {
		return time.Time{}
	}
	return l.next()
}

func (s *state) openTick(m moment) {
	l := &s.openList
	if len(l.waiting) == 0 || l.reading || m.now.Before(l.next()) {
		return
	}
	l.pause = min(2*l.pause, openPauseMax)
	if m.now.Sub(l.began) > cancelAllWithin {
		l.pause = openPauseMin
	}
	s.after(callOpen{l.waiting})
	l.waiting, l.reading, l.began = nil, true, m.now
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

// openRead answers each query with what is open of its symbol, or of all, and what
// was when it came: it may have ended while the list was read.
func (s *state) openRead(m moment, in openDone) {
	s.openList.reading = false
	for _, one := range in.open {
		if slices.ContainsFunc(in.queries, func(q getOpen) bool { return q.asksFor(one.report.Symbol) }) {
			s.lookedUp(m, one)
		}
	}
	for _, q := range in.queries {
		list := openOrders{atVenue: map[string]bool{}, err: in.err}
		for _, one := range in.open {
			if o := s.findReported(&one.report); o != nil && q.asksFor(one.report.Symbol) {
				list.atVenue[o.OrderID] = true
			}
		}
		list.unfinished = slices.Compact(slices.Sorted(slices.Values(append(q.unfinished, s.unfinishedOf(q.symbol)...))))
		s.after(replyOpen{q.Reply, list})
	}
}

func (q getOpen) asksFor(symbol string) bool { return q.symbol == "" || q.symbol == symbol }

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
