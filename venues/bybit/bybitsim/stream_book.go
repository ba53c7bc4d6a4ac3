package bybitsim

import (
	"time"

	"venuegate/venues/simcore"
)

// bookFeed is a book as its listeners know it.
type bookFeed struct {
	bids, asks []simcore.Level
	u          int64
	known      bool
	// changed is the count of changes that the feed has seen.
	changed int64
	sentAt  time.Time
	// restarted asks for a snapshot with u 1.
	restarted bool
}

type bookData struct {
	Symbol string      `json:"s"`
	Bids   [][2]string `json:"b"`
	Asks   [][2]string `json:"a"`
	U      int64       `json:"u"`
	Seq    int64       `json:"seq"`
}

// repeatTopAfter is the silence after which level 1 is sent again.
const repeatTopAfter = 3 * time.Second

// flushBook sends what changed within the window of a book topic, and the whole
// window to those who are new.
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
		Symbol: feed.symbol, Bids: m.changes(b.bids, view.Bids, simcore.Buy), Asks: m.changes(b.asks, view.Asks, simcore.Sell), Seq: view.UpdateID,
	}
	different := len(data.Bids)+len(data.Asks) > 0
	if !b.known || different {
		m.nextU[feed.levels]++
	}
	whole := feed.fresh
	if b.restarted {
		m.nextU[feed.levels], whole, b.restarted = 1, feed.listeners, false
		different = false
	}
	b.u, b.known, b.bids, b.asks = m.nextU[feed.levels], true, view.Bids, view.Asks
	data.U = b.u
	message := streamBody{Topic: feed.name, Type: typeDelta, TS: millis(now), Data: data, CTS: millis(m.at)}
	repeat := feed.levels == 1 && base.Sub(b.sentAt) >= repeatTopAfter
	if feed.levels == 1 && (different || repeat) {
		whole = feed.listeners
	} else if different {
		st.send(feed, feed.settled(), message)
	}
	if different || repeat || len(whole) > 0 {
		b.sentAt = base
	}
	data.Bids, data.Asks = m.rows(view.Bids), m.rows(view.Asks)
	message.Type, message.Data = typeSnapshot, data
	st.send(feed, whole, message)
	clear(feed.fresh)
}

// bookDue says whether there is anything to tell.
func (st *streams) bookDue(feed *topicFeed, base time.Time) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	m, b := st.markets[feed.symbol], &feed.book
	due := !b.known || b.restarted || b.changed != m.changed || len(feed.fresh) > 0 ||
		feed.levels == 1 && base.Sub(b.sentAt) >= repeatTopAfter
	b.changed = m.changed
	return due
}

// changes are the rows that turn one window into another, best price first;
// what left the window has quantity zero.
func (l *listing) changes(before, after []simcore.Level, side simcore.Side) [][2]string {
	rows := [][2]string{}
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		order := 0
		switch {
		case i == len(before):
			order = 1
		case j == len(after):
			order = -1
		default:
			order = before[i].Price.Cmp(after[j].Price)
			if side == simcore.Buy {
				order = -order
			}
		}
		switch {
		case order < 0:
			rows = append(rows, [2]string{l.price(before[i].Price), "0"})
			i++
		case order > 0:
			rows = append(rows, l.row(after[j]))
			j++
		default:
			if !before[i].Qty.Equal(after[j].Qty) {
				rows = append(rows, l.row(after[j]))
			}
			i, j = i+1, j+1
		}
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

// lastU is the newest update id of a book topic.
func (st *streams) lastU(symbol string, levels int) int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.markets[symbol].nextU[levels]
}

func (st *streams) restartBooks() {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, feed := range st.topics {
		feed.book.restarted = feed.kind == bookTopic
	}
}
