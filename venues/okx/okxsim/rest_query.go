package okxsim

import (
	"cmp"
	"slices"
	"time"

	"venuegate/venues/simcore"
)

func (s *Sim) queryOrder(c *call) (any, *apiError) {
	_, o, failed := s.order(c, refArg{InstID: c.query("instId"), OrdID: c.query("ordId"), ClOrdID: c.query("clOrdId")})
	if failed != nil {
		return nil, failed
	}
	if !s.visible(o, retentionArchive) {
		return nil, errNoSuchOrder
	}
	return []orderBody{queried(o)}, nil
}

// visible reports whether queries return an order. Orders that ended without a fill
// are purged after two hours.
func (s *Sim) visible(o *simcore.Order, kept time.Duration) bool {
	if o.Status.Open() {
		return true
	}
	age := s.Clock.Now().Sub(o.UpdatedAt)
	return age < kept && (age < retentionUnfilled || !o.FilledQty().IsZero())
}

// page is a range of a list of ids, newest first.
type page struct {
	older, newer int64
	begin, end   time.Time
	limit        int
}

func (c *call) page() page {
	return page{
		older: c.number("after"), newer: c.number("before"), begin: c.timeOf("begin"), end: c.timeOf("end"),
		limit: c.count("limit", pageMax, pageMax),
	}
}

func (p page) holds(id int64, at time.Time) bool {
	at = at.Truncate(time.Millisecond)
	return (p.older == 0 || id < p.older) && (p.newer == 0 || id > p.newer) &&
		!at.Before(p.begin) && (p.end.IsZero() || !at.After(p.end))
}

// orders returns the requested page of the orders that keep accepts.
func (s *Sim) orders(c *call, keep func(*simcore.Order) bool) (any, *apiError) {
	p := c.page()
	if c.invalid != nil {
		return nil, c.invalid
	}
	body := []orderBody{}
	if kind := c.query("instType"); kind != "" && kind != instTypeSwap {
		return body, nil
	}
	symbol, ordType, state, category := c.query("instId"), c.query("ordType"), c.query("state"), c.query("category")
	found := s.Exchange().Orders(c.account.ID, func(o *simcore.Order) bool {
		return keep(o) && p.holds(o.ID, o.CreatedAt) && (symbol == "" || o.Symbol == symbol) &&
			(state == "" || stateName(o) == state) && (category == "" || categoryName(o) == category) &&
			(ordType == "" || typeName(o) == ordType)
	})
	slices.SortFunc(found, func(a, b simcore.Order) int { return cmp.Compare(b.ID, a.ID) })
	for i := range found[:min(p.limit, len(found))] {
		body = append(body, queried(&found[i]))
	}
	return body, nil
}

func (s *Sim) pendingOrders(c *call) (any, *apiError) {
	return s.orders(c, func(o *simcore.Order) bool { return o.Status.Open() && s.visible(o, retentionHistory) })
}

func (s *Sim) ordersHistory(c *call) (any, *apiError) {
	if c.query("instType") == "" {
		return nil, errEmpty("instType")
	}
	return s.orders(c, func(o *simcore.Order) bool { return !o.Status.Open() && s.visible(o, retentionHistory) })
}

// ordersArchive never lists orders that ended without a fill.
func (s *Sim) ordersArchive(c *call) (any, *apiError) {
	if c.query("instType") == "" {
		return nil, errEmpty("instType")
	}
	return s.orders(c, func(o *simcore.Order) bool {
		return !o.Status.Open() && !o.FilledQty().IsZero() && s.visible(o, retentionArchive)
	})
}

func (s *Sim) fills(c *call) (any, *apiError) { return s.fillsWithin(c, retentionFills) }

func (s *Sim) fillsHistory(c *call) (any, *apiError) {
	if c.query("instType") == "" {
		return nil, errEmpty("instType")
	}
	return s.fillsWithin(c, retentionArchive)
}

func (s *Sim) fillsWithin(c *call, kept time.Duration) (any, *apiError) {
	p, orderID := c.page(), c.number("ordId")
	if c.invalid != nil {
		return nil, c.invalid
	}
	now, symbol := s.Clock.Now(), c.query("instId")
	found := s.Exchange().Fills(c.account.ID, func(f *simcore.Fill) bool {
		return now.Sub(f.Time) < kept && (symbol == "" || f.Symbol == symbol) &&
			(orderID == 0 || f.OrderID == orderID) && p.holds(f.ChangeID, f.Time)
	})
	slices.Reverse(found)
	body := []fillBody{}
	for i := range found[:min(p.limit, len(found))] {
		f := &found[i]
		prices, _ := s.Exchange().Mark(f.Symbol)
		body = append(body, s.listings[f.Symbol].fill(f, s.orderOfFill(c.account.ID, f), prices))
	}
	return body, nil
}

// orderOfFill returns the order of a fill, or one with the data of the fill where the
// order was purged.
func (s *Sim) orderOfFill(account string, f *simcore.Fill) *simcore.Order {
	o, err := s.Exchange().Order(account, f.Symbol, simcore.OrderRef{ID: f.OrderID})
	if err != nil {
		return &simcore.Order{ClientID: f.ClientID}
	}
	return &o
}
