package book

import (
	"slices"

	"venuegate/venues"
)

// backlogMax bounds the updates that wait for a snapshot: most of a minute of the
// busiest streams.
const backlogMax = 1024

// backlog holds updates of a stream that follow each other without a gap. It
// owns them.
type backlog struct {
	updates []*venues.BookUpdate
}

// add takes ownership of an update. If it does not follow the newest one, the updates
// before it are dropped, because no snapshot could join them to the present. If the
// backlog is full, the oldest update is dropped.
func (b *backlog) add(u *venues.BookUpdate) {
	if n := len(b.updates); n > 0 && u.PrevSeq != b.updates[n-1].LastSeq {
		b.clear()
	}
	if len(b.updates) == backlogMax {
		b.drop(1)
	}
	b.updates = append(b.updates, u)
}

func (b *backlog) full() bool { return len(b.updates) == backlogMax }

// dropBefore drops the updates that end before seq and returns where the last of them
// ended.
func (b *backlog) dropBefore(seq uint64) (end uint64, dropped bool) {
	n := 0
	for n < len(b.updates) && b.updates[n].LastSeq < seq {
		end, dropped = b.updates[n].LastSeq, true
		n++
	}
	b.drop(n)
	return end, dropped
}

func (b *backlog) drop(n int) {
	for _, u := range b.updates[:n] {
		u.Release()
	}
	b.updates = slices.Delete(b.updates, 0, n)
}

func (b *backlog) clear() { b.drop(len(b.updates)) }
