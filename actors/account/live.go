package account

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"
)

// closedKeep is how long a closed order stays in memory, for late reports; after
// that it is found in the store. An entry stays for as long as its legs do.
const closedKeep = 10 * time.Minute

// rest is an order that needed no looking after from a moment on. It is over if
// the order was touched since.
type rest struct {
	order *order
	since time.Time
}

// enlist keeps an order that the step has touched among the live ones, or among
// those at rest. Steps go through the live ones; the others are found by name, and
// their number is of no consequence.
func (s *state) enlist(m moment, o *order) {
	delete(s.unrecordedFills, o.OrderID)
	if s.orders[o.OrderID] == o && o.Status.IsClosed() && o.fillsQty.LessThan(o.FilledQty) {
		s.unrecordedFills[o.OrderID] = o
	}
	switch {
	case s.orders[o.OrderID] != o: // forgotten in the same step
		return
	case o.Unfinished() || o.storing:
		s.live[o.OrderID] = o
		return
	}
	delete(s.live, o.OrderID)
	o.restsSince = m.now
	s.atRest = append(s.atRest, rest{o, m.now})
}

// evictClosed forgets the orders that have been at rest for closedKeep.
func (s *state) evictClosed(m moment) {
	n := 0
	for n < len(s.atRest) && m.now.Sub(s.atRest[n].since) > closedKeep {
		o, since := s.atRest[n].order, s.atRest[n].since
		n++
		switch {
		case !o.restsSince.Equal(since) || o.Unfinished():
		case o.nextDue().IsZero() && !o.guard.awaitsEnd():
			s.forget(o)
		default:
			s.enlist(m, o) // looked at again after another closedKeep
		}
	}
	s.atRest = slices.Delete(s.atRest, 0, n)
}

// restedSince lists the orders that came to rest after a moment, the newest first.
func (s *state) restedSince(from time.Time) iter.Seq[*order] {
	return func(yield func(*order) bool) {
		for i := len(s.atRest) - 1; i >= 0 && !s.atRest[i].since.Before(from); i-- {
			r := s.atRest[i]
			if r.order.restsSince.Equal(r.since) && s.live[r.order.OrderID] == nil && !yield(r.order) {
				return
			}
		}
	}
}

// liveInOrder lists the orders that can still change or have protection to look
// after, the oldest first.
func (s *state) liveInOrder() []*order { return oldestFirst(maps.Values(s.live)) }

// inOrder lists every order in memory, the oldest first.
func (s *state) inOrder() []*order { return oldestFirst(maps.Values(s.orders)) }

func (s *state) watchedInOrder() []*order { return oldestFirst(maps.Values(s.watched)) }

func oldestFirst(orders iter.Seq[*order]) []*order {
	return slices.SortedFunc(orders, func(a, b *order) int { return cmp.Compare(a.OrderID, b.OrderID) })
}

// unfinished lists the orders that are not closed, oldest first.
func (s *state) unfinished() []*order {
	return slices.DeleteFunc(s.liveInOrder(), func(o *order) bool { return o.Status.IsClosed() })
}

func (s *state) unfinishedCount() int {
	n := 0
	for _, o := range s.live {
		if !o.Status.IsClosed() {
			n++
		}
	}
	return n
}
