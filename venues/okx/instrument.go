package okx

import (
	"math/big"

	"github.com/shopspring/decimal"

	"venuegate/venues"
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
