package binancesim

import (
	"time"

	"venuegate/venues/simcore"
)

func (s *Sim) queryOrder(c *call) (any, *apiError) {
	o, err := s.find(c)
	if err != nil {
		return nil, err
	}
	return s.queried(o), nil
}

func (s *Sim) queryOpenOrder(c *call) (any, *apiError) {
	o, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if !o.Status.Open() {
		return nil, errNoSuchOrder
	}
	return s.queried(o), nil
}

func (s *Sim) find(c *call) (*simcore.Order, *apiError) {
	l, ref := s.listing(c), c.params.orderRef()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	o, failed := s.Exchange().Order(c.account.ID, l.Symbol, ref)
	if failed != nil || !s.visible(&o) {
		return nil, errNoSuchOrder
	}
	return &o, nil
}

// visible reports whether queries return an order. They lag behind the engine; orders
// that ended without a fill are purged after three days, all others after ninety.
func (s *Sim) visible(o *simcore.Order) bool {
	now := s.Clock.Now()
	if now.Sub(o.CreatedAt) < s.options.ReadLag {
		return false
	}
	if o.Status.Open() {
		return true
	}
	age := now.Sub(o.UpdatedAt)
	unfilled := o.FilledQty().IsZero()
	return age < retention && !(unfilled && age >= retentionUnfilled)
}

func (s *Sim) openOrders(c *call) (any, *apiError) {
	only := s.onlySymbol(c)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	return s.queriedAll(s.Exchange().OpenOrders(c.account.ID, only)), nil
}

func (s *Sim) queriedAll(orders []simcore.Order) []orderBody {
	body := []orderBody{}
	for i := range orders {
		if s.visible(&orders[i]) {
			body = append(body, s.queried(&orders[i]))
		}
	}
	return body
}

func (s *Sim) allOrders(c *call) (any, *apiError) {
	l, limit := s.listingPage(c)
	fromID := c.params.integer("orderId", 0)
	from, to := c.weekSpan(fromID != 0)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	orders := s.Exchange().Orders(c.account.ID, func(o *simcore.Order) bool {
		return o.Symbol == l.Symbol && o.ID >= fromID && within(o.CreatedAt, from, to)
	})
	return firstOrLast(s.queriedAll(orders), limit, fromID != 0 || c.params.has("startTime")), nil
}

// forceOrders lists the liquidations of the account.
func (s *Sim) forceOrders(c *call) (any, *apiError) {
	limit := c.params.limit(50, 100)
	from, to := c.weekSpan(false)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	only := c.params.text("symbol")
	body := s.queriedAll(s.Exchange().Orders(c.account.ID, func(o *simcore.Order) bool {
		return o.Liquidation && (only == "" || o.Symbol == only) && within(o.CreatedAt, from, to)
	}))
	return firstOrLast(body, limit, false), nil
}

// weekSpan returns the time range of a call, at most seven days; by default the last
// seven. A call by id has no range.
func (c *call) weekSpan(byID bool) (from, to time.Time) {
	from, to = c.span()
	switch {
	case byID:
		return time.Time{}, time.Time{}
	case from.IsZero() && to.IsZero():
		to = c.now.Add(time.Second)
		from = to.Add(-queryWindowMax)
	case from.IsZero():
		from = to.Add(-queryWindowMax)
	case to.IsZero():
		to = from.Add(queryWindowMax)
	case to.Sub(from) > queryWindowMax:
		c.params.refuse(errTimeWindow)
	}
	return from, to
}

// within reports whether a time is in the range, both ends included. A zero end is
// open.
func within(t, from, to time.Time) bool {
	t = t.Truncate(time.Millisecond)
	return !t.Before(from) && (to.IsZero() || !t.After(to))
}

// firstOrLast returns at most limit rows: the first ones, or the last.
func firstOrLast[T any](rows []T, limit int, first bool) []T {
	if first {
		return rows[:min(limit, len(rows))]
	}
	return rows[max(0, len(rows)-limit):]
}

type userTradeBody struct {
	Symbol          string `json:"symbol"`
	ID              int64  `json:"id"`
	OrderID         int64  `json:"orderId"`
	Side            string `json:"side"`
	Price           string `json:"price"`
	Qty             string `json:"qty"`
	RealizedPnl     string `json:"realizedPnl"`
	MarginAsset     string `json:"marginAsset"`
	QuoteQty        string `json:"quoteQty"`
	Commission      string `json:"commission"`
	CommissionAsset string `json:"commissionAsset"`
	Time            int64  `json:"time"`
	PositionSide    string `json:"positionSide"`
	Maker           bool   `json:"maker"`
	Buyer           bool   `json:"buyer"`
}

// userTrades requires a symbol, returns at most seven days and reaches back three
// months. A first id excludes times.
func (s *Sim) userTrades(c *call) (any, *apiError) {
	l, limit := s.listingPage(c)
	fromID := c.params.integer("fromId", -1)
	byID := fromID >= 0
	if byID && (c.params.has("startTime") || c.params.has("endTime")) {
		c.params.refuse(bad(-1128, "Combination of optional parameters invalid."))
	}
	orderID := c.params.integer("orderId", 0)
	from, to := c.weekSpan(byID)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	oldest, newest := c.now.Add(-tradesReachBack), s.Clock.Now().Add(-s.options.ReadLag)
	fills := s.Exchange().Fills(c.account.ID, func(f *simcore.Fill) bool {
		return f.Symbol == l.Symbol && f.TradeID >= fromID && (orderID == 0 || f.OrderID == orderID) &&
			within(f.Time, from, to) && f.Time.After(oldest) && !f.Time.After(newest)
	})
	fills = firstOrLast(fills, limit, byID || c.params.has("startTime"))
	body := []userTradeBody{}
	for i := range fills {
		body = append(body, l.userTrade(&fills[i]))
	}
	return body, nil
}

func (l *listing) userTrade(f *simcore.Fill) userTradeBody {
	return userTradeBody{
		Symbol: f.Symbol, ID: f.TradeID, OrderID: f.OrderID, Side: sideName(f.Side), Price: l.price(f.Price), Qty: l.qty(f.Qty),
		RealizedPnl: moneyOrZero(f.RealizedPnL), MarginAsset: "USDT", QuoteQty: l.cumQuote(f.Quote),
		Commission: money(f.Fee), CommissionAsset: "USDT", Time: millis(f.Time), PositionSide: positionSide(f.PosSide),
		Maker: f.Maker, Buyer: f.Side == simcore.Buy,
	}
}
