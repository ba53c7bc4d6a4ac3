package payload

import (
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// ErrScale is returned for a number that does not fit into a fixed-point number of the
// instrument without loss.
var ErrScale = errors.New("number does not fit the instrument's tick or step")

// Level parses one level of a book. A price of zero is rejected.
func Level(price, qty string, scale venues.Scale) (venues.Level, error) {
	return LevelOf(price, qty, scale, func(d decimal.Decimal) decimal.Decimal { return d })
}

// LevelOf is Level for venues whose quantities are not in base coin; base converts them.
func LevelOf(price, qty string, scale venues.Scale, base func(decimal.Decimal) decimal.Decimal) (venues.Level, error) {
	p, err := venues.ParseVenueDecimal(price)
	if err != nil {
		return venues.Level{}, fmt.Errorf("price: %w", err)
	}
	q, err := venues.ParseVenueDecimal(qty)
	if err != nil {
		return venues.Level{}, fmt.Errorf("quantity: %w", err)
	}
	level := venues.Level{}
	if level.Price, err = Fixed(p, scale.PriceDecimals); err != nil {
		return venues.Level{}, fmt.Errorf("price: %w", err)
	}
	if level.Qty, err = Fixed(base(q), scale.QtyDecimals); err != nil {
		return venues.Level{}, fmt.Errorf("quantity: %w", err)
	}
	if level.Price == 0 {
		return venues.Level{}, fmt.Errorf("price 0: %w", ErrScale)
	}
	return level, nil
}

// Fixed converts a decimal to a fixed-point number. It fails rather than losing digits.
func Fixed(value decimal.Decimal, decimals int) (int64, error) {
	shifted := value.Shift(int32(decimals))
	if shifted.IsNegative() || !shifted.IsInteger() || !shifted.BigInt().IsInt64() {
		return 0, ErrScale
	}
	return shifted.IntPart(), nil
}
