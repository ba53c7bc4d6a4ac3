package bybitsim

import (
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// closing is the part of a fill that closed a position, or several of one order. entry
// and exit are the values of the closed size.
type closing struct {
	order       simcore.Order
	fills       int
	leverage    int
	size        decimal.Decimal
	entry, exit decimal.Decimal
	// openFee is the share of the fees of opening, closeFee the fee of closing.
	openFee, closeFee decimal.Decimal
	// at is the time of the first fill.
	at time.Time
}

// pnl returns the profit less the fees of opening and of closing.
func (c *closing) pnl() decimal.Decimal {
	gained := c.entry.Sub(c.exit).Mul(decimal.NewFromInt(int64(c.order.Side)))
	return gained.Sub(c.openFee).Sub(c.closeFee)
}

// add adds a later fill of the same order.
func (c *closing) add(later *closing) {
	c.order, c.fills = later.order, c.fills+1
	c.size, c.entry, c.exit = c.size.Add(later.size), c.entry.Add(later.entry), c.exit.Add(later.exit)
	c.openFee, c.closeFee = c.openFee.Add(later.openFee), c.closeFee.Add(later.closeFee)
}

// recordFill adds a fill to the result of its position and returns the profit that it
// closed.
func (u *users) recordFill(event *simcore.OrderEvent) (closedPnl decimal.Decimal) {
	o := &event.Order
	u.mu.Lock()
	defer u.mu.Unlock()
	closed := u.resultOf(positionKey{o.Account, o.Symbol, o.PosSide}).fill(event)
	if closed.size.IsPositive() {
		u.closings[o.Account] = appendBounded(u.closings[o.Account], closed)
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
		at, seen := places[c.order.ID]
		if !seen {
			at = len(orders)
			places[c.order.ID] = at
			orders = append(orders, closing{at: c.at, leverage: c.leverage})
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
	o := &c.order
	average := func(value decimal.Decimal) string {
		const digits = 8
		return value.DivRound(c.size, digits).String()
	}
	return closedRecord{
		Symbol: o.Symbol, OrderID: uuidOf(o.ID), Side: sideName(o.Side), Qty: o.Qty().String(), OrderPrice: priceOf(o).String(),
		OrderType: typeName(o.Type), ExecType: execType(o), ClosedSize: c.size.String(),
		CumEntryValue: money(c.entry), AvgEntryPrice: average(c.entry), CumExitValue: money(c.exit), AvgExitPrice: average(c.exit),
		ClosedPnl: money(c.pnl()), FillCount: strconv.Itoa(c.fills), Leverage: strconv.Itoa(c.leverage),
		OpenFee: money(c.openFee), CloseFee: money(c.closeFee), CreatedTime: millisText(c.at), UpdatedTime: millisText(o.UpdatedAt),
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
		if (l == nil || l.Symbol == one.order.Symbol) && within(one.at, from, to) {
			kept = append(kept, one.record())
		}
	}
	return linearPage(c, kept, limit, func(r *closedRecord) string { return r.OrderID + ":" + r.CreatedTime })
}
