package bybitsim

import (
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// closing is the part of a fill that closed a position, or several of one order.
type closing struct {
	Order    closedOrder
	Fills    int
	Leverage int
	Size     decimal.Decimal
	// Entry and Exit are the values of the closed size.
	Entry, Exit decimal.Decimal
	// OpenFee is the share of the fees of opening, CloseFee the fee of closing.
	OpenFee, CloseFee decimal.Decimal
	// At is the time of the first fill.
	At time.Time
}

// closedOrder is an order that closed a position, as it was after a fill.
type closedOrder struct {
	ID             int64
	Symbol         string
	Side           simcore.Side
	Qty, Price     decimal.Decimal
	Type, ExecType string
	UpdatedAt      time.Time
}

func closedOrderOf(o *simcore.Order) closedOrder {
	return closedOrder{o.ID, o.Symbol, o.Side, o.Qty(), priceOf(o), typeName(o.Type), execType(o), o.UpdatedAt}
}

// pnl returns the profit less the fees of opening and of closing.
func (c *closing) pnl() decimal.Decimal {
	gained := c.Entry.Sub(c.Exit).Mul(decimal.NewFromInt(int64(c.Order.Side)))
	return gained.Sub(c.OpenFee).Sub(c.CloseFee)
}

// add adds a later fill of the same order.
func (c *closing) add(later *closing) {
	c.Order, c.Fills = later.Order, c.Fills+1
	c.Size, c.Entry, c.Exit = c.Size.Add(later.Size), c.Entry.Add(later.Entry), c.Exit.Add(later.Exit)
	c.OpenFee, c.CloseFee = c.OpenFee.Add(later.OpenFee), c.CloseFee.Add(later.CloseFee)
}

// recordFill adds a fill to the result of its position and returns the profit that it
// closed.
func (u *users) recordFill(event *simcore.OrderEvent) (closedPnl decimal.Decimal) {
	o := &event.Order
	u.mu.Lock()
	defer u.mu.Unlock()
	closed := u.change(positionKey{o.Account, o.Symbol, o.PosSide}).fill(event)
	if closed.Size.IsPositive() {
		u.closings[o.Account] = appendBounded(u.closings[o.Account], closed)
		if u.keepsState {
			u.unsaved.closings = append(u.unsaved.closings, storedClosing{o.Account, closed})
		}
	}
	return closed.pnl()
}

// closedOf returns what the orders of an account closed, the latest first.
func (u *users) closedOf(account string) []closing {
	u.mu.Lock()
	defer u.mu.Unlock()
	places := map[int64]int{}
	var orders []closing
	for _, c := range u.closings[account] {
		at, seen := places[c.Order.ID]
		if !seen {
			at = len(orders)
			places[c.Order.ID] = at
			orders = append(orders, closing{At: c.At, Leverage: c.Leverage})
		}
		orders[at].add(&c)
	}
	slices.Reverse(orders)
	return orders
}

type closedRecord struct {
	Symbol        string `json:"symbol"`
	OrderID       string `json:"orderId"`
	Side          string `json:"side"`
	Qty           string `json:"qty"`
	OrderPrice    string `json:"orderPrice"`
	OrderType     string `json:"orderType"`
	ExecType      string `json:"execType"`
	ClosedSize    string `json:"closedSize"`
	CumEntryValue string `json:"cumEntryValue"`
	AvgEntryPrice string `json:"avgEntryPrice"`
	CumExitValue  string `json:"cumExitValue"`
	AvgExitPrice  string `json:"avgExitPrice"`
	ClosedPnl     string `json:"closedPnl"`
	FillCount     string `json:"fillCount"`
	Leverage      string `json:"leverage"`
	OpenFee       string `json:"openFee"`
	CloseFee      string `json:"closeFee"`
	CreatedTime   string `json:"createdTime"`
	UpdatedTime   string `json:"updatedTime"`
}

func (c *closing) record() closedRecord {
	o := &c.Order
	average := func(value decimal.Decimal) string {
		const digits = 8
		return value.DivRound(c.Size, digits).String()
	}
	return closedRecord{
		Symbol: o.Symbol, OrderID: uuidOf(o.ID), Side: sideName(o.Side), Qty: o.Qty.String(), OrderPrice: o.Price.String(),
		OrderType: o.Type, ExecType: o.ExecType, ClosedSize: c.Size.String(),
		CumEntryValue: money(c.Entry), AvgEntryPrice: average(c.Entry), CumExitValue: money(c.Exit), AvgExitPrice: average(c.Exit),
		ClosedPnl: money(c.pnl()), FillCount: strconv.Itoa(c.Fills), Leverage: strconv.Itoa(c.Leverage),
		OpenFee: money(c.OpenFee), CloseFee: money(c.CloseFee), CreatedTime: millisText(c.At), UpdatedTime: millisText(o.UpdatedAt),
	}
}

const (
	closedLimitDefault = 50
	closedLimitMax     = 100
)

// closedPnl returns a record for each order that closed a position, the latest first.
func (s *Sim) closedPnl(c *call) (any, *apiError) {
	l := s.queried(c)
	from, to := c.span(queryWindowMax)
	limit := c.limit(closedLimitDefault, closedLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	kept := []closedRecord{}
	for _, one := range s.users.closedOf(c.account.ID) {
		if (l == nil || l.Symbol == one.Order.Symbol) && within(one.At, from, to) {
			kept = append(kept, one.record())
		}
	}
	return linearPage(c, kept, limit, func(r *closedRecord) string { return r.OrderID + ":" + r.CreatedTime })
}
