package registry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// TradePage is one page of closed trades, those that were closed last first, and the totals of
// all trades that the query selects.
type TradePage struct {
	Page[Trade]

	Totals []TradeTotal `json:"totals"`
}

// TradeTotal adds up what trades came to in one currency. A sum is null if a part of it is not
// known.
type TradeTotal struct {
	// Currency is null for trades whose currency is not known.
	Currency *string `json:"currency"`
	// Trades is the number of trades that settle in the currency.
	Trades int `json:"trades"`
	// RealizedPnl is without the fees.
	RealizedPnl *string `json:"realizedPnl"`
	// Fees are those that were paid in the currency, also of trades that settle in another.
	Fees *string `json:"fees"`
}

// List returns a page of closed trades with the totals.
func (t *Trades) List(ctx context.Context, q TradeQuery, p PageRequest) (TradePage, error) {
	limit, after, err := pageBounds(p.Limit, p.Cursor)
	if err != nil {
		return TradePage{}, err
	}
	if q, err = t.complete(ctx, q); err != nil {
		return TradePage{}, err
	}
	newest, totals := newestTrades{max: limit + 1, after: after, trades: []Trade{}}, tradeTotals{}
	err = t.reader.Trades(ctx, q, func(trade Trade) error {
		newest.add(trade)
		return totals.add(&trade, t.instruments.settleCurrency(trade.Exchange, trade.Symbol))
	})
	if err != nil {
		return TradePage{}, fmt.Errorf("list the trades of %s: %w", q.Customer, err)
	}
	page := TradePage{Page: Page[Trade]{Items: newest.trades}, Totals: totals.list()}
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		next, err := formatCursor(tradePosition(&page.Items[limit-1]))
		if err != nil {
			return TradePage{}, err
		}
		page.NextCursor = &next
	}
	return page, nil
}

// newestTrades keeps the trades after a position that were closed last.
type newestTrades struct {
	// max bounds trades.
	max    int
	after  *persistence.PagePosition
	trades []Trade
}

func (n *newestTrades) add(t Trade) {
	at := tradePosition(&t)
	if n.after != nil && compareTrades(at, n.after) <= 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(n.trades, at, func(kept Trade, at *persistence.PagePosition) int { return compareTrades(tradePosition(&kept), at) })
	if i < n.max {
		n.trades = slices.Insert(n.trades, i, t)
		n.trades = n.trades[:min(len(n.trades), n.max)]
	}
}

// tradePosition returns the position of a trade in the list. A position is closed once in a
// millisecond.
func tradePosition(t *Trade) *persistence.PagePosition {
	return &persistence.PagePosition{At: t.ClosedAt, ID: fmt.Sprintf("%s/%s/%s", t.Exchange, t.Symbol, t.Side)}
}

// compareTrades orders positions from the newest to the oldest.
func compareTrades(a, b *persistence.PagePosition) int {
	return cmp.Or(b.At.Compare(a.At.Time), cmp.Compare(a.ID, b.ID))
}

// tradeTotals are sums by currency; the empty one is not known.
type tradeTotals map[string]*tradeSums

type tradeSums struct {
	trades         int
	realized, fees exactSum
}

func (s tradeTotals) add(t *Trade, currency string) error {
	sums := s.of(currency)
	sums.trades++
	err := sums.realized.add(t.RealizedPnl)
	if t.FeeCurrency != nil {
		sums = s.of(*t.FeeCurrency)
	}
	return cmp.Or(err, sums.fees.add(t.Fee))
}

func (s tradeTotals) of(currency string) *tradeSums {
	if s[currency] == nil {
		s[currency] = &tradeSums{}
	}
	return s[currency]
}

// list returns the totals by the names of their currencies.
func (s tradeTotals) list() []TradeTotal {
	totals := make([]TradeTotal, 0, len(s))
	for _, currency := range slices.Sorted(maps.Keys(s)) {
		sums := s[currency]
		total := TradeTotal{Trades: sums.trades, RealizedPnl: sums.realized.text(), Fees: sums.fees.text()}
		if currency != "" {
			total.Currency = &currency
		}
		totals = append(totals, total)
	}
	return totals
}

// exactSum adds up decimals. A part that is not known makes it unknown.
type exactSum struct {
	sum     decimal.Decimal
	unknown bool
}

func (s *exactSum) add(part *string) error {
	if part == nil {
		s.unknown = true
		return nil
	}
	d, err := decimal.NewFromString(*part) // of the service itself
	s.sum = s.sum.Add(d)
	return err
}

func (s *exactSum) text() *string {
	if s.unknown {
		return nil
	}
	text := venues.FormatDecimal(s.sum)
	return &text
}
