package simcore

import (
	"bytes"
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Decimal is a number of the control API: a decimal string, or a plain JSON
// number. Anything that is not plain notation is refused.
type Decimal struct{ decimal.Decimal }

// UnmarshalJSON reads "0.5" and 0.5.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	parsed, err := venues.ParseDecimal(text)
	if err != nil {
		return fmt.Errorf("decimal %q: %w", text, err)
	}
	d.Decimal = parsed
	return nil
}
