package binance

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// canonicalSymbol returns the canonical symbol of a venue symbol: BTCUSDT_260626 is
// BTCUSDT-260626, everything else stays.
func canonicalSymbol(venueSymbol string) string {
	return venues.NormalizeSymbol(venueSymbol)
}

// venueSymbol returns the venue symbol of a canonical symbol, from the list of
// instruments or, before it was read, derived by rule.
func (c *Connector) venueSymbol(symbol string) string {
	if i, ok := c.instruments.Load().Find(symbol); ok {
		return i.VenueSymbol
	}
	return strings.ReplaceAll(symbol, "-", "_")
}

// exchangeInfo is the used part of GET /fapi/v1/exchangeInfo.
type exchangeInfo struct {
	RateLimits []struct {
		RateLimitType string `json:"rateLimitType"`
		Interval      string `json:"interval"`
		IntervalNum   int    `json:"intervalNum"`
		Limit         int    `json:"limit"`
	} `json:"rateLimits"`
	Symbols []symbolRecord `json:"symbols"`
}

type symbolRecord struct {
	Symbol       string         `json:"symbol"`
	ContractType string         `json:"contractType"`
	Status       string         `json:"status"`
	BaseAsset    string         `json:"baseAsset"`
	QuoteAsset   string         `json:"quoteAsset"`
	MarginAsset  string         `json:"marginAsset"`
	Filters      []symbolFilter `json:"filters"`
}

type symbolFilter struct {
	FilterType string         `json:"filterType"`
	MinPrice   payload.Number `json:"minPrice"`
	MaxPrice   payload.Number `json:"maxPrice"`
	TickSize   payload.Number `json:"tickSize"`
	MinQty     payload.Number `json:"minQty"`
	MaxQty     payload.Number `json:"maxQty"`
	StepSize   payload.Number `json:"stepSize"`
	Notional   payload.Number `json:"notional"`
}

// instrument converts a record. The tick size comes from the price filter: pricePrecision
// is something else.
func (r *symbolRecord) instrument(at time.Time) (venues.Instrument, error) {
	i := venues.Instrument{
		Symbol:         canonicalSymbol(r.Symbol),
		Exchange:       venues.Binance,
		Kind:           contractKind(r.ContractType, r.Symbol),
		Status:         cmp.Or(instrumentStatuses[r.Status], venues.InstrumentHalted),
		ContractSize:   venues.MustDecimal("1"),
		BaseCurrency:   r.BaseAsset,
		QuoteCurrency:  r.QuoteAsset,
		SettleCurrency: r.MarginAsset,
		VenueSymbol:    r.Symbol,
		UpdatedAt:      venues.At(at),
	}
	switch {
	case i.Symbol == "":
		return i, payload.UnknownValue("symbol", r.Symbol)
	case r.BaseAsset == "" || r.QuoteAsset == "" || r.MarginAsset == "":
		return i, fmt.Errorf("instrument %s: %w", payload.Bounded(r.Symbol), payload.Missing("baseAsset, quoteAsset or marginAsset"))
	}
	for _, f := range r.Filters {
		f.apply(&i)
	}
	if !i.TickSize.IsPositive() || !i.QtyStep.IsPositive() || !i.MinQty.IsPositive() {
		return i, fmt.Errorf("instrument %s: %w", payload.Bounded(r.Symbol), payload.Missing("PRICE_FILTER or LOT_SIZE"))
	}
	return i, nil
}

func (f *symbolFilter) apply(i *venues.Instrument) {
	switch f.FilterType {
	case "PRICE_FILTER":
		i.TickSize = f.TickSize.Decimal
		i.MinPrice, i.MaxPrice = f.MinPrice.Positive(), f.MaxPrice.Positive()
	case "LOT_SIZE":
		i.QtyStep, i.MinQty = f.StepSize.Decimal, f.MinQty.Decimal
		i.MaxQty = f.MaxQty.Positive()
	case "MARKET_LOT_SIZE":
		i.MaxMarketQty = f.MaxQty.Positive()
	case "MIN_NOTIONAL":
		i.MinNotional = f.Notional.Positive()
	}
}

// contractKind returns the kind of a contract. A dated contract has its date in its
// symbol.
func contractKind(contractType, symbol string) venues.Kind {
	switch contractType {
	case "PERPETUAL", "TRADIFI_PERPETUAL", "PERPETUAL_DELIVERING":
		return venues.KindPerpetual
	case "CURRENT_QUARTER", "NEXT_QUARTER", "CURRENT_MONTH", "NEXT_MONTH":
		return venues.KindFuture
	}
	if strings.Contains(symbol, "_") {
		return venues.KindFuture
	}
	return venues.KindPerpetual
}

// instrumentStatuses are the known states. In any other state an instrument is halted.
var instrumentStatuses = map[string]venues.InstrumentStatus{
	"TRADING": venues.InstrumentTrading, "PENDING_TRADING": venues.InstrumentPreOpen,
	"PRE_DELIVERING": venues.InstrumentSettling, "DELIVERING": venues.InstrumentSettling,
	"PRE_SETTLE": venues.InstrumentSettling, "SETTLING": venues.InstrumentSettling,
	"DELIVERED": venues.InstrumentClosed, "CLOSE": venues.InstrumentClosed,
}
