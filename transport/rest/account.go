package rest

import (
	"slices"

	"venuegate/transport/api"
	"venuegate/venues"
)

// currencyDefault is the settlement currency if the request names none.
const currencyDefault = "USDT"

// accountFilter is the query of GET /v1/account.
type accountFilter struct {
	exchange venues.Venue
	currency string
	// knownCurrency reports whether an instrument uses a currency, or could settle in it.
	knownCurrency func(string) bool
}

var accountParameters = parameters[accountFilter]{
	{"currency", func(q *api.Query, name string, f *accountFilter) {
		currency, given := q.Text(name)
		if !given {
			f.currency = currencyDefault
			return
		}
		f.currency = currency
		if !f.knownCurrency(currency) {
			q.Add(name, api.RuleUnknownValue, currency, "a currency of an instrument, such as USDT")
		}
	}},
	{"exchange", func(q *api.Query, name string, f *accountFilter) { f.exchange = q.Exchange(name) }},
}

func getAccount(s *Server, in *call) (response, error) {
	f := accountFilter{knownCurrency: s.knownCurrency}
	accountParameters.decode(in.query, &f)
	if err := in.query.Err(); err != nil {
		return response{}, err
	}
	query := venues.ReadAccount{Command: in.command(), Exchange: f.exchange, Currency: f.currency}
	balances, failures, err := s.deps.Accounts.Balances(in.ctx, query)
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendVenueList(newBuffer(len(balances)), balances, api.AppendBalance, failures)), nil
}

// knownCurrency reports whether an instrument has the currency as its base, quote or
// settlement currency, or could settle in it.
func (s *Server) knownCurrency(currency string) bool {
	if slices.Contains(venues.SettleCurrencies(), currency) {
		return true
	}
	for _, exchange := range venues.All() {
		set, _ := s.deps.Instruments.Instruments(exchange)
		for _, i := range set.All() {
			if currency == i.SettleCurrency || currency == i.QuoteCurrency || currency == i.BaseCurrency {
				return true
			}
		}
	}
	return false
}

// positionParameters are the parameters of GET /v1/positions.
var positionParameters = parameters[venues.ReadAccount]{
	{"exchange", func(q *api.Query, name string, r *venues.ReadAccount) { r.Exchange = q.Exchange(name) }},
	{"symbol", func(q *api.Query, name string, r *venues.ReadAccount) { r.Symbol = q.Symbol(name) }},
}

func getPositions(s *Server, in *call) (response, error) {
	query := venues.ReadAccount{Command: in.command()}
	positionParameters.decode(in.query, &query)
	if err := in.query.Err(); err != nil {
		return response{}, err
	}
	query.Symbol = s.canonical(query.Exchange, query.Symbol)
	positions, failures, err := s.deps.Accounts.Positions(in.ctx, query)
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendVenueList(newBuffer(len(positions)), positions, api.AppendPosition, failures)), nil
}

func postLeverage(s *Server, in *call) (response, error) {
	c, err := api.DecodeChangeLeverage(in.body)
	if err != nil {
		return response{}, err
	}
	c.Command = in.command()
	c.Symbol = s.canonical(c.Exchange, c.Symbol)
	change, err := s.deps.Trader.SetLeverage(in.ctx, c)
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendLeverage(newBuffer(1), &change)), nil
}

func postClose(s *Server, in *call) (response, error) {
	c, err := api.DecodeClosePosition(in.body)
	if err != nil {
		return response{}, err
	}
	c.Command = in.placement()
	c.Symbol, c.Source = s.canonical(c.Exchange, c.Symbol), in.principal.Source
	order, err := s.deps.Trader.Close(in.ctx, c)
	if err != nil {
		return response{}, err
	}
	return orderResponse(&order), nil
}
