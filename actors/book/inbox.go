package book

import (
	"sync"

	"venuegate/actors"
	"venuegate/venues"
)

// inboxMax bounds the messages of the feed that are pending for the actor.
const inboxMax = 1024

// event is one message of the feed: an update of the book, or another.
type event struct {
	update *venues.BookUpdate
	other  any // venues.Trade, venues.Candle, venues.MarkPrice, interruption, resumption
}

type (
	interruption struct{ channel venues.FeedTopic }
	resumption   struct{ channel venues.FeedTopic }
)

// losses are the kinds of which messages were lost.
type losses [venues.FeedMark + 1]bool

// inbox is a queue of feed messages for the actor, separate from its mailbox. The actor
// is woken once for all pending messages and processes them as one batch, which is cheap
// for the feed and gives subscribers one message for many of the venue. A full inbox
// rejects messages and records their kind. It owns the updates in it.
type inbox struct {
	ref actors.Ref // the actor to wake

	mu     sync.Mutex
	events []event
	lost   losses
	awake  bool // the actor is going to take the messages
	closed bool
}

// put adds a message, or counts it as lost.
func (in *inbox) put(kind venues.FeedKind, e event) {
	in.mu.Lock()
	if in.closed || len(in.events) >= inboxMax {
		in.lost[kind] = in.lost[kind] || !in.closed
		release(e.update)
	} else {
		in.events = append(in.events, e)
	}
	wake := !in.awake && !in.closed
	in.awake = in.awake || wake
	in.mu.Unlock()
	if wake {
		in.ref.Tell(&inboxReady{})
	}
}

// take exchanges the pending messages for an empty slice. The lost messages are newer
// than those.
func (in *inbox) take(emptied []event) ([]event, losses) {
	in.mu.Lock()
	defer in.mu.Unlock()
	events, lost := in.events, in.lost
	in.events, in.lost, in.awake = emptied, losses{}, false
	return events, lost
}

// open accepts messages, and drops those for an earlier incarnation.
func (in *inbox) open() {
	in.clear(false)
}

// close drops pending and later messages.
func (in *inbox) close() { in.clear(true) }

func (in *inbox) clear(closed bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, e := range in.events {
		release(e.update)
	}
	clear(in.events)
	in.events, in.lost, in.awake, in.closed = in.events[:0], losses{}, false, closed
}
