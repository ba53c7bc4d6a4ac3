package bybitsim

import (
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// bookFeed is the state of a book as last sent to its listeners.
type bookFeed struct {
	bids, asks []simcore.Level
	u          int64
	known      bool
	// changed is the market's count of changes at the last message.
	changed int64
	sentAt  time.Time
	// restart requests a snapshot with u 1.
	restart bool
}

type bookData struct {
	Symbol string      `json:"s"`
	Bids   [][2]string `json:"b"`
	Asks   [][2]string `json:"a"`
	U      int64       `json:"u"`
	Seq    int64       `json:"seq"`
}

// repeatTopAfter is how long after its last message level 1 is sent again.
const repeatTopAfter = 3 * time.Second

// flushBook sends the changes within the window of a book topic, and the whole
// window to unsynced listeners.
func (st *streams) flushBook(feed *topicFeed, base time.Time) {
	if !st.bookDue(feed, base) {
		return
	}
	view, _ := st.sim.Exchange().Book(feed.symbol, feed.levels)
	now := st.sim.Clock.Now()
	st.mu.Lock()
	defer st.mu.Unlock()
	m, b := st.markets[feed.symbol], &feed.book
	data := bookData{
		Symbol: feed.symbol, Bids: m.delta(b.bids, view.Bids, simcore.Buy), Asks: m.delta(b.asks, view.Asks, simcore.Sell), Seq: view.UpdateID,
	}
	different := len(data.Bids)+len(data.Asks) > 0
	if !b.known || different {
		m.nextU[feed.levels]++
	}
	whole := feed.unsynced
	if b.restart {
		m.nextU[feed.levels], whole, b.restart = 1, feed.listeners, false
		different = false
	}
	b.u, b.known, b.bids, b.asks = m.nextU[feed.levels], true, view.Bids, view.Asks
	data.U = b.u
	message := streamBody{Topic: feed.name, Type: typeDelta, TS: millis(now), Data: data, CTS: millis(m.at)}
	repeat := feed.levels == 1 && base.Sub(b.sentAt) >= repeatTopAfter
	if feed.levels == 1 && (different || repeat) {
		whole = feed.listeners
	} else if different {
		st.send(feed, feed.synced(), message)
	}
	if different || repeat || len(whole) > 0 {
		b.sentAt = base
	}
	data.Bids, data.Asks = m.rows(view.Bids), m.rows(view.Asks)
	message.Type, message.Data = typeSnapshot, data
	st.send(feed, whole, message)
	clear(feed.unsynced)
}

// bookDue reports whether a book topic has anything to send.
func (st *streams) bookDue(feed *topicFeed, base time.Time) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	m, b := st.markets[feed.symbol], &feed.book
	due := !b.known || b.restart || b.changed != m.changed || len(feed.unsynced) > 0 ||
		feed.levels == 1 && base.Sub(b.sentAt) >= repeatTopAfter
	b.changed = m.changed
	return due
}

// delta returns the rows that turn one window into another, best price first; what
// left the window has quantity zero.
func (l *listing) delta(before, after []simcore.Level, side simcore.Side) [][2]string {
	changes := simnet.BookDelta(before, after, side)
	rows := make([][2]string, 0, len(changes))
	for _, level := range changes {
		row := l.row(level)
		if level.Qty.IsZero() {
			row[1] = "0"
		}
		rows = append(rows, row)
	}
	return rows
}

func (l *listing) row(level simcore.Level) [2]string {
	return [2]string{l.price(level.Price), l.qty(level.Qty)}
}

func (l *listing) rows(levels []simcore.Level) [][2]string {
	rows := make([][2]string, len(levels))
	for i, level := range levels {
		rows[i] = l.row(level)
	}
	return rows
}

// lastU returns the newest update id of a book topic.
func (st *streams) lastU(symbol string, levels int) int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.markets[symbol].nextU[levels]
}

func (st *streams) restartBooks() {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, feed := range st.topics {
		feed.book.restart = feed.kind == bookTopic
	}
}
