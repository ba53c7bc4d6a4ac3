package rest

import (
	"venuegate/transport/api"
	"venuegate/venues"
)

// currencyDefault: "settlement currency; default USDT".
const currencyDefault = "USDT"

func getAccount(s *Server, in *call) (answer, error) {
	currency, given := in.query.Text("currency")
	if !given {
		currency = currencyDefault
	}
	if given && !s.knownCurrency(currency) {
		in.query.Add("currency", "unknown_value", currency, "a currency of an instrument, such as USDT")
	}
	query := venues.ReadAccount{
		Command:  in.command(),
		Exchange: in.query.Exchange("exchange"),
		Currency: currency,
	}
	if err := in.query.Err(); err != nil {
		return answer{}, err
	}
	balances, failures, err := s.deps.Accounts.Balances(in.ctx, query)
	if err == nil {
		err = s.requireOneAnswer(in, query.Exchange, failures)
	}
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendVenueList(room(len(balances)), balances, api.AppendBalance, failures)), nil
}

// knownCurrency says whether any instrument is named, priced or settled in it.
func (s *Server) knownCurrency(currency string) bool {
	if currency == currencyDefault {
		return true
	}
	for _, exchange := range venues.All() {
		set, _ := s.deps.Catalogue.Instruments(exchange)
		for _, i := range set.All() {
			if currency == i.SettleCurrency || currency == i.QuoteCurrency || currency == i.BaseCurrency {
				return true
			}
		}
	}
	return false
}

// requireOneAnswer is nil if at least one of the venues asked has answered:
// what is known is then told, with the failures beside it.
func (s *Server) requireOneAnswer(in *call, exchange venues.Venue, failures []venues.VenueFailure) error {
	if len(failures) == 0 {
		return nil
	}
	asked := 1
	if exchange == "" {
		accounts, err := s.deps.Records.VenueAccounts(in.ctx, in.principal.Customer)
		if err != nil {
			return err
		}
		asked = len(accounts)
	}
	if len(failures) < asked {
		return nil
	}
	names := make([]string, len(failures))
	for i, f := range failures {
		names[i] = string(f.Exchange)
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "no venue answered: %s", failures[0].Error.Message).
		With("exchanges", names).Because(failures[0].Error)
}
