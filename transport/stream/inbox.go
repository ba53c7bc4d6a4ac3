package stream

import (
	"maps"
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// event is a frame of a topic, or a function to call, on the goroutine of a shard.
type event struct {
	topic *topic
	frame venues.Frame
	// at is when the frame was delivered.
	at time.Time
	do func()
}

// inbox holds the events for the goroutine of a shard. Adding to it never blocks and
// is safe for concurrent use.
type inbox struct {
	mu     sync.Mutex
	events []event
	bytes  int
	// lost holds the topics of which a frame did not fit.
	lost map[*topic]struct{}
	wake chan struct{}
}

func newInbox() *inbox {
	return &inbox{lost: make(map[*topic]struct{}), wake: make(chan struct{}, 1)}
}

// deliver adds a frame. If it does not fit, it is lost, and its topic is recorded.
func (b *inbox) deliver(t *topic, f venues.Frame) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.events) >= inboxEventsMax || b.bytes+len(f.Bytes) > inboxBytesMax {
		b.lost[t] = struct{}{}
	} else {
		b.events = append(b.events, event{topic: t, frame: f, at: now})
		b.bytes += len(f.Bytes)
	}
	b.signal()
}

// post adds a function to call. It always fits: the number of sessions is bounded, and
// each posts few functions at a time.
func (b *inbox) post(f func()) {
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

// take empties the inbox and returns its events and the topics that lost a frame.
// spare, which the caller no longer uses, becomes the storage of the inbox.
func (b *inbox) take(spare []event) ([]event, []*topic) {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.events
	b.events, b.bytes = spare[:0], 0
	if len(b.lost) == 0 {
		return taken, nil
	}
	lost := slices.Collect(maps.Keys(b.lost))
	clear(b.lost)
	return taken, lost
}
