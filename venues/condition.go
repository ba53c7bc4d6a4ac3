package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// PriceField is the price that a condition refers to.
type PriceField string

// Prices of a condition.
const (
	FieldLast PriceField = "last"
	FieldMark PriceField = "mark"
)

// PriceOp is how a price is compared with the value of a condition. A price equal to the
// value is neither above nor below it.
type PriceOp string

// Comparisons. Above and below hold from the first matching price on. A crossing requires
// a price before it that did not match.
const (
	OpAbove        PriceOp = "above"
	OpBelow        PriceOp = "below"
	OpCrossesAbove PriceOp = "crosses_above"
	OpCrossesBelow PriceOp = "crosses_below"
)

// PriceFields returns the prices that a condition can refer to.
func PriceFields() []PriceField { return []PriceField{FieldLast, FieldMark} }

// PriceOps returns the comparisons.
func PriceOps() []PriceOp { return []PriceOp{OpAbove, OpBelow, OpCrossesAbove, OpCrossesBelow} }

// PriceCondition is a condition on the price of one instrument.
type PriceCondition struct {
	Field PriceField      `json:"field"`
	Op    PriceOp         `json:"op"`
	Value decimal.Decimal `json:"value"`
}

// Holds reports whether a price is on the side of the value that the condition requires.
func (c *PriceCondition) Holds(price decimal.Decimal) bool {
	if c.Op == OpAbove || c.Op == OpCrossesAbove {
		return price.GreaterThan(c.Value)
	}
	return price.LessThan(c.Value)
}

// PriceHit is the price by which a condition was met.
type PriceHit struct {
	Price     decimal.Decimal
	VenueTime time.Time
}

// PriceWatch is a watched condition. Close ends the watch; a hit that is already on its
// way may still be delivered. It is safe for concurrent use.
type PriceWatch interface{ Close() }
