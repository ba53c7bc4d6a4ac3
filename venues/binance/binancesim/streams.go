package binancesim

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// streams are the market data streams: their subscribers, and the state of the
// aggregated ones.
type streams struct {
	sim *Sim

	mu        sync.Mutex
	listeners simnet.Topics[*client]
	markets   map[string]*marketState
	kinds     map[string]streamKind
	paces     simnet.Schedule
	// replay is the recording that is being played, or nil.
	replay *replay
}

// marketState is the state of the streams of one symbol.
type marketState struct {
	*listing
	lower string
	// lastUpdate is the id of the newest change of the book.
	lastUpdate int64
	depths     map[string]*depthFeed
	agg        aggregator
	klines     map[string]klineSent
	// replayed reports whether the market has a recorded book.
	replayed bool
}

// streamKind is a parsed stream name.
type streamKind struct {
	symbol string
	// name is the part after the symbol: "depth@100ms", "aggTrade".
	name string
	// every is the interval of the stream; zero sends immediately.
	every time.Duration
	// levels is the depth of a partial book; zero for all others.
	levels   int
	interval simcore.Interval
	category string
}

func newStreams(s *Sim) *streams {
	st := &streams{
		sim: s, listeners: simnet.Topics[*client]{}, markets: map[string]*marketState{},
		kinds: map[string]streamKind{},
	}
	for _, name := range s.symbols {
		book, _ := s.Exchange().Book(name, 0)
		st.addMarket(s.listings[name], book.UpdateID)
	}
	return st
}

func (st *streams) addMarket(l *listing, lastUpdate int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.markets[l.Symbol] = &marketState{
		listing: l, lower: strings.ToLower(l.Symbol), lastUpdate: lastUpdate,
		depths: map[string]*depthFeed{}, klines: map[string]klineSent{},
	}
}

// subscribe adds the streams that exist in the client's category; others are
// ignored, as the venue does.
func (st *streams) subscribe(cl *client, names []string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, name := range names {
		if len(cl.streams) >= streamsPerSessionMax {
			return
		}
		cl.streams[name] = true
		kind, ok := st.parse(name)
		if !ok || kind.category != cl.category {
			continue
		}
		st.kinds[name] = kind
		if st.listeners.Add(name, cl) {
			st.open(name, kind)
		}
	}
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
	for name := range cl.streams {
		st.remove(cl, name)
	}
}

func (st *streams) remove(cl *client, name string) {
	delete(cl.streams, name)
	if st.listeners.Remove(name, cl) {
		st.close(name)
		delete(st.kinds, name)
	}
}

func (st *streams) names(cl *client) []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	names := slices.AppendSeq([]string{}, maps.Keys(cl.streams)) // not nil: an empty list is an answer
	slices.Sort(names)
	return names
}

// publish sends a message to the listeners of a stream, if any. The lock is held.
func (st *streams) publish(name string, body any) {
	if !st.listeners.Has(name) {
		return
	}
	st.publishRaw(name, simnet.Encode(body))
}

func (st *streams) publishRaw(name string, raw []byte) {
	var wrapped []byte
	for cl := range st.listeners[name] {
		cl.deliver(name, raw, &wrapped)
	}
}

// receive converts an event of the exchange into stream messages. It runs under the
// exchange's lock and must not call the exchange.
func (st *streams) receive(event simcore.Event) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch body := event.Body.(type) {
	case simcore.BookEvent:
		st.bookChanged(event.Time, body)
	case simcore.TradeEvent:
		st.traded(event.Time, body)
	case simcore.CandleEvent:
		st.candleClosed(event.Time, body)
	case simcore.OrderEvent:
		st.liquidated(event.Time, body)
	case simcore.StatusEvent:
		st.statusChanged(event.Time, body)
	}
}

// Intervals of the periodic streams.
const (
	paceAgg    = 100 * time.Millisecond
	paceKline  = 250 * time.Millisecond
	paceMark   = time.Second
	paceMark3s = 3 * time.Second
	paceTicker = time.Second
	paceDepth  = 250 * time.Millisecond
	paceDepth0 = 50 * time.Millisecond
	paceDepth1 = 100 * time.Millisecond
	paceDepth5 = 500 * time.Millisecond
)

// flush sends the periodic streams that are due at a time of the base clock.
func (st *streams) flush(base time.Time) {
	now := st.sim.Clock.Now()
	for _, due := range st.due(base) {
		st.flushOne(due, now)
	}
}

// dueStream is a periodic stream that is due.
type dueStream struct {
	name string
	kind streamKind
}

// due returns the streams whose interval has passed, sorted by name.
func (st *streams) due(base time.Time) []dueStream {
	st.mu.Lock()
	defer st.mu.Unlock()
	ready := map[time.Duration]bool{}
	for _, pace := range []time.Duration{paceDepth0, paceDepth1, paceDepth, paceDepth5, paceMark, paceMark3s} {
		ready[pace] = st.paces.Due(pace, base)
	}
	eager := st.sim.options.Pace.IsEager()
	if ready[paceAgg] || eager {
		for _, name := range st.sim.symbols {
			st.flushAgg(st.markets[name])
		}
	}
	var due []dueStream
	for name, kind := range st.kinds {
		if kind.every > 0 && (ready[kind.every] || eager && isDepth(kind)) && !st.isRecorded(name) {
			due = append(due, dueStream{name, kind})
		}
	}
	sort.Slice(due, func(i, j int) bool { return due[i].name < due[j].name })
	return due
}

// flushOne sends one stream. It reads the exchange before it takes the lock of the
// streams, because the exchange holds its own lock while it calls receive.
func (st *streams) flushOne(due dueStream, now time.Time) {
	var message any
	switch {
	case due.kind.levels > 0:
		st.flushPartial(due, now)
		return
	case strings.HasPrefix(due.kind.name, "depth"):
		st.flushDepth(due, now)
		return
	case due.kind.interval != "":
		st.flushKline(due, now)
		return
	case strings.HasPrefix(due.kind.name, "markPrice"), strings.HasPrefix(due.name, "!markPrice"):
		message = st.markMessage(due.kind, now)
	default:
		message = st.tickerMessage(due, now)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.publish(due.name, message)
}
