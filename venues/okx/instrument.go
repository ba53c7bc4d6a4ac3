package okx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// instrument is an instrument of the venue with what converts its quantities: the venue
// counts contracts, the service base coin. It is immutable.
type instrument struct {
	venues.Instrument
	instType string          // SWAP or FUTURES
	code     int64           // instrument code for order entry by WebSocket; 0 if there is none
	lot      decimal.Decimal // quantity step in contracts; QtyStep is the same in base coin
	scale    venues.Scale
	ratio    qtyRatio
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

// newInstrument returns the instrument without its row in the venue's list. Its ContractSize
// must be known. It has no instrument code, so its orders would go by REST.
func newInstrument(i *venues.Instrument) *instrument {
	k := &instrument{Instrument: *i, instType: instTypeSwap, lot: i.QtyStep.Div(i.ContractSize), scale: i.Scale()}
	if i.Kind == venues.KindFuture {
		k.instType = instTypeFutures
	}
	k.ratio = newQtyRatio(i.ContractSize, k.lot, k.scale.QtyDecimals)
	return k
}

// toBase converts contracts to base coin, exactly.
func (k *instrument) toBase(contracts decimal.Decimal) decimal.Decimal {
	return contracts.Mul(k.ContractSize)
}

func (k *instrument) toBaseOptional(contracts venues.Optional) venues.Optional {
	if !contracts.Valid {
		return contracts
	}
	return venues.Some(k.toBase(contracts.Decimal))
}

// toContracts converts a quantity to contracts. A quantity below the minimum or between two
// steps is rejected; nothing is rounded.
func (k *instrument) toContracts(base decimal.Decimal) (string, error) {
	steps, rest := base.QuoRem(k.QtyStep, 0)
	switch {
	case base.LessThan(k.MinQty):
		return "", venues.InvalidFields(venues.FieldError{
			Field: "qty", Rule: "below_minimum",
			Given: venues.FormatDecimal(base), Allowed: venues.FormatDecimal(k.MinQty),
		})
	case !rest.IsZero():
		low := steps.Mul(k.QtyStep)
		return "", venues.InvalidFields(venues.FieldError{
			Field: "qty", Rule: "not_a_multiple_of_step", Given: venues.FormatDecimal(base),
			Allowed: venues.FormatDecimal(low) + " or " + venues.FormatDecimal(low.Add(k.QtyStep)),
		})
	}
	return venues.FormatDecimal(steps.Mul(k.lot)), nil
}

// qtyRatio converts a number of contracts, as an integer with a fixed number of decimals,
// to a fixed-point quantity of the instrument's scale: contracts * mul / div, without
// remainder. The zero value converts nothing: mul or div exceed 64 bits.
type qtyRatio struct {
	decimals int
	mul, div int64
}

func newQtyRatio(size, lot decimal.Decimal, qtyDecimals int) qtyRatio {
	decimals := decimalsOf(lot)
	ratio := size.Shift(int32(qtyDecimals - decimals))
	mul, div := ratio.Coefficient(), big.NewInt(1)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(ratio.Exponent(), -ratio.Exponent()))), nil)
	if ratio.Exponent() > 0 {
		mul.Mul(mul, power)
	} else {
		div = power
	}
	common := new(big.Int).GCD(nil, nil, mul, div)
	mul.Quo(mul, common)
	div.Quo(div, common)
	if !mul.IsInt64() || !div.IsInt64() {
		return qtyRatio{}
	}
	return qtyRatio{decimals: decimals, mul: mul.Int64(), div: div.Int64()}
}

// decimalsOf returns the number of decimals of a step.
func decimalsOf(step decimal.Decimal) int {
	n := 0
	for n < venues.DecimalDigitsMax && !step.Shift(int32(n)).IsInteger() {
		n++
	}
	return n
}

// qty returns the fixed-point quantity of a number of contracts; false if it does not fit
// exactly.
func (r qtyRatio) qty(contracts int64) (int64, bool) {
	if r.div == 0 {
		return 0, false
	}
	product := contracts * r.mul
	if contracts != 0 && (product/contracts != r.mul || product < 0) {
		return 0, false
	}
	return product / r.div, product%r.div == 0
}

// convert converts the quantities of levels in place; false if one does not fit exactly.
func (r qtyRatio) convert(levels []venues.Level) bool {
	if r.mul == 1 && r.div == 1 {
		return true
	}
	for i := range levels {
		qty, ok := r.qty(levels[i].Qty)
		if !ok {
			return false
		}
		levels[i].Qty = qty
	}
	return true
}
