package simcore

import (
	"bytes"
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Decimal is a number of the control API: a string or a JSON number in plain decimal
// notation. Other notations, such as exponents, are rejected.
type Decimal struct{ decimal.Decimal }

// UnmarshalJSON decodes "0.5" and 0.5.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	parsed, err := venues.ParseDecimal(text)
	if err != nil {
		return fmt.Errorf("decimal %q: %w", text, err)
	}
	d.Decimal = parsed
	return nil
}
