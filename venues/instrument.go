package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// Kind of an instrument.
type Kind string

// Kinds of instrument.
const (
	KindPerpetual Kind = "perpetual"
	KindFuture    Kind = "future"
)

// InstrumentStatus is whether an instrument can be traded. A status that the connector
// does not know is Halted.
type InstrumentStatus string

// Statuses of an instrument. Only Trading accepts opening orders; Restricted means
// reduce-only or post-only.
const (
	InstrumentTrading    InstrumentStatus = "trading"
	InstrumentPreOpen    InstrumentStatus = "pre_open"
	InstrumentRestricted InstrumentStatus = "restricted"
	InstrumentHalted     InstrumentStatus = "halted"
	InstrumentSettling   InstrumentStatus = "settling"
	InstrumentClosed     InstrumentStatus = "closed"
)

// Instrument is one contract of a venue with its trading rules. Quantities are in base
// coin, prices in quote currency.
type Instrument struct {
	Symbol         string           `json:"symbol"`
	Exchange       Venue            `json:"exchange"`
	Kind           Kind             `json:"kind"`
	TickSize       decimal.Decimal  `json:"tickSize"`
	MinQty         decimal.Decimal  `json:"minQty"`
	Status         InstrumentStatus `json:"status"`
	QtyStep        decimal.Decimal  `json:"qtyStep"`
	MinNotional    Optional         `json:"minNotional"`
	MaxQty         Optional         `json:"maxQty"`
	MaxMarketQty   Optional         `json:"maxMarketQty"`
	ContractSize   decimal.Decimal  `json:"contractSize"`
	BaseCurrency   string           `json:"baseCurrency"`
	QuoteCurrency  string           `json:"quoteCurrency"`
	SettleCurrency string           `json:"settleCurrency"`
	MaxLeverage    Optional         `json:"maxLeverage"`
	VenueSymbol    string           `json:"venueSymbol"`
	UpdatedAt      Time             `json:"updatedAt"`

	// MinPrice and MaxPrice bound a limit price; unknown where the venue has no fixed
	// bound. They are not part of the public record.
	MinPrice Optional `json:"-"`
	MaxPrice Optional `json:"-"`
}

// Scale returns the numbers of decimals with which the instrument's prices and quantities
// fit into int64 fixed-point numbers without loss.
func (i *Instrument) Scale() Scale {
	return Scale{PriceDecimals: places(i.TickSize), QtyDecimals: places(i.QtyStep)}
}

func places(d decimal.Decimal) int {
	n := 0
	for n < DecimalDigitsMax && !d.Shift(int32(n)).IsInteger() {
		n++
	}
	return n
}

// Time is a timestamp on the wire: RFC 3339 in UTC with milliseconds. The zero Time is
// null.
type Time struct{ time.Time }

// TimeFormat is the layout of every timestamp of the service.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// At returns t as a Time in UTC.
func At(t time.Time) Time { return Time{t.UTC()} }

// MarshalJSON encodes the timestamp in TimeFormat, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	return AppendTime(make([]byte, 0, len(TimeFormat)+2), t.Time), nil
}

// UnmarshalJSON decodes null and any RFC 3339 time.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*t = Time{}
		return nil
	}
	return t.Time.UnmarshalJSON(data)
}

// SettleCurrencies returns the currencies in which the venues settle the contracts of this
// service, whether or not one is listed now.
func SettleCurrencies() []string { return []string{"USDT", "USDC"} }
