package binancesim

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"venuegate/venues/simcore"
)

// depthBodyEvent is a message of the book streams. In a diff the levels are
// changes, in a partial book they are the whole top.
type depthBodyEvent struct {
	Event     string      `json:"e"`
	E         int64       `json:"E"`
	T         int64       `json:"T"`
	Symbol    string      `json:"s"`
	FirstID   int64       `json:"U"`
	LastID    int64       `json:"u"`
	PrevID    int64       `json:"pu"`
	Bids      [][2]string `json:"b"`
	Asks      [][2]string `json:"a"`
	Pair      string      `json:"ps"`
	StreamTyp int         `json:"st"`
}

// streamTypeUM marks messages of USD-M futures, which share hosts with another
// market.
const streamTypeUM = 1

type levelKey struct {
	side  simcore.Side
	ticks int64
}

// depthFeed collects the changes of a book between two messages of one stream.
type depthFeed struct {
	changes map[levelKey]simcore.LevelChange
	firstID int64
	lastID  int64
	prevID  int64
	at      time.Time
	// pending reports whether there are changes to send.
	pending bool
}

// startNext starts the next message.
func (f *depthFeed) startNext() {
	f.prevID, f.pending = f.lastID, false
	f.changes = map[levelKey]simcore.LevelChange{}
}

// open creates the state of a stream that has got its first listener.
func (st *streams) open(name string, kind streamKind) {
	if kind.symbol == "" || kind.every == 0 || kind.interval != "" {
		return
	}
	m := st.markets[kind.symbol]
	if isDepth(kind) {
		m.depths[name] = &depthFeed{changes: map[levelKey]simcore.LevelChange{}, prevID: m.lastUpdate}
	}
}

func isDepth(kind streamKind) bool {
	return len(kind.name) >= 5 && kind.name[:5] == "depth"
}

// close drops the state of a stream that has lost its last listener.
func (st *streams) close(name string) {
	if kind, ok := st.kinds[name]; ok && kind.symbol != "" {
		delete(st.markets[kind.symbol].depths, name)
		delete(st.markets[kind.symbol].klines, name)
	}
}

func (st *streams) bookChanged(at time.Time, event simcore.BookEvent) {
	m := st.markets[event.Symbol]
	if m.replayed {
		return
	}
	m.lastUpdate = event.Changes[len(event.Changes)-1].UpdateID
	for _, feed := range m.depths {
		feed.add(at, event.Changes)
	}
	st.bestChanged(at, m, event)
}

func (f *depthFeed) add(at time.Time, changes []simcore.LevelChange) {
	if !f.pending {
		f.firstID = changes[0].UpdateID
	}
	f.pending = true
	f.lastID, f.at = changes[len(changes)-1].UpdateID, at
	for _, change := range changes {
		f.changes[levelKey{change.Side, change.Ticks}] = change
	}
}

// flushDepth sends the changes since the last message, if any.
func (st *streams) flushDepth(due dueStream, now time.Time) {
	st.mu.Lock()
	defer st.mu.Unlock()
	m := st.markets[due.kind.symbol]
	feed := m.depths[due.name]
	if feed == nil || !feed.pending {
		return
	}
	st.publish(due.name, st.depthMessage(m, feed, now))
	feed.startNext()
}

func (st *streams) depthMessage(m *marketState, feed *depthFeed, now time.Time) depthBodyEvent {
	body := depthBodyEvent{
		Event: "depthUpdate", E: millis(now), T: millis(feed.at), Symbol: m.Symbol,
		FirstID: feed.firstID, LastID: feed.lastID, PrevID: feed.prevID,
		Bids: [][2]string{}, Asks: [][2]string{}, Pair: m.Symbol, StreamTyp: streamTypeUM,
	}
	changes := slices.SortedFunc(maps.Values(feed.changes), func(a, b simcore.LevelChange) int { return cmp.Compare(a.Ticks, b.Ticks) })
	for _, change := range changes {
		level := st.sim.Exchange().LevelOf(m.Symbol, change)
		row := [2]string{m.price(level.Price), m.qty(level.Qty)}
		if change.Side == simcore.Buy {
			body.Bids = append(body.Bids, row)
		} else {
			body.Asks = append(body.Asks, row)
		}
	}
	return body
}

// flushPartial sends the top of the book if the book has changed.
func (st *streams) flushPartial(due dueStream, now time.Time) {
	book, _ := st.sim.Exchange().Book(due.kind.symbol, due.kind.levels)
	st.mu.Lock()
	defer st.mu.Unlock()
	m := st.markets[due.kind.symbol]
	feed := m.depths[due.name]
	bids, asks := m.levels(book.Bids), m.levels(book.Asks)
	if m.replayed {
		recorded := st.replay.books[m.Symbol]
		bids, asks = recorded.rows(simcore.Buy, due.kind.levels), recorded.rows(simcore.Sell, due.kind.levels)
	}
	if feed == nil || !feed.pending {
		return
	}
	st.publish(due.name, depthBodyEvent{
		Event: "depthUpdate", E: millis(now), T: millis(feed.at), Symbol: m.Symbol,
		FirstID: feed.firstID, LastID: feed.lastID, PrevID: feed.prevID,
		Bids: bids, Asks: asks, Pair: m.Symbol, StreamTyp: streamTypeUM,
	})
	feed.startNext()
}

type bookTickerEvent struct {
	Event     string `json:"e"`
	UpdateID  int64  `json:"u"`
	Symbol    string `json:"s"`
	Pair      string `json:"ps"`
	Bid       string `json:"b"`
	BidQty    string `json:"B"`
	Ask       string `json:"a"`
	AskQty    string `json:"A"`
	T         int64  `json:"T"`
	E         int64  `json:"E"`
	StreamTyp int    `json:"st"`
}

// bestChanged publishes the top of the book to the book tickers.
func (st *streams) bestChanged(at time.Time, m *marketState, event simcore.BookEvent) {
	own := m.lower + "@bookTicker"
	if !st.listeners.Has(own) && !st.listeners.Has("!bookTicker") {
		return
	}
	bid := st.sim.Exchange().LevelOf(m.Symbol, event.BestBid)
	ask := st.sim.Exchange().LevelOf(m.Symbol, event.BestAsk)
	body := bookTickerEvent{
		Event: "bookTicker", UpdateID: m.lastUpdate, Symbol: m.Symbol, Pair: m.Symbol,
		Bid: m.price(bid.Price), BidQty: m.qty(bid.Qty), Ask: m.price(ask.Price), AskQty: m.qty(ask.Qty),
		T: millis(at), E: millis(at), StreamTyp: streamTypeUM,
	}
	st.publish(own, body)
	st.publish("!bookTicker", body)
}
