package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// PriceField is the price that a condition looks at.
type PriceField string

// Prices of a condition.
const (
	FieldLast PriceField = "last"
	FieldMark PriceField = "mark"
)

// PriceOp is how a price is compared with the value of a condition. A price that
// equals the value is neither above nor below it.
type PriceOp string

// Comparisons. Above and below come to hold with the first price that fits; a
// crossing needs a price that did not fit before it.
const (
	OpAbove        PriceOp = "above"
	OpBelow        PriceOp = "below"
	OpCrossesAbove PriceOp = "crosses_above"
	OpCrossesBelow PriceOp = "crosses_below"
)

// PriceFields and PriceOps are the words of the interface.
func PriceFields() []PriceField { return []PriceField{FieldLast, FieldMark} }

// PriceOps are the comparisons of the interface.
func PriceOps() []PriceOp { return []PriceOp{OpAbove, OpBelow, OpCrossesAbove, OpCrossesBelow} }

// PriceCondition is a condition on the price of one instrument.
type PriceCondition struct {
	Field PriceField      `json:"field"`
	Op    PriceOp         `json:"op"`
	Value decimal.Decimal `json:"value"`
}

// Fits says whether a price is on the side of the value that the condition
// names.
func (c *PriceCondition) Fits(price decimal.Decimal) bool {
	if c.Op == OpAbove || c.Op == OpCrossesAbove {
		return price.GreaterThan(c.Value)
	}
	return price.LessThan(c.Value)
}

// PriceHit is a price by which a condition has come to hold.
type PriceHit struct {
	Price     decimal.Decimal
	VenueTime time.Time
}

// PriceWatch is a condition under watch. Close ends it; it is safe for
// concurrent use, and one hit that is on its way may still be told.
type PriceWatch interface{ Close() }
