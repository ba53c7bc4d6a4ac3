package okx

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// Kinds of instrument at the venue.
const (
	instTypeSwap    = "SWAP"
	instTypeFutures = "FUTURES"
)

// canonicalSymbol is the service's name of a venue symbol: BTC-USDT-SWAP is
// BTCUSDT, BTC-USDT-260925 is BTCUSDT-260925.
func canonicalSymbol(instID string) string { return venues.NormalizeSymbol(instID) }

// isLinear says by its name whether an instrument is one that the service knows:
// a perpetual or future settled in a stable coin.
func isLinear(instID string) bool {
	parts := strings.Split(instID, "-")
	return len(parts) == 3 && isSettlement(parts[1])
}

// isForeign says by its name whether an instrument is none of the service's. What
// cannot be a name of an instrument is an error.
func isForeign(instID string) (bool, error) {
	if !strings.Contains(instID, "-") {
		return false, payload.UnknownWord("instId", instID)
	}
	return !isLinear(instID), nil
}

func isSettlement(currency string) bool { return currency == "USDT" || currency == "USDC" }

// catalogue is the venue's instruments at one moment. It is immutable.
type catalogue struct {
	set       *venues.InstrumentSet
	contracts map[string]*contract // by the venue's name
	// former are those that the venue has taken off its list, as far as this connector
	// or an earlier run has seen them on it, by symbol: their last orders and executions
	// are told in contracts still.
	former map[string]*contract
	readAt time.Time
}

// newCatalogue is what the venue lists now; before is the catalogue that it
// replaces, or nil.
func newCatalogue(contracts []*contract, before *catalogue, now time.Time) *catalogue {
	list := make([]venues.Instrument, 0, len(contracts))
	c := &catalogue{contracts: make(map[string]*contract, len(contracts)), former: map[string]*contract{}, readAt: now}
	for _, k := range contracts {
		list = append(list, k.Instrument)
		c.contracts[k.VenueSymbol] = k
	}
	c.set = venues.NewInstrumentSet(list)
	if before == nil {
		return c
	}
	for name, k := range before.contracts {
		if c.contracts[name] == nil {
			gone := *k
			gone.Status = venues.InstrumentClosed
			c.contracts[name], c.former[k.Symbol] = &gone, &gone
		}
	}
	return c
}

// find looks an instrument up by symbol; nil if there is none. It is safe on nil.
func (c *catalogue) find(symbol string) *contract {
	if c == nil {
		return nil
	}
	if i, ok := c.set.Find(symbol); ok {
		return c.contracts[i.VenueSymbol]
	}
	return c.former[venues.NormalizeSymbol(symbol)]
}

// named looks an instrument up by the venue's name; nil if there is none. It is
// safe on nil.
func (c *catalogue) named(instID string) *contract {
	if c == nil {
		return nil
	}
	return c.contracts[instID]
}

// instrumentRecord is a row of GET /api/v5/public/instruments.
type instrumentRecord struct {
	InstType  string         `json:"instType"`
	InstID    string         `json:"instId"`
	CtType    string         `json:"ctType"`
	CtVal     payload.Number `json:"ctVal"`
	CtMult    payload.Number `json:"ctMult"`
	CtValCcy  string         `json:"ctValCcy"`
	SettleCcy string         `json:"settleCcy"`
	Uly       string         `json:"uly"`
	TickSz    payload.Number `json:"tickSz"`
	LotSz     payload.Number `json:"lotSz"`
	MinSz     payload.Number `json:"minSz"`
	MaxLmtSz  payload.Number `json:"maxLmtSz"`
	MaxMktSz  payload.Number `json:"maxMktSz"`
	Lever     payload.Number `json:"lever"`
	State     string         `json:"state"`
	// InstIDCode is an integer, or null.
	InstIDCode json.RawMessage `json:"instIdCode"`
}

// offered says whether a row is one of the service's instruments: inverse
// contracts and options are not.
func (r *instrumentRecord) offered() bool {
	kind := r.InstType == instTypeSwap || r.InstType == instTypeFutures
	return kind && r.CtType == "linear" && isSettlement(r.SettleCcy)
}

// contract turns a record into the service's words.
func (r *instrumentRecord) contract(at time.Time) (*contract, error) {
	symbol := canonicalSymbol(r.InstID)
	if symbol == "" {
		return nil, payload.UnknownWord("instId", r.InstID)
	}
	size := r.CtVal.Decimal
	if r.CtMult.Valid {
		size = size.Mul(r.CtMult.Decimal)
	}
	for _, needed := range []struct {
		field string
		ok    bool
	}{
		{"ctVal or ctMult", size.IsPositive()},
		{"tickSz", r.TickSz.Decimal.IsPositive()},
		{"lotSz", r.LotSz.Decimal.IsPositive()},
		{"minSz", r.MinSz.Decimal.IsPositive()},
		{"ctValCcy", r.CtValCcy != ""},
	} {
		if !needed.ok {
			return nil, fmt.Errorf("instrument %s: %w", payload.Bounded(r.InstID), payload.Missing(needed.field))
		}
	}
	k := &contract{instType: r.InstType, lot: r.LotSz.Decimal}
	k.code, _ = strconv.ParseInt(payload.Unquote(r.InstIDCode), 10, 64) // without one its orders go by REST
	k.Instrument = venues.Instrument{
		Symbol: symbol, Exchange: venues.OKX, Kind: venues.KindPerpetual, Status: instrumentStatus(r.State),
		TickSize: r.TickSz.Decimal, QtyStep: r.LotSz.Decimal.Mul(size), MinQty: r.MinSz.Decimal.Mul(size),
		ContractSize: size, MaxLeverage: r.Lever.Positive(),
		BaseCurrency: r.CtValCcy, QuoteCurrency: quoteOf(r.Uly, r.SettleCcy), SettleCurrency: r.SettleCcy,
		VenueSymbol: r.InstID, UpdatedAt: venues.At(at),
	}
	if r.InstType == instTypeFutures {
		k.Kind = venues.KindFuture
	}
	k.MaxQty, k.MaxMarketQty = k.baseOf(r.MaxLmtSz.Positive()), k.baseOf(r.MaxMktSz.Positive())
	k.scale = k.Scale()
	k.fold = newFold(size, k.lot, k.scale.QtyDecimals)
	return k, nil
}

func (k *contract) baseOf(contracts venues.Optional) venues.Optional {
	if !contracts.Valid {
		return contracts
	}
	return venues.Some(k.base(contracts.Decimal))
}

// quoteOf is the second part of an underlying such as BTC-USDT.
func quoteOf(underlying, settle string) string {
	if _, quote, ok := strings.Cut(underlying, "-"); ok && quote != "" {
		return quote
	}
	return settle
}

func instrumentStatus(word string) venues.InstrumentStatus {
	switch word {
	case "live":
		return venues.InstrumentTrading
	case "post_only":
		return venues.InstrumentRestricted
	case "preopen":
		return venues.InstrumentPreOpen
	case "settling":
		return venues.InstrumentSettling
	case "expired":
		return venues.InstrumentClosed
	}
	return venues.InstrumentHalted
}
