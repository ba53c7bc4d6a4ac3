package bybitsim

import (
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// streams are the public streams: their listeners, and the state of each topic that
// has listeners.
type streams struct {
	sim *Sim

	mu      sync.Mutex
	topics  map[string]*topicFeed
	markets map[string]*market
	paces   simnet.Schedule
	// replay is the recording that is being played, or nil.
	replay *replay
}

// market is the state of the streams of one symbol.
type market struct {
	*listing
	// changed counts the changes of the book.
	changed int64
	at      time.Time
	trades  []tradeBody
	last    lastTrade
	// nextU continues the update ids of a book when its topic comes back.
	nextU map[int]int64
	day   day
}

// topicFeed is a topic with its listeners.
type topicFeed struct {
	name, symbol string
	kind         topicKind
	every        time.Duration
	levels       int
	interval     string
	listeners    map[*client]bool
	// unsynced are the listeners that have not received the snapshot yet.
	unsynced map[*client]bool

	book   bookFeed
	ticker map[string]string
	kline  klineState
}

type topicKind uint8

const (
	bookTopic topicKind = iota
	tradeTopic
	tickerTopic
	klineTopic
	silentTopic
)

// Intervals of the streams.
const (
	paceBook    = simnet.PumpInterval
	paceBookBig = 100 * time.Millisecond
	paceBookMax = 200 * time.Millisecond
	paceTrade   = simnet.PumpInterval
	paceTicker  = 100 * time.Millisecond
	paceKline   = time.Second
)

var paces = []time.Duration{simnet.PumpInterval, paceBookBig, paceBookMax, paceKline}

var bookPaces = map[int]time.Duration{1: paceBook, 50: paceBook, 200: paceBookBig, 1000: paceBookMax}

func newStreams(s *Sim) *streams {
	st := &streams{sim: s, topics: map[string]*topicFeed{}, markets: map[string]*market{}}
	first := s.Clock.Now().Unix()
	for _, name := range s.symbols {
		st.markets[name] = &market{listing: s.listings[name], nextU: map[int]int64{1: first, 50: first, 200: first, 1000: first}}
	}
	return st
}

// parseTopic parses a topic; ok is false where it does not exist.
func (st *streams) parseTopic(name string) (*topicFeed, bool) {
	parts := strings.Split(name, ".")
	feed := &topicFeed{name: name, symbol: parts[len(parts)-1], listeners: map[*client]bool{}, unsynced: map[*client]bool{}}
	if _, listed := st.markets[feed.symbol]; !listed {
		return nil, false
	}
	switch {
	case len(parts) == 3 && parts[0] == "orderbook":
		levels, err := strconv.Atoi(parts[1])
		feed.kind, feed.levels, feed.every = bookTopic, levels, bookPaces[levels]
		return feed, err == nil && feed.every > 0
	case len(parts) == 3 && parts[0] == "kline":
		feed.kind, feed.interval, feed.every = klineTopic, parts[1], paceKline
		_, known := intervals[parts[1]]
		return feed, known
	case len(parts) == 2 && parts[0] == "publicTrade":
		feed.kind, feed.every = tradeTopic, paceTrade
		return feed, true
	case len(parts) == 2 && parts[0] == "tickers":
		feed.kind, feed.every = tickerTopic, paceTicker
		return feed, true
	case len(parts) == 2 && (parts[0] == "allLiquidation" || parts[0] == "priceLimit"):
		feed.kind, feed.every = silentTopic, paceKline
		return feed, true
	}
	return nil, false
}

// subscribe adds all topics, or none where one of them is wrong. It returns the
// error to answer with.
func (st *streams) subscribe(cl *client, names []string) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	feeds := make([]*topicFeed, 0, len(names))
	for _, name := range names {
		if cl.topics[name] {
			return "error:already subscribed,topic:" + name
		}
		feed := st.topics[name]
		if feed == nil {
			var known bool
			if feed, known = st.parseTopic(name); !known {
				return "error:handler not found,topic:" + name
			}
		}
		feeds = append(feeds, feed)
	}
	for _, feed := range feeds {
		st.topics[feed.name] = feed
		feed.listeners[cl], feed.unsynced[cl] = true, true
		cl.topics[feed.name] = true
	}
	return ""
}

func (st *streams) unsubscribe(cl *client, names []string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, name := range names {
		st.remove(cl, name)
	}
}

func (st *streams) removeClient(cl *client) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for name := range cl.topics {
		st.remove(cl, name)
	}
}

func (st *streams) remove(cl *client, name string) {
	delete(cl.topics, name)
	feed := st.topics[name]
	if feed == nil {
		return
	}
	delete(feed.listeners, cl)
	delete(feed.unsynced, cl)
	if len(feed.listeners) == 0 {
		delete(st.topics, name)
	}
}

// receive records an event of the exchange. It runs under the exchange's lock and
// must not call the exchange.
func (st *streams) receive(event simcore.Event) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch body := event.Body.(type) {
	case simcore.BookEvent:
		m := st.markets[body.Symbol]
		m.changed++
		m.at = event.Time
	case simcore.TradeEvent:
		st.traded(event, body)
	case simcore.CandleEvent:
		st.candleClosed(event.Time, body)
	default:
	}
}

// flush sends the topics that are due at a time of the base clock. The exchange is
// read before the lock is taken, because it holds its own lock while it calls
// receive.
func (st *streams) flush(base time.Time) {
	for _, feed := range st.due(base) {
		switch feed.kind {
		case bookTopic:
			st.flushBook(feed, base)
		case tickerTopic:
			st.flushTicker(feed)
		case klineTopic:
			st.flushKline(feed)
		case tradeTopic, silentTopic:
		}
	}
	st.flushTrades()
	st.sendAllInitial()
}

// due returns the topics whose interval has passed or that have unsynced listeners,
// sorted by name.
func (st *streams) due(base time.Time) []*topicFeed {
	st.mu.Lock()
	defer st.mu.Unlock()
	ready := map[time.Duration]bool{}
	for _, pace := range paces {
		ready[pace] = st.paces.Due(pace, base)
	}
	eager := st.sim.options.Pace.IsEager()
	var due []*topicFeed
	for _, feed := range st.topics {
		if st.isRecorded(feed.name) {
			continue
		}
		if ready[feed.every] || eager && feed.kind == bookTopic || len(feed.unsynced) > 0 {
			due = append(due, feed)
		}
	}
	sort.Slice(due, func(i, j int) bool { return due[i].name < due[j].name })
	return due
}

// send delivers a message to the listeners of a topic. The lock is held.
func (st *streams) send(feed *topicFeed, to map[*client]bool, body any) {
	if len(to) == 0 {
		return
	}
	raw := simnet.Encode(body)
	for cl := range to {
		cl.session.Send(feed.name, raw)
	}
}

// synced returns the listeners that have received their snapshot.
func (f *topicFeed) synced() map[*client]bool {
	if len(f.unsynced) == 0 {
		return f.listeners
	}
	old := map[*client]bool{}
	for cl := range f.listeners {
		if !f.unsynced[cl] {
			old[cl] = true
		}
	}
	return old
}

// streamBody is the form of all public messages.
type streamBody struct {
	Topic string `json:"topic"`
	Type  string `json:"type"`
	TS    int64  `json:"ts"`
	Data  any    `json:"data"`
	CS    int64  `json:"cs,omitempty"`
	CTS   int64  `json:"cts,omitempty"`
}

const (
	typeSnapshot = "snapshot"
	typeDelta    = "delta"
)
