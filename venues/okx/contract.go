package okx

import (
	"math/big"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// contract is an instrument together with what turns the venue's numbers of
// contracts into base coins and back. It is immutable.
type contract struct {
	venues.Instrument
	instType string          // SWAP or FUTURES
	code     int64           // of the instrument on the socket for orders; 0 if it has none
	lot      decimal.Decimal // step in contracts; QtyStep is the same in base coin
	scale    venues.Scale
	fold     fold
}

// contractOfInstrument makes the contract of an instrument whose ContractSize is
// known. It has no code: it is not for orders.
func contractOfInstrument(i *venues.Instrument) *contract {
	k := &contract{Instrument: *i, instType: instTypeSwap, lot: i.QtyStep.Div(i.ContractSize), scale: i.Scale()}
	if i.Kind == venues.KindFuture {
		k.instType = instTypeFutures
	}
	k.fold = newFold(i.ContractSize, k.lot, k.scale.QtyDecimals)
	return k
}

// base is the quantity in base coin of a number of contracts, exactly.
func (k *contract) base(contracts decimal.Decimal) decimal.Decimal {
	return contracts.Mul(k.ContractSize)
}

// contracts is how the venue writes a quantity. One that is not a whole number of
// steps, or below the least, is refused: nothing is rounded for anyone.
func (k *contract) contracts(base decimal.Decimal) (string, error) {
	steps, rest := base.QuoRem(k.QtyStep, 0)
	switch {
	case base.LessThan(k.MinQty):
		return "", venues.InvalidFields(venues.FieldFault{
			Field: "qty", Rule: "below_minimum",
			Given: venues.FormatDecimal(base), Allowed: venues.FormatDecimal(k.MinQty),
		})
	case !rest.IsZero():
		low := steps.Mul(k.QtyStep)
		return "", venues.InvalidFields(venues.FieldFault{
			Field: "qty", Rule: "not_a_multiple_of_step", Given: venues.FormatDecimal(base),
			Allowed: venues.FormatDecimal(low) + " or " + venues.FormatDecimal(low.Add(k.QtyStep)),
		})
	}
	return venues.FormatDecimal(steps.Mul(k.lot)), nil
}

// fold turns a number of contracts, read as an integer of so many decimals, into
// a fixed-point quantity of the instrument's scale: times mul, divided by div
// without a rest. A zero div says that no such numbers exist.
type fold struct {
	decimals int
	mul, div int64
}

func newFold(size, lot decimal.Decimal, qtyDecimals int) fold {
	decimals := places(lot)
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
		return fold{}
	}
	return fold{decimals: decimals, mul: mul.Int64(), div: div.Int64()}
}

// places is how many decimals a step has.
func places(step decimal.Decimal) int {
	n := 0
	for n < venues.DecimalDigitsMax && !step.Shift(int32(n)).IsInteger() {
		n++
	}
	return n
}

// qty is the fixed-point quantity of a number of contracts; false if it does not
// fit exactly.
func (f fold) qty(contracts int64) (int64, bool) {
	if f.div == 0 {
		return 0, false
	}
	product := contracts * f.mul
	if contracts != 0 && (product/contracts != f.mul || product < 0) {
		return 0, false
	}
	return product / f.div, product%f.div == 0
}

// all turns the numbers of contracts of levels into quantities; false if one
// does not fit exactly.
func (f fold) all(levels []venues.Level) bool {
	if f.mul == 1 && f.div == 1 {
		return true
	}
	for i := range levels {
		qty, ok := f.qty(levels[i].Qty)
		if !ok {
			return false
		}
		levels[i].Qty = qty
	}
	return true
}
