package registry

import (
	"strings"

	"venuegate/venues"
)

// InstrumentService returns the instruments of a venue; nil while they are not
// loaded, and false for a venue that is not served.
type InstrumentService interface {
	Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool)
}

// instruments are those of the configured venues.
type instruments struct {
	service      InstrumentService
	environments map[venues.Venue]string
}

// symbol returns the canonical name of an instrument of an exchange, or of any if
// it is empty. While the instruments of an exchange are not loaded, every name is
// accepted as it is.
func (s instruments) symbol(exchange venues.Venue, text string) (string, bool) {
	unloaded := false
	for _, venue := range venues.All() {
		if _, configured := s.environments[venue]; !configured || exchange != "" && venue != exchange {
			continue
		}
		set, _ := s.service.Instruments(venue)
		if set == nil {
			unloaded = true
			continue
		}
		if i, known := set.Find(text); known {
			return i.Symbol, true
		}
	}
	return text, unloaded && text != ""
}

// settleCurrency returns the currency in which an instrument settles. The symbol of one that is
// not listed any more ends with it. Empty means not known.
func (s instruments) settleCurrency(exchange venues.Venue, symbol string) string {
	if set, _ := s.service.Instruments(exchange); set != nil {
		if i, listed := set.Find(symbol); listed {
			return i.SettleCurrency
		}
	}
	pair, _, _ := strings.Cut(symbol, "-")
	for _, currency := range venues.SettleCurrencies() {
		if strings.HasSuffix(pair, currency) {
			return currency
		}
	}
	return ""
}

// exchangeNames lists the configured venues.
func exchangeNames(environments map[venues.Venue]string) string {
	names := make([]string, 0, len(environments))
	for _, v := range venues.All() {
		if _, configured := environments[v]; configured {
			names = append(names, string(v))
		}
	}
	return strings.Join(names, " ")
}
