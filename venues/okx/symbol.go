package okx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
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

// canonicalSymbol returns the canonical symbol of a venue symbol: BTC-USDT-SWAP is
// BTCUSDT, BTC-USDT-260925 is BTCUSDT-260925.
func canonicalSymbol(instID string) string { return venues.NormalizeSymbol(instID) }

// isLinear reports by its name whether an instrument is supported: a perpetual or future
// settled in a stablecoin.
func isLinear(instID string) bool {
	parts := strings.Split(instID, "-")
	return len(parts) == 3 && isSettlement(parts[1])
}

// isUnsupported reports by its name whether an instrument is not supported. A text that is
// not a venue symbol is an error.
func isUnsupported(instID string) (bool, error) {
	if !strings.Contains(instID, "-") {
		return false, payload.UnknownValue("instId", instID)
	}
	return !isLinear(instID), nil
}

func isSettlement(currency string) bool { return slices.Contains(venues.SettleCurrencies(), currency) }

// instrumentList is the venue's instruments at one time. It is immutable.
type instrumentList struct {
	set  *venues.InstrumentSet
	byID map[string]*instrument // by venue symbol
	// delisted has, by symbol, the instruments that the venue listed earlier and no
	// longer lists. They are also in byID, because their last orders and
	// executions are still reported, in contracts of their size.
	delisted map[string]*instrument
	readAt   time.Time
}

// newInstrumentList returns the list of the instruments that the venue lists now. before is
// the list that it replaces, or nil; its other instruments become delisted.
func newInstrumentList(listed []*instrument, before *instrumentList, now time.Time) *instrumentList {
	list := make([]venues.Instrument, 0, len(listed))
	c := &instrumentList{byID: make(map[string]*instrument, len(listed)), delisted: map[string]*instrument{}, readAt: now}
	for _, k := range listed {
		list = append(list, k.Instrument)
		c.byID[k.VenueSymbol] = k
	}
	c.set = venues.NewInstrumentSet(list)
	if before == nil {
		return c
	}
	for name, k := range before.byID {
		if c.byID[name] == nil {
			gone := *k
			gone.Status = venues.InstrumentClosed
			c.byID[name], c.delisted[k.Symbol] = &gone, &gone
		}
	}
	return c
}

// find finds an instrument by symbol; nil if there is none. It is safe on nil.
func (l *instrumentList) find(symbol string) *instrument {
	if l == nil {
		return nil
	}
	if i, ok := l.set.Find(symbol); ok {
		return l.byID[i.VenueSymbol]
	}
	return l.delisted[venues.NormalizeSymbol(symbol)]
}

// byVenueSymbol finds an instrument by the venue's symbol; nil if there is none. It is
// safe on nil.
func (l *instrumentList) byVenueSymbol(instID string) *instrument {
	if l == nil {
		return nil
	}
	return l.byID[instID]
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

// isSupported reports whether a row is a supported instrument. Inverse contracts and
// options are not.
func (r *instrumentRecord) isSupported() bool {
	kind := r.InstType == instTypeSwap || r.InstType == instTypeFutures
	return kind && r.CtType == "linear" && isSettlement(r.SettleCcy)
}

// instrument converts a record.
func (r *instrumentRecord) instrument(at time.Time) (*instrument, error) {
	symbol := canonicalSymbol(r.InstID)
	if symbol == "" {
		return nil, payload.UnknownValue("instId", r.InstID)
	}
	size := r.CtVal.Decimal
	if r.CtMult.Valid {
		size = size.Mul(r.CtMult.Decimal)
	}
	for _, required := range []struct {
		field string
		ok    bool
	}{
		{"ctVal or ctMult", size.IsPositive()},
		{"tickSz", r.TickSz.Decimal.IsPositive()},
		{"lotSz", r.LotSz.Decimal.IsPositive()},
		{"minSz", r.MinSz.Decimal.IsPositive()},
		{"ctValCcy", r.CtValCcy != ""},
	} {
		if !required.ok {
			return nil, fmt.Errorf("instrument %s: %w", payload.Bounded(r.InstID), payload.Missing(required.field))
		}
	}
	k := &instrument{instType: r.InstType, lot: r.LotSz.Decimal}
	k.code, _ = strconv.ParseInt(payload.Unquote(r.InstIDCode), 10, 64) // without a code its orders go by REST
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
	k.MaxQty, k.MaxMarketQty = k.toBaseOptional(r.MaxLmtSz.Positive()), k.toBaseOptional(r.MaxMktSz.Positive())
	k.scale = k.Scale()
	k.ratio = newQtyRatio(size, k.lot, k.scale.QtyDecimals)
	return k, nil
}

func (k *instrument) toBaseOptional(contracts venues.Optional) venues.Optional {
	if !contracts.Valid {
		return contracts
	}
	return venues.Some(k.toBase(contracts.Decimal))
}

// quoteOf returns the second part of an underlying such as BTC-USDT.
func quoteOf(underlying, settle string) string {
	if _, quote, ok := strings.Cut(underlying, "-"); ok && quote != "" {
		return quote
	}
	return settle
}

// instrumentStatuses are the known states. In any other state an instrument is halted.
var instrumentStatuses = map[string]venues.InstrumentStatus{
	"live": venues.InstrumentTrading, "post_only": venues.InstrumentRestricted, "preopen": venues.InstrumentPreOpen,
	"settling": venues.InstrumentSettling, "expired": venues.InstrumentClosed,
}

func instrumentStatus(state string) venues.InstrumentStatus {
	return cmp.Or(instrumentStatuses[state], venues.InstrumentHalted)
}
