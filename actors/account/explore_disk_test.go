package account

import (
	"cmp"
	"maps"
	"slices"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// image is what a store has after one commit. It is never changed.
type image struct {
	records map[persistence.Key]persistence.Record
	// filled counts the events order.filled by order id.
	filled map[string]int
}

// with returns the image with a batch, and false if a key that must be absent exists.
func (i image) with(b *persistence.Batch) (image, bool) {
	for _, k := range b.Absent {
		if _, exists := i.records[k]; exists {
			return i, false
		}
	}
	next := image{records: make(map[persistence.Key]persistence.Record, len(i.records)+len(b.Puts)), filled: i.filled}
	maps.Copy(next.records, i.records)
	for _, r := range b.Puts {
		next.records[r.Key()] = r
	}
	for j := range b.Events {
		if id, isFilled := filledOrder(&b.Events[j]); isFilled {
			next.filled = maps.Clone(next.filled)
			if next.filled == nil {
				next.filled = map[string]int{}
			}
			next.filled[id]++
		}
	}
	return next, true
}

// recordsOf returns the records of one kind, ordered by their ids.
func recordsOf[T persistence.Record](i image) []T {
	var list []T
	for _, r := range i.records {
		if r, is := r.(T); is {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(a.Key().ID, b.Key().ID) })
	return list
}

func (i image) order(id string) (persistence.OrderRecord, bool) {
	r, known := i.records[persistence.OrderRecord{Customer: exploredConfig.Customer, Order: venues.Order{OrderID: id}}.Key()]
	o, _ := r.(persistence.OrderRecord)
	return o, known
}

// disk is the store of one process, whose commits become written and durable by separate
// actions. Its Memory has what is durable.
type disk struct {
	*storetest.Memory
	process *process
	// pending are the batches that are not durable, oldest first, written of them are written.
	pending []diskCommit
	written int
}

type diskCommit struct {
	batch persistence.Batch
	done  func(error)
}

// Submit implements persistence.Writer. An empty batch comes only when nothing is pending.
func (d *disk) Submit(b persistence.Batch, done func(error)) {
	switch {
	case d.process.isDead:
	case b.Empty():
		done(nil)
	default:
		d.pending = append(d.pending, diskCommit{b, done})
	}
}

// images returns what a crash can leave: the durable rows, and those after each batch. A kill
// leaves at least what is written, a power failure any of them.
func (d *disk) images() []image {
	list := []image{d.process.world.durable}
	for i := range d.pending {
		next, _ := list[i].with(&d.pending[i].batch)
		list = append(list, next)
	}
	return list
}

// mayWrite reports whether the oldest batch that is not written may be synced later.
func (d *disk) mayWrite() bool { return d.pending[d.written].batch.Written != nil }

// write writes the oldest batch that is not written.
func (d *disk) write() {
	d.written++
	d.pending[d.written-1].batch.Written()
}

// settle makes the first n batches durable, and answers them unless the process is to end.
func (d *disk) settle(n int) (answers []func()) {
	w := d.process.world
	taken := d.pending[:n:n]
	d.pending, d.written = d.pending[n:], max(0, d.written-n)
	for _, c := range taken {
		b := c.batch
		b.Written = nil
		w.checkChanges(&b)
		var result error
		d.Memory.Submit(b, func(err error) { result = err })
		if next, isApplied := w.durable.with(&b); result == nil && isApplied {
			w.durable = next
		} else if !persistence.IsRejected(result) {
			w.fail("the store has failed: %v", result)
		}
		answers = append(answers, func() { c.done(result) })
	}
	return answers
}

// sync makes the first n batches durable and answers them.
func (d *disk) sync(n int) {
	for _, answer := range d.settle(n) {
		answer()
	}
}

// fail answers the oldest batch that is not written with an error. isApplied is whether it is
// durable all the same.
func (d *disk) fail(err error, isApplied bool) {
	d.sync(d.written)
	failed := d.pending[0].done
	if isApplied {
		d.settle(1)
	} else {
		d.pending = d.pending[1:]
	}
	failed(err)
}
