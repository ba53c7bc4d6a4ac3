package stream

import (
	"maps"
	"slices"
	"sync"

	"venuegate/venues"
)

// event is a frame of a topic or something to do, on the goroutine of a shard.
type event struct {
	topic *topic
	frame venues.Frame
	do    func()
}

// inbox is what a shard's goroutine works off. Anyone may put into it; putting
// never blocks.
type inbox struct {
	mu     sync.Mutex
	events []event
	bytes  int
	// lost holds the topics of which a frame found no place.
	lost map[*topic]struct{}
	wake chan struct{}
}

func newInbox() *inbox {
	return &inbox{lost: make(map[*topic]struct{}), wake: make(chan struct{}, 1)}
}

// deliver puts a frame. One that finds no place is lost, and its topic noted.
func (b *inbox) deliver(t *topic, f venues.Frame) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.events) >= inboxEventsMax || b.bytes+len(f.Bytes) > inboxBytesMax {
		b.lost[t] = struct{}{}
	} else {
		b.events = append(b.events, event{topic: t, frame: f})
		b.bytes += len(f.Bytes)
	}
	b.signal()
}

// do puts something to do. There is always a place for it: sessions are bounded
// in number, and each has few things to do at a time.
func (b *inbox) do(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, event{do: f})
	b.signal()
}

func (b *inbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take empties the inbox. spare, which the caller is done with, becomes the next
// store.
func (b *inbox) take(spare []event) ([]event, []*topic) {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.events
	b.events, b.bytes = spare[:0], 0
	lost := slices.Collect(maps.Keys(b.lost))
	clear(b.lost)
	return taken, lost
}
