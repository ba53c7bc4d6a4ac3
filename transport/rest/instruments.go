package rest

import (
	"slices"
	"strings"
	"sync"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// instrumentFilter is the query of GET /v1/instruments.
type instrumentFilter struct {
	exchange venues.Venue
	symbol   string
	kind     venues.Kind
	status   venues.InstrumentStatus
	limit    int
}

func (f *instrumentFilter) matches(i *venues.Instrument) bool {
	return (f.symbol == "" || i.Symbol == f.symbol) && (f.kind == "" || i.Kind == f.kind) && (f.status == "" || i.Status == f.status)
}

var instrumentParameters = parameters[instrumentFilter]{
	{"exchange", func(q *api.Query, name string, f *instrumentFilter) { f.exchange = q.Exchange(name) }},
	{"symbol", func(q *api.Query, name string, f *instrumentFilter) { f.symbol = q.Symbol(name) }},
	{"kind", func(q *api.Query, name string, f *instrumentFilter) {
		f.kind = api.QueryOneOf(q, name, "", venues.KindPerpetual, venues.KindFuture)
	}},
	{"status", func(q *api.Query, name string, f *instrumentFilter) {
		f.status = api.QueryOneOf(q, name, "", venues.InstrumentTrading, venues.InstrumentPreOpen, venues.InstrumentRestricted,
			venues.InstrumentHalted, venues.InstrumentSettling, venues.InstrumentClosed)
	}},
	{"limit", func(q *api.Query, name string, f *instrumentFilter) {
		f.limit = q.Limit(name, api.InstrumentsLimitDefault, api.InstrumentsLimitMax)
	}},
}

func getInstruments(s *Server, in *call) (response, error) {
	var f instrumentFilter
	instrumentParameters.decode(in.query, &f)
	cursor, err := s.openCursor(in, "instruments")
	if err != nil {
		return response{}, err
	}
	if f.exchange != "" {
		if _, known := s.deps.Instruments.Instruments(f.exchange); !known {
			return response{}, notConnected(f.exchange)
		}
	}
	return in.reading.list(in.ctx, rowsOf(f.limit, false), func() ([]byte, int, error) {
		page, more := s.instrumentsAfter(&f, cursor.ID)
		next := ""
		if more {
			last := page[len(page)-1]
			position := &persistence.PagePosition{ID: instrumentKey(last.Exchange, last.Symbol)}
			next = s.sealCursor(in, "instruments", position, cursor.From, cursor.To)
		}
		return api.AppendPage(newBuffer(len(page)), page, appendInstrument, next), rowsOf(len(page), false), nil
	})
}

func appendInstrument(dst []byte, i **venues.Instrument) []byte { return api.AppendInstrument(dst, *i) }

func instrumentKey(exchange venues.Venue, symbol string) string {
	return string(exchange) + " " + symbol
}

// instrumentsAfter returns the instruments after the key of the previous page, sorted
// by venue and symbol. If the list changed between two pages, instruments that stayed
// are neither repeated nor skipped.
func (s *Server) instrumentsAfter(f *instrumentFilter, after string) (page []*venues.Instrument, more bool) {
	begin, _, _ := strings.Cut(after, " ")
	all := venues.All()
	for _, exchange := range all[max(slices.Index(all, venues.Venue(begin)), 0):] {
		set, known := s.deps.Instruments.Instruments(exchange)
		if !known || f.exchange != "" && exchange != f.exchange {
			continue
		}
		symbol := f.symbol
		if i, found := set.Find(symbol); found {
			symbol = i.Symbol
		}
		wanted := instrumentFilter{symbol: symbol, kind: f.kind, status: f.status}
		for _, i := range s.instruments.sorted(exchange, set) {
			if string(exchange) == begin && instrumentKey(exchange, i.Symbol) <= after || !wanted.matches(i) {
				continue
			}
			if len(page) == f.limit {
				return page, true
			}
			page = append(page, i)
		}
	}
	return page, false
}

// canonical returns the canonical symbol for any spelling: that of the instrument if
// one is found, else of the normalized text. Without an exchange it searches all
// venues.
func (s *Server) canonical(exchange venues.Venue, text string) string {
	if text == "" {
		return ""
	}
	for _, v := range venues.All() {
		if exchange != "" && exchange != v {
			continue
		}
		set, _ := s.deps.Instruments.Instruments(v)
		if i, found := set.Find(text); found {
			return i.Symbol
		}
	}
	return venues.NormalizeSymbol(text)
}

// instrumentIndex caches the instruments of each venue sorted by symbol, until the
// set of the venue changes.
type instrumentIndex struct {
	mu      sync.Mutex
	byVenue map[venues.Venue]sortedSet
}

type sortedSet struct {
	set  *venues.InstrumentSet
	list []*venues.Instrument
}

func (x *instrumentIndex) sorted(exchange venues.Venue, set *venues.InstrumentSet) []*venues.Instrument {
	x.mu.Lock()
	defer x.mu.Unlock()
	if cached, known := x.byVenue[exchange]; known && cached.set == set {
		return cached.list
	}
	all := set.All()
	list := make([]*venues.Instrument, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	slices.SortFunc(list, func(a, b *venues.Instrument) int { return strings.Compare(a.Symbol, b.Symbol) })
	if x.byVenue == nil {
		x.byVenue = make(map[venues.Venue]sortedSet)
	}
	x.byVenue[exchange] = sortedSet{set, list}
	return list
}
