package book

import (
	"sync"

	"venuegate/actors"
	"venuegate/venues"
)

// inletMax bounds the messages of the feed that wait for the actor.
const inletMax = 1024

// event is one message of the feed: an update of the book, or another.
type event struct {
	update *venues.BookUpdate
	other  any // venues.Trade, venues.Candle, venues.MarkPrice, interruption, resumption
}

type (
	interruption struct{ channel venues.FeedChannel }
	resumption   struct{ channel venues.FeedChannel }
)

// losses says of which kinds messages were lost.
type losses [venues.FeedMark + 1]bool

// inlet is where the feed's readers leave messages for the actor: a queue beside
// its mailbox. The actor is woken once for all that wait and takes them as one
// batch, which costs the readers next to nothing and lets the subscribers have
// one message where the venue sent many. A full inlet refuses, and remembers
// what kind it has refused. It owns the updates in it.
type inlet struct {
	ref actors.Ref // who is woken

	mu     sync.Mutex
	events []event
	lost   losses
	awake  bool // the actor will take what is here
	closed bool
}

// put leaves a message, or counts it as lost.
func (in *inlet) put(kind venues.FeedKind, e event) {
	in.mu.Lock()
	if in.closed || len(in.events) >= inletMax {
		in.lost[kind] = in.lost[kind] || !in.closed
		release(e.update)
	} else {
		in.events = append(in.events, e)
	}
	wake := !in.awake && !in.closed
	in.awake = in.awake || wake
	in.mu.Unlock()
	if wake {
		in.ref.Tell(&feedWaits{})
	}
}

// take swaps the waiting messages for an emptied slice. What was lost was lost
// after them.
func (in *inlet) take(emptied []event) ([]event, losses) {
	in.mu.Lock()
	defer in.mu.Unlock()
	events, lost := in.events, in.lost
	in.events, in.lost, in.awake = emptied, losses{}, false
	return events, lost
}

// open lets messages in, and forgets those that were meant for an earlier
// incarnation.
func (in *inlet) open() {
	in.clear(false)
}

// close drops what waits and whatever still comes.
func (in *inlet) close() { in.clear(true) }

func (in *inlet) clear(closed bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, e := range in.events {
		release(e.update)
	}
	clear(in.events)
	in.events, in.lost, in.awake, in.closed = in.events[:0], losses{}, false, closed
}
