package simcore

import (
	"cmp"
	"fmt"
	"math"

	"github.com/shopspring/decimal"
)

// Instrument is one linear perpetual as the venue lists it. It is immutable
// after New.
type Instrument struct {
	// Symbol is the venue's spelling, Canonical the one of the control API
	// ("BTCUSDT"). Canonical is Symbol where it is empty.
	Symbol, Canonical string
	Base, Quote       string
	// Halted instruments are listed and quoted but accept no orders.
	Halted bool

	TickSize, StepSize decimal.Decimal
	// ContractSize is the base coin in one unit of quantity; zero means one.
	ContractSize decimal.Decimal

	PriceMin, PriceMax decimal.Decimal
	QtyMin, QtyMax     decimal.Decimal
	MarketQtyMax       decimal.Decimal
	// NotionalMin is the minimum of orders that may open; it does not apply to
	// reduce-only orders.
	NotionalMin decimal.Decimal
	// PriceBand is the fraction around the mark price beyond which a limit
	// order may not buy or sell; MarketBound the same for fills of a market
	// order. Zero means none.
	PriceBand, MarketBound decimal.Decimal

	OpenOrdersMax int
	// ShortOrderIDs keeps the ids of orders below 2^53, which clients can read as floats.
	// Others are above it.
	ShortOrderIDs bool

	// Brackets are the leverage and maintenance tiers in rising order.
	Brackets       []Bracket
	LiquidationFee decimal.Decimal

	// StartPrice is the first price of the simulated market.
	StartPrice  decimal.Decimal
	FundingRate decimal.Decimal
}

// Bracket is one tier of leverage and maintenance margin by position notional.
type Bracket struct {
	LeverageMax     int
	NotionalFloor   decimal.Decimal
	NotionalCap     decimal.Decimal
	MaintenanceRate decimal.Decimal
	// MaintenanceCum is subtracted from notional times rate, which makes the
	// maintenance margin continuous across tiers.
	MaintenanceCum decimal.Decimal
}

// grid maps decimals to whole multiples of a unit and back, exactly.
type grid struct {
	unit int64
	exp  int32
}

func newGrid(unit decimal.Decimal) (grid, error) {
	coefficient := unit.Coefficient()
	if !unit.IsPositive() || !coefficient.IsInt64() {
		return grid{}, fmt.Errorf("unit %s is not positive", unit)
	}
	return grid{unit: coefficient.Int64(), exp: unit.Exponent()}, nil
}

// count returns d in whole units, and false where d is not a multiple of the unit or
// out of range.
func (g grid) count(d decimal.Decimal) (int64, bool) {
	coefficient := d.Coefficient()
	if !coefficient.IsInt64() {
		return 0, false
	}
	n, ok := shift10(coefficient.Int64(), d.Exponent()-g.exp)
	if !ok || n%g.unit != 0 {
		return 0, false
	}
	return n / g.unit, true
}

// floor returns the greatest count whose value does not exceed d (d >= 0).
func (g grid) floor(d decimal.Decimal) int64 {
	return d.Div(g.value(1)).IntPart()
}

func (g grid) value(n int64) decimal.Decimal {
	return decimal.New(n*g.unit, g.exp)
}

// shift10 returns n times ten to the power of places, and false where that is not an
// integer of 64 bits.
func shift10(n int64, places int32) (int64, bool) {
	for ; places > 0; places-- {
		if n > math.MaxInt64/10 || n < math.MinInt64/10 {
			return 0, false
		}
		n *= 10
	}
	for ; places < 0; places++ {
		if n%10 != 0 {
			return 0, false
		}
		n /= 10
	}
	return n, true
}

// terms are an instrument and the values that the engine derives from it once.
type terms struct {
	*Instrument
	prices, sizes grid
	// quoteUnit is the quote value of one step at one tick.
	quoteUnit decimal.Decimal
}

func newTerms(listed Instrument) (*terms, error) {
	listed.Canonical = cmp.Or(listed.Canonical, listed.Symbol)
	if listed.ContractSize.IsZero() {
		listed.ContractSize = decimal.NewFromInt(1)
	}
	if len(listed.Brackets) == 0 {
		return nil, fmt.Errorf("instrument %s: no leverage brackets", listed.Symbol)
	}
	prices, err := newGrid(listed.TickSize)
	if err != nil {
		return nil, fmt.Errorf("instrument %s: tick: %w", listed.Symbol, err)
	}
	sizes, err := newGrid(listed.StepSize)
	if err != nil {
		return nil, fmt.Errorf("instrument %s: step: %w", listed.Symbol, err)
	}
	if _, ok := prices.count(listed.StartPrice); !ok || !listed.StartPrice.IsPositive() {
		return nil, fmt.Errorf("instrument %s: start price %s is off tick", listed.Symbol, listed.StartPrice)
	}
	unit := listed.TickSize.Mul(listed.StepSize).Mul(listed.ContractSize)
	return &terms{Instrument: &listed, prices: prices, sizes: sizes, quoteUnit: unit}, nil
}

// quote returns the value of lots at a price of ticks, in the quote coin.
func (t *terms) quote(ticks, lots int64) decimal.Decimal {
	return decimal.NewFromInt(ticks).Mul(decimal.NewFromInt(lots)).Mul(t.quoteUnit)
}

// notional returns the value of lots at any price, in the quote coin.
func (t *terms) notional(price decimal.Decimal, lots int64) decimal.Decimal {
	return price.Mul(t.baseQty(lots))
}

func (t *terms) baseQty(lots int64) decimal.Decimal {
	return t.sizes.value(lots).Mul(t.ContractSize)
}

// bracket returns the tier of a position of a notional.
func (t *terms) bracket(notional decimal.Decimal) Bracket { return t.Brackets[t.tier(notional)] }

// tier returns the index of that bracket.
func (t *terms) tier(notional decimal.Decimal) int {
	for n := range t.Brackets {
		if notional.LessThanOrEqual(t.Brackets[n].NotionalCap) {
			return n
		}
	}
	return len(t.Brackets) - 1
}

// LeverageMax returns the highest leverage of any tier.
func (i *Instrument) LeverageMax() int { return i.Brackets[0].LeverageMax }

// NotionalMax returns the largest position notional allowed at a leverage.
func (i *Instrument) NotionalMax(leverage int) decimal.Decimal {
	limit := decimal.Zero
	for _, b := range i.Brackets {
		if b.LeverageMax >= leverage {
			limit = b.NotionalCap
		}
	}
	return limit
}
