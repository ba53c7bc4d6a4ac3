package badgerstore

import (
	"fmt"
	"runtime"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// request is an entry of the queue.
type request struct {
	op   rows.Operation
	done func(error)
	size int
	// written allows a delayed sync; see persistence.Batch.
	written func()
	// reserve allows the use of the reserve; see persistence.Batch.
	reserve bool
	// barrier marks an empty batch, which is never rejected.
	barrier bool
	// acceptLoss marks a call of AcceptLoss, which is a group of its own.
	acceptLoss bool
}

func (w *writer) enqueue(op rows.Operation, done func(error)) {
	w.submit(request{op: op, done: done})
}

func (w *writer) enqueueReserved(op rows.Operation, done func(error)) {
	w.submit(request{op: op, reserve: true, done: done})
}

func (w *writer) enqueueAcceptLoss(done func(error)) {
	w.submit(request{acceptLoss: true, done: done})
}

var errQueueFull = fmt.Errorf("%w: the queue is full", persistence.ErrUnavailable)

func (w *writer) submit(r request) {
	w.mu.Lock()
	var rejection error
	switch {
	case w.stopping:
		rejection = errClosed
	case len(w.queue) >= QueueBatchesMax || w.queuedBytes+r.size > QueueBytesMax:
		rejection = errQueueFull
	default:
		w.queue = append(w.queue, r)
		w.queuedBytes += r.size
	}
	w.mu.Unlock()
	if rejection != nil {
		r.done(rejection)
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// gather yields the processor once, so that other goroutines can submit to the group,
// which costs less than another group. Each time that none of them does, it skips the
// yield for twice as many groups.
func (w *writer) gather() {
	if w.gatherSkips > 0 {
		w.gatherSkips--
		return
	}
	runtime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 1 {
		w.gatherSkipsMax = 0
		return
	}
	w.gatherSkipsMax = min(2*w.gatherSkipsMax+1, gatherSkipsLimit)
	w.gatherSkips = w.gatherSkipsMax
}

// take removes the next group from the queue.
func (w *writer) take(group []request) (taken []request, stopping bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := 0
	for _, r := range w.queue {
		full := len(group) >= GroupBatchesMax || bytes+r.size > GroupBytesMax
		if len(group) > 0 && (full || r.acceptLoss || group[0].acceptLoss) {
			break
		}
		group = append(group, r)
		bytes += r.size
	}
	clear(w.queue[:len(group)])
	w.queue = w.queue[len(group):]
	w.queuedBytes -= bytes
	return group, w.stopping
}

// allowedOf returns how many of the first requests of a group may be committed on a disk
// that is full unless the error is nil.
func allowedOf(group []request, full error) int {
	for i, r := range group {
		if full != nil && !r.reserve {
			return i
		}
	}
	return len(group)
}
