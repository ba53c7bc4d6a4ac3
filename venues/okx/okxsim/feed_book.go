package okxsim

import (
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Channels of books.
const (
	channelBooks  = "books"
	channelBooks5 = "books5"
	channelBest   = "bbo-tbt"
)

func isBook(channel string) bool {
	return channel == channelBooks || channel == channelBooks5 || channel == channelBest
}

// heartbeat is how often an unchanged book is confirmed.
const heartbeat = 60 * time.Second

// bookFeed is the book of an instrument as its listeners know it. All of them
// follow one chain of messages.
type bookFeed struct {
	view   simcore.BookView
	dirty  bool
	sentAt time.Time
	// seq is the number of the last message, base what is taken off the
	// exchange's numbers since the book began to count anew.
	seq, base int64
}

// bookPush is a message of a book channel. Only the channel of differences has
// checksum and chain.
type bookPush struct {
	Asks      []level `json:"asks"`
	Bids      []level `json:"bids"`
	InstID    string  `json:"instId,omitempty"`
	TS        string  `json:"ts"`
	Checksum  *int    `json:"checksum,omitempty"`
	SeqID     int64   `json:"seqId"`
	PrevSeqID *int64  `json:"prevSeqId,omitempty"`
}

func chained(at time.Time, bids, asks []level, previous, seq int64) []bookPush {
	return []bookPush{{
		Asks: asks, Bids: bids, TS: millis(at), Checksum: new(int), SeqID: seq, PrevSeqID: &previous,
	}}
}

// bookWanted says whether anybody listens to a book. The lock is held.
func (h *hub) bookWanted(symbol string) bool {
	for _, channel := range []string{channelBooks, channelBooks5, channelBest} {
		if len(h.topics[channel+":"+symbol]) > 0 {
			return true
		}
	}
	return false
}

// greetBook sends the first snapshot to a new listener, from where the chain
// stands for all others. The lock is held.
func (h *hub) greetBook(sub *subscription, view simcore.BookView) {
	symbol := sub.arg.InstID
	feed := h.feeds[symbol]
	if feed == nil {
		// The book may have changed since the view was taken.
		feed = &bookFeed{view: view, dirty: true, sentAt: h.sim.Clock.Base(), seq: view.UpdateID}
		h.feeds[symbol] = feed
	}
	push := pushBody{Arg: sub.arg}
	if sub.arg.Channel == channelBooks {
		push.Action = eventSnapshot
		push.Data = chained(feed.view.Time, levelsOf(feed.view.Bids), levelsOf(feed.view.Asks), -1, feed.seq)
	} else {
		push.Data = topPush(&feed.view, sub.arg.Channel)
	}
	h.send(sub.client, faultTopic(&sub.arg), simnet.Encode(push))
}

// topPush is the whole message of a channel of few levels.
func topPush(view *simcore.BookView, channel string) []bookPush {
	depth := 5
	if channel == channelBest {
		depth = 1
	}
	return []bookPush{{
		Asks: levelsOf(view.Asks[:min(depth, len(view.Asks))]), Bids: levelsOf(view.Bids[:min(depth, len(view.Bids))]),
		InstID: view.Symbol, TS: millis(view.Time), SeqID: view.UpdateID,
	}}
}

func (h *hub) bookChanged(event *simcore.BookEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if feed := h.feeds[event.Symbol]; feed != nil {
		feed.dirty = true
	}
	h.traded[event.Symbol] = true
}

// flushBooks sends the differences of all books that changed, and a sign of
// life of those that did not for long.
func (h *hub) flushBooks(base time.Time) {
	for _, symbol := range h.sim.symbols {
		if !h.bookDue(symbol, base) {
			continue
		}
		view, _ := h.sim.Exchange().Book(symbol, booksDepthMax)
		h.sendBook(symbol, view, base)
	}
}

func (h *hub) bookDue(symbol string, base time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	feed := h.feeds[symbol]
	if feed == nil || !feed.dirty && base.Sub(feed.sentAt) < heartbeat {
		return false
	}
	feed.dirty = false
	return true
}

func (h *hub) sendBook(symbol string, view simcore.BookView, base time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	feed := h.feeds[symbol]
	if feed == nil || view.UpdateID < feed.view.UpdateID {
		return
	}
	bids, asks := difference(feed.view.Bids, view.Bids, true), difference(feed.view.Asks, view.Asks, false)
	quiet := len(bids)+len(asks) == 0
	if quiet && base.Sub(feed.sentAt) < heartbeat {
		return
	}
	previous := feed.seq
	if quiet {
		view.UpdateID = feed.view.UpdateID
	} else {
		feed.seq = view.UpdateID - feed.base
	}
	h.publish(channelBooks, symbol, "update", chained(view.Time, bids, asks, previous, feed.seq))
	for _, channel := range []string{channelBooks5, channelBest} {
		h.publish(channel, symbol, "", topPush(&view, channel))
	}
	feed.view, feed.sentAt = view, base
}

// restartBooks lets every book count from one again, as the venue's do after
// maintenance: the next message follows the one before and has a lower number.
func (h *hub) restartBooks() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, feed := range h.feeds {
		feed.base = feed.view.UpdateID
	}
}

// repeatSnapshots sends every book whole to those that have it already, as the
// venue does at times; the chain goes on from there.
func (h *hub) repeatSnapshots() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for symbol, feed := range h.feeds {
		snapshot := chained(feed.view.Time, levelsOf(feed.view.Bids), levelsOf(feed.view.Asks), -1, feed.seq)
		h.publish(channelBooks, symbol, eventSnapshot, snapshot)
	}
}

// difference is what turns one side of a book into a later one: new and changed
// levels in full, gone ones with no quantity, best first.
func difference(before, after []simcore.Level, descending bool) []level {
	changes := []level{}
	gone := func(l simcore.Level) { changes = append(changes, level{l.Price.String(), "0", "0", "0"}) }
	i, j := 0, 0
	for i < len(before) && j < len(after) {
		order := before[i].Price.Cmp(after[j].Price)
		if descending {
			order = -order
		}
		switch {
		case order < 0:
			gone(before[i])
			i++
		case order > 0:
			changes = append(changes, levelOf(after[j]))
			j++
		default:
			if !before[i].Qty.Equal(after[j].Qty) {
				changes = append(changes, levelOf(after[j]))
			}
			i, j = i+1, j+1
		}
	}
	for ; i < len(before); i++ {
		gone(before[i])
	}
	for ; j < len(after); j++ {
		changes = append(changes, levelOf(after[j]))
	}
	return changes
}
