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

func (f *instrumentFilter) passes(i *venues.Instrument) bool {
	return (f.symbol == "" || i.Symbol == f.symbol) && (f.kind == "" || i.Kind == f.kind) && (f.status == "" || i.Status == f.status)
}

func getInstruments(s *Server, in *call) (answer, error) {
	q := in.query
	f := instrumentFilter{
		exchange: q.Exchange("exchange"),
		symbol:   q.Symbol("symbol"),
		kind:     api.QueryOneOf(q, "kind", "", venues.KindPerpetual, venues.KindFuture),
		status: api.QueryOneOf(q, "status", "", venues.InstrumentTrading, venues.InstrumentPreOpen, venues.InstrumentRestricted,
			venues.InstrumentHalted, venues.InstrumentSettling, venues.InstrumentClosed),
		limit: q.Limit("limit", api.InstrumentsLimitDefault, api.InstrumentsLimitMax),
	}
	cursor, err := s.openCursor(in, "instruments")
	if err != nil {
		return answer{}, err
	}
	if f.exchange != "" {
		if _, known := s.deps.Catalogue.Instruments(f.exchange); !known {
			return answer{}, notConnected(f.exchange)
		}
	}
	page, more := s.instrumentsAfter(&f, cursor.ID)
	next := ""
	if more {
		last := page[len(page)-1]
		position := &persistence.Position{ID: instrumentKey(last.Exchange, last.Symbol)}
		next = s.sealCursor(in, "instruments", position, cursor.From, cursor.To)
	}
	return ok(api.AppendPage(room(len(page)), page, appendInstrument, next)), nil
}

func appendInstrument(dst []byte, i **venues.Instrument) []byte { return api.AppendInstrument(dst, *i) }

func instrumentKey(exchange venues.Venue, symbol string) string {
	return string(exchange) + " " + symbol
}

// instrumentsAfter lists by venue, then by symbol, from behind the key of the
// page before. A list that changed in between neither repeats nor skips what
// stayed.
func (s *Server) instrumentsAfter(f *instrumentFilter, after string) (page []*venues.Instrument, more bool) {
	begin, _, _ := strings.Cut(after, " ")
	all := venues.All()
	for _, exchange := range all[max(slices.Index(all, venues.Venue(begin)), 0):] {
		set, known := s.deps.Catalogue.Instruments(exchange)
		if !known || f.exchange != "" && exchange != f.exchange {
			continue
		}
		symbol := f.symbol
		if i, found := set.Find(symbol); found {
			symbol = i.Symbol
		}
		wanted := instrumentFilter{symbol: symbol, kind: f.kind, status: f.status}
		for _, i := range s.catalogue.sorted(exchange, set) {
			if string(exchange) == begin && instrumentKey(exchange, i.Symbol) <= after || !wanted.passes(i) {
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

// canonical is the service's name for a symbol in any spelling: by the catalogue
// where that knows it, else by its form. An empty exchange asks all venues.
func (s *Server) canonical(exchange venues.Venue, text string) string {
	if text == "" {
		return ""
	}
	for _, v := range venues.All() {
		if exchange != "" && exchange != v {
			continue
		}
		set, _ := s.deps.Catalogue.Instruments(v)
		if i, found := set.Find(text); found {
			return i.Symbol
		}
	}
	return venues.NormalizeSymbol(text)
}

// catalogueIndex keeps the instruments of each venue in the order of their
// symbols, until the venue's set changes.
type catalogueIndex struct {
	mu      sync.Mutex
	byVenue map[venues.Venue]sortedSet
}

type sortedSet struct {
	set  *venues.InstrumentSet
	list []*venues.Instrument
}

func (x *catalogueIndex) sorted(exchange venues.Venue, set *venues.InstrumentSet) []*venues.Instrument {
	x.mu.Lock()
	defer x.mu.Unlock()
	if kept, known := x.byVenue[exchange]; known && kept.set == set {
		return kept.list
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
