package bybit

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

const (
	usdt = "USDT"
	usdc = "USDC"
	// perpSuffix is the suffix of perpetuals settled in USDC.
	perpSuffix = "PERP"
)

// settleCoins are requested one by one where the venue requires one.
var settleCoins = []string{usdt, usdc}

// canonicalSymbol returns the canonical symbol of a venue symbol: BTCPERP is BTCUSDC,
// BTC-26DEC25 is BTCUSDC-251226, BTCUSDT-26DEC25 is BTCUSDT-251226, everything else
// stays. It returns "" for what cannot be a symbol.
func canonicalSymbol(venueSymbol string) string {
	if base, expiry, dated := cutExpiry(venueSymbol); dated {
		if !settledBySuffix(base) {
			base += usdc
		}
		return venues.NormalizeSymbol(base + "-" + expiry.Format("060102"))
	}
	if base, ok := strings.CutSuffix(venueSymbol, perpSuffix); ok && base != "" {
		return venues.NormalizeSymbol(base + usdc)
	}
	return venues.NormalizeSymbol(venueSymbol)
}

// cutExpiry splits a dated symbol, whose date has the form 26DEC25.
func cutExpiry(venueSymbol string) (base string, expiry time.Time, dated bool) {
	base, date, found := strings.Cut(venueSymbol, "-")
	if !found || base == "" {
		return venueSymbol, time.Time{}, false
	}
	expiry, err := time.Parse("2Jan06", date)
	return base, expiry, err == nil
}

func settledBySuffix(base string) bool {
	return strings.HasSuffix(base, usdt) || strings.HasSuffix(base, usdc)
}

// settleCoin returns the settlement coin of a venue symbol, by rule.
func settleCoin(venueSymbol string) string {
	symbol, _, _ := strings.Cut(canonicalSymbol(venueSymbol), "-")
	if strings.HasSuffix(symbol, usdc) {
		return usdc
	}
	return usdt
}

// venueSymbol returns the venue symbol of a canonical symbol, from the list of
// instruments or, before it was read, derived by rule.
func (c *Connector) venueSymbol(symbol string) string {
	if i, ok := c.instruments.Load().Find(symbol); ok {
		return i.VenueSymbol
	}
	pair, date, dated := strings.Cut(symbol, "-")
	base, isUSDC := strings.CutSuffix(pair, usdc)
	expiry, err := time.Parse("060102", date)
	switch {
	case dated && err == nil && isUSDC:
		return base + "-" + strings.ToUpper(expiry.Format("2Jan06"))
	case dated && err == nil:
		return pair + "-" + strings.ToUpper(expiry.Format("2Jan06"))
	case isUSDC && !dated && base != "":
		return base + perpSuffix
	}
	return symbol
}

// instrumentRecord is a row of GET /v5/market/instruments-info.
type instrumentRecord struct {
	Symbol         string `json:"symbol"`
	ContractType   string `json:"contractType"`
	Status         string `json:"status"`
	BaseCoin       string `json:"baseCoin"`
	QuoteCoin      string `json:"quoteCoin"`
	SettleCoin     string `json:"settleCoin"`
	LeverageFilter struct {
		MaxLeverage payload.Number `json:"maxLeverage"`
	} `json:"leverageFilter"`
	PriceFilter struct {
		MinPrice payload.Number `json:"minPrice"`
		MaxPrice payload.Number `json:"maxPrice"`
		TickSize payload.Number `json:"tickSize"`
	} `json:"priceFilter"`
	LotSizeFilter struct {
		MinOrderQty      payload.Number `json:"minOrderQty"`
		MaxOrderQty      payload.Number `json:"maxOrderQty"`
		MaxMktOrderQty   payload.Number `json:"maxMktOrderQty"`
		QtyStep          payload.Number `json:"qtyStep"`
		MinNotionalValue payload.Number `json:"minNotionalValue"`
	} `json:"lotSizeFilter"`
}

// instrument converts a record. Quantities are in base coin at this venue too; names such
// as 1000BONKUSDT have a multiplier within the coin.
func (r *instrumentRecord) instrument(at time.Time) (venues.Instrument, error) {
	lot, price := r.LotSizeFilter, r.PriceFilter
	i := venues.Instrument{
		Symbol:         canonicalSymbol(r.Symbol),
		Exchange:       venues.Bybit,
		Status:         cmp.Or(instrumentStatuses[r.Status], venues.InstrumentHalted),
		TickSize:       price.TickSize.Decimal,
		MinPrice:       price.MinPrice.Positive(),
		MaxPrice:       price.MaxPrice.Positive(),
		MinQty:         lot.MinOrderQty.Decimal,
		QtyStep:        lot.QtyStep.Decimal,
		MaxQty:         lot.MaxOrderQty.Positive(),
		MaxMarketQty:   lot.MaxMktOrderQty.Positive(),
		MinNotional:    lot.MinNotionalValue.Positive(),
		MaxLeverage:    r.LeverageFilter.MaxLeverage.Positive(),
		ContractSize:   venues.MustDecimal("1"),
		BaseCurrency:   r.BaseCoin,
		QuoteCurrency:  r.QuoteCoin,
		SettleCurrency: r.SettleCoin,
		VenueSymbol:    r.Symbol,
		UpdatedAt:      venues.At(at),
	}
	var err error
	if i.Kind, err = payload.Enum("contractType", contractKinds, r.ContractType); err != nil {
		return i, fmt.Errorf("instrument %s: %w", payload.Bounded(r.Symbol), err)
	}
	switch {
	case i.Symbol == "":
		return i, payload.UnknownValue("symbol", r.Symbol)
	case r.BaseCoin == "" || r.QuoteCoin == "" || r.SettleCoin == "":
		return i, fmt.Errorf("instrument %s: %w", payload.Bounded(r.Symbol), payload.Missing("baseCoin, quoteCoin or settleCoin"))
	}
	if !i.TickSize.IsPositive() || !i.QtyStep.IsPositive() || !i.MinQty.IsPositive() {
		return i, fmt.Errorf("instrument %s: %w", payload.Bounded(r.Symbol), payload.Missing("tickSize, qtyStep or minOrderQty"))
	}
	return i, nil
}

var contractKinds = map[string]venues.Kind{"LinearPerpetual": venues.KindPerpetual, "LinearFutures": venues.KindFuture}

// instrumentStatuses are the known states. In any other state an instrument is halted.
var instrumentStatuses = map[string]venues.InstrumentStatus{
	"Trading": venues.InstrumentTrading, "PreLaunch": venues.InstrumentPreOpen,
	"Delivering": venues.InstrumentSettling, "Closed": venues.InstrumentClosed,
}
