package rest

import (
	"context"
	"errors"
	"sync"

	"venuegate/transport/api"
	"venuegate/venues"
)

var tickerParameters = parameters[marketFilter]{
	{"exchange", func(q *api.Query, name string, f *marketFilter) { f.exchange = q.Exchange(name) }},
	{"symbol", func(q *api.Query, name string, f *marketFilter) { f.symbol = q.Symbol(name) }},
}

func getTickers(s *Server, in *call) (response, error) {
	var f marketFilter
	tickerParameters.decode(in.query, &f)
	exchanges, err := s.tickerVenues(in.query, &f)
	if err != nil {
		return response{}, err
	}
	tickers, failures, err := s.readTickers(in.ctx, exchanges, s.canonical(f.exchange, f.symbol))
	if err != nil {
		return response{}, err
	}
	return in.reading.list(in.ctx, rowsOf(len(tickers), false), func() ([]byte, int, error) {
		return api.AppendVenueList(newBuffer(len(tickers)), tickers, api.AppendTicker, failures), len(tickers), nil
	})
}

// tickerVenues returns the errors of the query, or else the venues that list the instrument,
// or all.
func (s *Server) tickerVenues(q *api.Query, f *marketFilter) ([]venues.Venue, error) {
	if f.exchange != "" && f.symbol != "" {
		_, err := s.listed(q, f)
		return []venues.Venue{f.exchange}, err
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	var found []venues.Venue
	for _, exchange := range venues.All() {
		set, known := s.deps.Instruments.Instruments(exchange)
		if !known || f.exchange != "" && exchange != f.exchange {
			continue
		}
		if _, listed := set.Find(f.symbol); f.symbol == "" || listed {
			found = append(found, exchange)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case f.symbol == "":
		return nil, notConnected(f.exchange)
	}
	return nil, venues.Errorf(venues.CodeSymbolNotTradable, "no venue lists this symbol").
		With("symbol", venues.NormalizeSymbol(f.symbol)).With("reason", venues.ReasonUnknownSymbol)
}

// readTickers reads the tickers of the venues at the same time. If none answers it returns the
// error of the first.
func (s *Server) readTickers(ctx context.Context, exchanges []venues.Venue, symbol string) (all []venues.Ticker, failures []venues.VenueFailure, err error) {
	lists, errs := make([][]venues.Ticker, len(exchanges)), make([]error, len(exchanges))
	var reads sync.WaitGroup
	for n, exchange := range exchanges {
		reads.Go(func() { lists[n], errs[n] = s.deps.Market.Tickers(ctx, exchange, symbol) })
	}
	reads.Wait()
	for n, exchange := range exchanges {
		if errs[n] == nil {
			all = append(all, lists[n]...)
			continue
		}
		failed, ok := errors.AsType[*venues.Error](errs[n])
		if !ok {
			return nil, nil, errs[n]
		}
		failures = append(failures, venues.VenueFailure{Exchange: exchange, Error: failed})
	}
	if len(failures) == len(exchanges) {
		return nil, nil, errs[0]
	}
	return all, failures, nil
}
