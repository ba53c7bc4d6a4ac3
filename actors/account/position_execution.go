package account

import (
	"cmp"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// feeDecimals bounds the digits of a fee that is split between the position
// that an execution closed and the one that it opened.
const feeDecimals = 12

// execution is what the accounting needs of a fill.
type execution struct {
	executionKey
	side venues.Side
	// position is the one that it belongs to in hedge mode; empty leaves it to
	// the side.
	position    venues.PositionSide
	qty, price  decimal.Decimal
	fee         venues.Optional
	feeCurrency string
	cause
	heardAt time.Time
}

// cause is what an order tells of its executions.
type cause struct {
	// reason is why a position ends that they end.
	reason  venues.CloseReason
	comment string
	// sentAt is when the order was made here; zero for those made elsewhere.
	sentAt time.Time
}

// note writes a cause into the record of an execution.
func (c cause) note(r *persistence.FillRecord) {
	r.Closes, r.Comment = "", c.comment
	if c.reason != venues.ClosedManual {
		r.Closes = c.reason
	}
}

// executionKey puts executions in the order in which they took place. Those of one
// millisecond are told apart by the numbers of their trades; an account that traded
// with itself has two of one number.
type executionKey struct {
	at time.Time
	// trade is the venue's id of the trade, a slash, and that of the order.
	trade string
}

func (k executionKey) compare(other executionKey) int {
	if byTime := k.at.Compare(other.at); byTime != 0 {
		return byTime
	}
	trade, order, _ := strings.Cut(k.trade, "/")
	otherTrade, otherOrder, _ := strings.Cut(other.trade, "/")
	return cmp.Or(compareNumbers(trade, otherTrade), compareNumbers(order, otherOrder))
}

// compareNumbers compares ids that venues count up.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func executionOf(f *venues.Fill, why cause, heardAt time.Time) execution {
	return execution{
		executionKey: executionKey{f.ExecutedAt.UTC().Truncate(time.Millisecond), f.VenueTradeID + "/" + f.VenueOrderID},
		side:         f.Side, position: f.PositionSide, qty: f.Qty, price: f.Price,
		fee: f.Fee, feeCurrency: f.FeeCurrency, cause: why, heardAt: heardAt,
	}
}

// split parts an execution in two that add up to it.
func (e execution) split(qty decimal.Decimal) (first, rest execution) {
	first, rest = e, e
	first.qty, rest.qty = qty, e.qty.Sub(qty)
	if e.fee.Valid && rest.qty.IsPositive() {
		first.fee.Decimal = e.fee.Decimal.Mul(qty).DivRound(e.qty, feeDecimals)
		rest.fee.Decimal = e.fee.Decimal.Sub(first.fee.Decimal)
	}
	return first, rest
}
