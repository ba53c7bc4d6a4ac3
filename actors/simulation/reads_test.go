package simulation_test

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// Mode implements venues.AccountReader.
func (p *port) Mode(ctx context.Context) (venues.AccountMode, error) {
	return request(ctx, p, "mode", "", func() (venues.AccountMode, error) {
		return venues.AccountMode{AccountType: "futures", Hedge: p.w.plan.hedged}, nil
	})
}

// Balances implements venues.AccountReader.
func (p *port) Balances(ctx context.Context) ([]venues.Balance, error) {
	return request(ctx, p, "balances", "", func() ([]venues.Balance, error) {
		a, err := p.core.Account(p.customer)
		if err != nil {
			return nil, err
		}
		return []venues.Balance{{
			Exchange: p.exchange, AccountType: "futures", Currency: "USDT", Equity: a.Wallet.Add(a.UnrealizedPnL),
			Available: a.Available, UsedMargin: a.InitialMargin, UnrealizedPnl: a.UnrealizedPnL,
		}}, nil
	})
}

// Positions implements venues.AccountReader.
func (p *port) Positions(ctx context.Context) ([]venues.Position, error) {
	return request(ctx, p, "positions", "", func() ([]venues.Position, error) { return p.openPositions(p.customer), nil })
}

func (v *venue) openPositions(customer string) []venues.Position {
	a, err := v.core.Account(customer)
	if err != nil {
		return nil
	}
	var open []venues.Position
	for _, h := range a.Holdings {
		for _, held := range h.Positions {
			if !held.Qty.IsZero() {
				open = append(open, reportPosition(v.exchange, held.Symbol, held.Qty, venues.Some(held.EntryPrice)))
			}
		}
	}
	return open
}

// reduces reports whether an order can only reduce the current position.
func (p *port) reduces(r *venues.OrderRequest) bool {
	if p.w.plan.hedged {
		return false // it opens the other position
	}
	for _, held := range p.openPositions(p.customer) {
		if held.Symbol == r.Symbol && (held.Side == venues.Long) == (r.Side == venues.Sell) && r.Qty.LessThanOrEqual(held.Qty) {
			return true
		}
	}
	return false
}

// OpenOrders implements venues.AccountReader.
func (p *port) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	return request(ctx, p, "open", "", func() ([]venues.ExecutionReport, error) {
		var open []venues.ExecutionReport
		for _, o := range p.core.OpenOrders(p.customer, "") {
			if p.visible(strconv.FormatInt(o.ID, 10), o.CreatedAt) {
				open = append(open, reportOrder(o))
			}
		}
		for _, c := range p.core.Conditionals(p.customer, func(c *simcore.Conditional) bool { return c.Open() }) {
			if p.visible(strconv.FormatInt(c.ID, 10), c.CreatedAt) {
				open = append(open, reportConditional(c))
			}
		}
		return open, nil
	})
}

// Order implements venues.AccountReader.
func (p *port) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	return request(ctx, p, "order", ref.ClientOrderID+ref.VenueOrderID, func() (venues.ExecutionReport, error) {
		missing := venues.Errorf(venues.CodeNotFound, "no such order")
		if ref.Type.IsStop() || ref.Type == "" {
			if c, err := p.core.Conditional(p.customer, coreRef(ref)); err == nil {
				r := reportConditional(c)
				if !p.visible(strconv.FormatInt(c.ID, 10), c.CreatedAt) || p.forgotten(r) {
					return r, missing
				}
				return r, nil
			}
		}
		o, err := p.core.Order(p.customer, ref.Symbol, coreRef(ref))
		if err != nil || !p.visible(strconv.FormatInt(o.ID, 10), o.CreatedAt) || p.forgotten(reportOrder(o)) {
			return venues.ExecutionReport{}, missing
		}
		return reportOrder(o), nil
	})
}

// forgotten reports whether the venue no longer returns an order that ended without a
// fill.
func (v *venue) forgotten(r venues.ExecutionReport) bool {
	return r.Status.IsClosed() && r.FilledQty.IsZero() && v.core.Clock().Now().Sub(r.VenueTime) > v.caps.UnfilledRetention
}

// Traded implements venues.AccountReader.
func (p *port) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	return request(ctx, p, "traded", "", func() ([]string, error) {
		from, to := from.Add(p.core.Clock().Offset()), to.Add(p.core.Clock().Offset())
		found := map[string]bool{}
		for _, f := range p.core.Fills(p.customer, func(f *simcore.Fill) bool { return !f.Time.Before(from) && !f.Time.After(to) }) {
			found[f.Symbol] = true
		}
		return slices.Sorted(maps.Keys(found)), nil
	})
}

// Fills implements venues.AccountReader.
func (p *port) Fills(ctx context.Context, q venues.FillsQuery) ([]venues.Fill, error) {
	return request(ctx, p, "fills", q.Symbol, func() ([]venues.Fill, error) {
		// The connectors query in the venue's time.
		from, to := q.From.Add(p.core.Clock().Offset()), q.To.Add(p.core.Clock().Offset())
		var fills []venues.Fill
		for _, f := range p.core.Fills(p.customer, func(f *simcore.Fill) bool {
			return f.Symbol == q.Symbol && !f.Time.Before(from) && !f.Time.After(to)
		}) {
			if p.visible("fill/"+strconv.FormatInt(f.TradeID, 10), f.Time) {
				fills = append(fills, *reportFill(&f, p.exchange))
			}
		}
		return fills, nil
	})
}
