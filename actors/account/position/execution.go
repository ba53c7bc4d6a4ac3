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

// Execution is what the accounting needs of a fill.
type Execution struct {
	Key
	Side venues.Side
	// Position is the side of the position that the execution belongs to in hedge
	// mode; empty leaves it to Side.
	Position    venues.PositionSide
	Qty, Price  decimal.Decimal
	Fee         venues.Optional
	FeeCurrency string
	Cause
	// KnownAt is when the execution became known here.
	KnownAt time.Time
}

// Cause is what the order of an execution adds to it.
type Cause struct {
	// Reason is why a position closes that the execution closes.
	Reason  venues.CloseReason
	Comment string
	// SentAt is when the order was made here; zero for an order made elsewhere.
	SentAt time.Time
}

// Annotate writes the cause into the record of an execution.
func (c Cause) Annotate(r *persistence.FillRecord) {
	r.Closes, r.Comment = "", c.Comment
	if c.Reason != venues.ClosedManual {
		r.Closes = c.Reason
	}
}

// causeFrom reads the cause back from the record of an execution.
func causeFrom(r *persistence.FillRecord) Cause {
	return Cause{Reason: cmp.Or(r.Closes, venues.ClosedManual), Comment: r.Comment}
}

// Key puts executions in the order in which they took place. Executions of one
// millisecond are ordered by the numbers of their trades; an account that traded
// with itself has two executions with the same trade number.
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

// compareNumbers compares ids that a venue counts up.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// ExecutionOf returns the execution of a fill that became known at knownAt.
func ExecutionOf(f *venues.Fill, why Cause, knownAt time.Time) Execution {
	return Execution{
		Key:  Key{f.ExecutedAt.UTC().Truncate(time.Millisecond), f.VenueTradeID + "/" + f.VenueOrderID},
		Side: f.Side, Position: f.PositionSide, Qty: f.Qty, Price: f.Price,
		Fee: f.Fee, FeeCurrency: f.FeeCurrency, Cause: why, KnownAt: knownAt,
	}
}

// Reduces returns the position that the execution can reduce; false if it opens one
// in hedge mode.
func (e *Execution) Reduces() (venues.PositionSide, bool) {
	if e.Position == "" {
		return e.Side.Reduces(), true
	}
	return e.Position, e.Position != e.Side.Opens()
}

// split divides an execution in two that add up to it. The fee is divided by
// quantity.
func (e Execution) split(qty decimal.Decimal) (first, rest Execution) {
	first, rest = e, e
	first.Qty, rest.Qty = qty, e.Qty.Sub(qty)
	if e.Fee.Valid && rest.Qty.IsPositive() {
		first.Fee.Decimal = e.Fee.Decimal.Mul(qty).DivRound(e.Qty, FeeDecimals)
		rest.Fee.Decimal = e.Fee.Decimal.Sub(first.Fee.Decimal)
	}
	return first, rest
}

// TradeKey names an execution of one instrument as its venue does. The time is left
// out: a stream and REST may report times that differ by a millisecond.
func TradeKey(f *venues.Fill) string { return f.VenueOrderID + "/" + f.VenueTradeID }
