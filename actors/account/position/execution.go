package position

import (
	"cmp"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// FeeDecimals bounds the digits of a fee that is split or converted.
	FeeDecimals = 12
	// AvgPriceDecimals bounds the digits of an average price.
	AvgPriceDecimals = 12
)

// Execution is a fill with the values that the accounting needs.
type Execution struct {
	Key
	Side venues.Side
	// PositionSide is the side of the position that the execution belongs to in hedge mode;
	// empty in one-way mode, where it follows from Side.
	PositionSide venues.PositionSide
	Qty, Price   decimal.Decimal
	Fee          venues.Optional
	FeeCurrency  string
	Cause
	// KnownAt is when the execution became known to the account.
	KnownAt time.Time
}

// Cause describes the order that caused an execution.
type Cause struct {
	// Reason is the close reason of a position that the execution closes.
	Reason  venues.CloseReason
	Comment string
	// SentAt is when this service made the order; zero for an order made elsewhere.
	SentAt time.Time
}

// Annotate writes the cause into the record of an execution.
func (c Cause) Annotate(r *persistence.FillRecord) {
	r.Closes, r.Comment = "", c.Comment
	if c.Reason != venues.ClosedManual {
		r.Closes = c.Reason
	}
}

// causeFrom returns the cause that is stored in the record of an execution.
func causeFrom(r *persistence.FillRecord) Cause {
	return Cause{Reason: cmp.Or(r.Closes, venues.ClosedManual), Comment: r.Comment}
}

// Key is the place of an execution in the order in which executions took place. Executions
// of one millisecond are ordered by trade id and, because an account that trades with itself
// has two executions with the same trade id, by order id.
type Key struct {
	At time.Time
	// Trade is the venue's trade id, a slash, and the venue's order id.
	Trade string
}

func (k Key) compare(other Key) int {
	if byTime := k.At.Compare(other.At); byTime != 0 {
		return byTime
	}
	trade, order, _ := strings.Cut(k.Trade, "/")
	otherTrade, otherOrder, _ := strings.Cut(other.Trade, "/")
	return cmp.Or(compareNumbers(trade, otherTrade), compareNumbers(order, otherOrder))
}

// compareNumbers compares two ids as decimal numbers.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// ExecutionOf returns the execution of a fill that became known at knownAt.
func ExecutionOf(f *venues.Fill, why Cause, knownAt time.Time) Execution {
	return Execution{
		Key:  Key{f.ExecutedAt.UTC().Truncate(time.Millisecond), f.VenueTradeID + "/" + f.VenueOrderID},
		Side: f.Side, PositionSide: f.PositionSide, Qty: f.Qty, Price: f.Price,
		Fee: f.Fee, FeeCurrency: f.FeeCurrency, Cause: why, KnownAt: knownAt,
	}
}

// Reduces returns the side of the position that the execution can reduce; false if it opens
// one in hedge mode.
func (e *Execution) Reduces() (venues.PositionSide, bool) {
	if e.PositionSide == "" {
		return e.Side.Reduces(), true
	}
	return e.PositionSide, e.PositionSide != e.Side.Opens()
}

// split divides an execution in two, of which the first has quantity qty. The fee is divided
// in proportion to the quantities.
func (e Execution) split(qty decimal.Decimal) (first, rest Execution) {
	first, rest = e, e
	first.Qty, rest.Qty = qty, e.Qty.Sub(qty)
	if e.Fee.Valid && rest.Qty.IsPositive() {
		first.Fee.Decimal = e.Fee.Decimal.Mul(qty).DivRound(e.Qty, FeeDecimals)
		rest.Fee.Decimal = e.Fee.Decimal.Sub(first.Fee.Decimal)
	}
	return first, rest
}

// TradeKey returns the ids that identify an execution within its instrument. They do not
// include the time, which may differ by a millisecond between the stream and REST.
func TradeKey(f *venues.Fill) string { return f.VenueOrderID + "/" + f.VenueTradeID }
