package delivery

import (
	"container/heap"
	"time"

	"venuegate/persistence"
)

// windowMax bounds the deliveries in memory; busy ones may exceed it by one page.
const windowMax = 256

// item is one delivery in memory. A busy one is being attempted or committed; the
// others are in the queue.
type item struct {
	persistence.Delivery
	busy  bool
	index int
	// resend are the callers that requested a restart while it was busy.
	resend []resendReply
}

// window has the deliveries that are due first.
type window struct {
	byEvent map[string]*item
	queue   dueQueue
	busy    int
	// outside is the earliest due time of the deliveries that only the store has;
	// zero if there are none.
	outside time.Time
}

func newWindow() *window { return &window{byEvent: map[string]*item{}} }

// add adds a pending delivery, unless it is there.
func (w *window) add(d persistence.Delivery) {
	if w.byEvent[d.EventID] != nil {
		return
	}
	x := &item{Delivery: d}
	w.byEvent[d.EventID] = x
	w.push(x)
}

// markBusy makes a delivery busy; it may be new to the window.
func (w *window) markBusy(d persistence.Delivery) *item {
	x := w.byEvent[d.EventID]
	if x == nil {
		x = &item{}
		w.byEvent[d.EventID] = x
	} else if !x.busy {
		heap.Remove(&w.queue, x.index)
	}
	if !x.busy {
		w.busy++
	}
	x.Delivery, x.busy = d, true
	return x
}

// release returns a busy delivery to the queue, or drops it if it is due after one
// that only the store has.
func (w *window) release(x *item) {
	if !w.outside.IsZero() && !x.DueAt.Before(w.outside) {
		w.drop(x)
		return
	}
	x.busy = false
	w.busy--
	w.push(x)
}

func (w *window) push(x *item) {
	heap.Push(&w.queue, x)
	if len(w.byEvent) > windowMax {
		w.evict()
	}
}

// drop removes a busy delivery.
func (w *window) drop(x *item) {
	w.busy--
	delete(w.byEvent, x.EventID)
}

// evict drops the delivery that is due last; the store has it.
func (w *window) evict() {
	last := 0
	for i := range w.queue {
		if w.queue.Less(last, i) {
			last = i
		}
	}
	x := w.queue[last]
	heap.Remove(&w.queue, last)
	delete(w.byEvent, x.EventID)
	w.noteOutside(x.DueAt.Time)
}

// noteOutside records that a delivery which only the store has is due then.
func (w *window) noteOutside(due time.Time) {
	if w.outside.IsZero() || due.Before(w.outside) {
		w.outside = due
	}
}

// ready returns the number of deliveries that are busy or due.
func (w *window) ready(now time.Time) int {
	n := w.busy
	for _, x := range w.queue {
		if !x.DueAt.After(now) {
			n++
		}
	}
	return n
}

// dueQueue is a heap by due time, then by the order of the events.
type dueQueue []*item

func (q dueQueue) Len() int { return len(q) }

func (q dueQueue) Less(i, j int) bool {
	if !q[i].DueAt.Equal(q[j].DueAt.Time) {
		return q[i].DueAt.Before(q[j].DueAt.Time)
	}
	return q[i].EventSeq < q[j].EventSeq
}

func (q dueQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *dueQueue) Push(x any) {
	added := x.(*item)
	added.index = len(*q)
	*q = append(*q, added)
}

func (q *dueQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}
