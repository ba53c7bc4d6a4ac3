package venues

import "github.com/shopspring/decimal"

// PriceField is the price that a condition looks at.
type PriceField string

// Prices of a condition.
const (
	FieldLast PriceField = "last"
	FieldMark PriceField = "mark"
)

// PriceOp is how a price is compared with the value of a condition.
type PriceOp string

// Comparisons. Above and below hold as soon as the price is there; the crossings
// need a price on the other side, or at the value, before.
const (
	OpAbove        PriceOp = "above"
	OpBelow        PriceOp = "below"
	OpCrossesAbove PriceOp = "crosses_above"
	OpCrossesBelow PriceOp = "crosses_below"
)

// PriceCondition is a condition on the price of one instrument.
type PriceCondition struct {
	Field PriceField      `json:"field"`
	Op    PriceOp         `json:"op"`
	Value decimal.Decimal `json:"value"`
}
