package okxsim

import (
	"slices"
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

// bookFeed is the state of a book as last sent to its listeners. All of them follow
// one chain of messages.
type bookFeed struct {
	view   simcore.BookView
	dirty  bool
	sentAt time.Time
	// seq is the number of the last message; base is subtracted from the exchange's
	// numbers since the restart of the book.
	seq, base int64
}

// bookPush is a message of a book channel. Only the channel of differences has a
// checksum and a chain.
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

// bookWanted reports whether a book has listeners. The lock is held.
func (h *hub) bookWanted(symbol string) bool {
	return slices.ContainsFunc([]string{channelBooks, channelBooks5, channelBest}, func(channel string) bool {
		return h.topics.Has(channel + ":" + symbol)
	})
}

// sendBookSnapshot sends the first snapshot to a new listener, at the present place
// of the chain. The lock is held.
func (h *hub) sendBookSnapshot(sub *subscription, view simcore.BookView) {
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
	h.sendLocked(sub.client, faultTopic(&sub.arg), simnet.Encode(push))
}

// topPush returns the message of a channel of few levels.
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

// flushBooks sends the differences of all changed books, and heartbeats of books
// that have not changed for long.
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
	bids := levelsOf(simnet.BookDelta(feed.view.Bids, view.Bids, simcore.Buy))
	asks := levelsOf(simnet.BookDelta(feed.view.Asks, view.Asks, simcore.Sell))
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

// restartBooks makes every book count from one again, as after a maintenance of the
// venue: the next message follows the one before and has a lower number.
func (h *hub) restartBooks() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, feed := range h.feeds {
		feed.base = feed.view.UpdateID
	}
}

// repeatSnapshots sends snapshots to present listeners, as the venue does at times;
// the chain continues from there.
func (h *hub) repeatSnapshots() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for symbol, feed := range h.feeds {
		snapshot := chained(feed.view.Time, levelsOf(feed.view.Bids), levelsOf(feed.view.Asks), -1, feed.seq)
		h.publish(channelBooks, symbol, eventSnapshot, snapshot)
	}
}
