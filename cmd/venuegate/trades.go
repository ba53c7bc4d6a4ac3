package main

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// tradeStore reads what closed trades are derived from.
type tradeStore interface {
	PositionRecords(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.PositionRecord, error)
	Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error)
}

// tradeReader derives closed trades from stored fills; see position.History.
type tradeReader struct{ store tradeStore }

// Trades implements registry.TradeReader.
func (r tradeReader) Trades(ctx context.Context, q registry.TradeQuery, do func(registry.Trade) error) error {
	var records []persistence.PositionRecord
	for _, exchange := range venues.All() {
		found, err := r.store.PositionRecords(ctx, q.Customer, exchange)
		if err != nil {
			return fmt.Errorf("read positions: %w", err)
		}
		records = append(records, found...)
	}
	history := position.NewHistory(records)
	// Those of one millisecond are added together.
	var group []persistence.FillRecord
	fills := persistence.FillQuery{Customer: q.Customer, Exchange: q.Exchange, Symbol: q.Symbol}
	for {
		page, err := r.store.Fills(ctx, fills)
		if err != nil {
			return fmt.Errorf("read fills: %w", err)
		}
		for i := range page.Items {
			f := &page.Items[i]
			if len(group) > 0 && !group[0].ExecutedAt.Equal(f.ExecutedAt.Time) {
				history.Add(group)
				if err := takeTrades(history, q, do); err != nil {
					return err
				}
				if at := group[0].ExecutedAt.Time; at.Before(q.From) && !history.NeedsBefore(at, q.From) {
					return takeTrades(history, q, do)
				}
				group = group[:0]
			}
			group = append(group, *f)
		}
		if page.Next == nil {
			break
		}
		fills.After = page.Next
	}
	history.Add(group)
	history.End()
	return takeTrades(history, q, do)
}

// takeTrades calls do with the trades of a history that the query selects.
func takeTrades(history *position.History, q registry.TradeQuery, do func(registry.Trade) error) error {
	for _, t := range history.Take() {
		if t.ClosedAt.Before(q.From) || !q.To.IsZero() && !t.ClosedAt.Before(q.To) {
			continue
		}
		if err := do(tradeOf(&t)); err != nil {
			return err
		}
	}
	return nil
}

func tradeOf(t *position.Trade) registry.Trade {
	p := &t.Position
	trade := registry.Trade{
		Exchange: t.Exchange, Symbol: t.Symbol, Side: t.Side, Qty: venues.FormatDecimal(p.EntryQty.Add(p.UnpricedEntry)),
		EntryPrice: averagePrice(p.EntryNotional, p.EntryQty), ExitPrice: averagePrice(p.ExitNotional, p.ExitQty),
		RealizedPnl: optionalText(position.Pnl(t.Side, p)), Fee: optionalText(p.Fee),
		Reason: p.Reason, OpenedAt: p.OpenedAt, ClosedAt: venues.At(t.ClosedAt), Comment: p.Comment,
	}
	if p.Fee.Valid {
		trade.FeeCurrency = &p.FeeCurrency
	}
	if !p.OpenedAt.IsZero() {
		trade.HeldSeconds = optionalText(venues.Some(decimal.New(t.ClosedAt.Sub(p.OpenedAt.Time).Milliseconds(), -3)))
	}
	return trade
}

func averagePrice(notional, qty decimal.Decimal) *string {
	if !qty.IsPositive() {
		return nil
	}
	return optionalText(venues.Some(notional.DivRound(qty, position.AvgPriceDecimals)))
}

func optionalText(d venues.Optional) *string {
	if !d.Valid {
		return nil
	}
	text := venues.FormatDecimal(d.Decimal)
	return &text
}
