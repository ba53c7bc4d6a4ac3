package rest

import (
	"slices"
	"strconv"

	"venuegate/transport/api"
	"venuegate/venues"
)

// marketFilter is the query of a read of market data.
type marketFilter struct {
	exchange venues.Venue
	symbol   string
	depth    int
	limit    int
}

// requiredExchange and requiredSymbol are the parameters of reads about one instrument.
var (
	requiredExchange = parameter[marketFilter]{"exchange", func(q *api.Query, name string, f *marketFilter) {
		f.exchange = q.Exchange(name)
		q.Require(name)
	}}
	requiredSymbol = parameter[marketFilter]{"symbol", func(q *api.Query, name string, f *marketFilter) {
		f.symbol = q.Symbol(name)
		q.Require(name)
	}}
)

var bookParameters = parameters[marketFilter]{requiredExchange, requiredSymbol, {"depth", func(q *api.Query, name string, f *marketFilter) {
	depths := make([]string, 0, len(venues.BookDepths()))
	for _, depth := range slices.Sorted(slices.Values(venues.BookDepths())) {
		depths = append(depths, strconv.Itoa(depth))
	}
	f.depth, _ = strconv.Atoi(api.QueryOneOf(q, name, strconv.Itoa(api.BookDepthDefault), depths...)) // 0 is an error of the query
}}}

func getBook(s *Server, in *call) (response, error) {
	var f marketFilter
	bookParameters.decode(in.query, &f)
	i, err := s.listed(in.query, &f)
	if err != nil {
		return response{}, err
	}
	frame, err := s.deps.Market.BookSnapshot(in.ctx, in.principal.Customer, f.exchange, i.Symbol, f.depth)
	return ok(frame.Bytes), err
}

var tradeParameters = parameters[marketFilter]{requiredExchange, requiredSymbol, {"limit", func(q *api.Query, name string, f *marketFilter) {
	f.limit = q.Limit(name, api.TradesLimitDefault, api.TradesLimitMax)
}}}

func getTrades(s *Server, in *call) (response, error) {
	var f marketFilter
	tradeParameters.decode(in.query, &f)
	i, err := s.listed(in.query, &f)
	if err != nil {
		return response{}, err
	}
	trades, err := s.deps.Market.Trades(in.ctx, f.exchange, i.Symbol, f.limit)
	if err != nil {
		return response{}, err
	}
	return in.reading.list(in.ctx, rowsOf(len(trades), false), func() ([]byte, int, error) {
		return api.AppendList(newBuffer(0), trades, api.AppendTradeRecord), len(trades), nil
	})
}

// listed returns the errors of the query, or else the instrument that it names.
func (s *Server) listed(q *api.Query, f *marketFilter) (*venues.Instrument, error) {
	if err := q.Err(); err != nil {
		return nil, err
	}
	set, known := s.deps.Instruments.Instruments(f.exchange)
	if !known {
		return nil, notConnected(f.exchange)
	}
	if set == nil {
		return nil, venues.Errorf(venues.CodeExchangeUnavailable, "the instruments of %s are not known yet", f.exchange).
			With("exchange", string(f.exchange))
	}
	i, found := set.Find(f.symbol)
	if !found {
		return nil, venues.Errorf(venues.CodeSymbolNotTradable, "%s does not list this symbol", f.exchange).
			With("exchange", string(f.exchange)).With("symbol", venues.NormalizeSymbol(f.symbol)).With("reason", venues.ReasonUnknownSymbol)
	}
	return i, nil
}
