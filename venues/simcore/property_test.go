package simcore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues/simcore"
)

// model makes random calls to an exchange and checks its invariants.
type model struct {
	*engine
	accounts []string
	orders   []simcore.Order
}

func TestExchangeInvariants(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fees := rapid.Bool().Draw(rt, "fees")
		m := &model{engine: newEngine(t, func(o *simcore.Options) { o.FeesRound, o.MarginIncludesFees, o.AmendAboveFilled = fees, fees, fees }).empty()}
		for range 3 {
			m.accounts = append(m.accounts, m.trader())
		}
		if rapid.Bool().Draw(rt, "isolated") {
			m.must(m.SetMarginMode(m.accounts[0], "BTCUSDT", true))
		}
		rt.Repeat(map[string]func(*rapid.T){
			"":       m.check,
			"limit":  m.limitOrder,
			"market": m.marketOrder,
			"cancel": m.cancelOne,
			"amend":  m.amendOne,
			"stop":   m.stopOrder,
			"move":   m.move,
			"house":  m.house,
			"wait":   func(rt *rapid.T) { m.advance(time.Duration(rapid.IntRange(1, 3600).Draw(rt, "s")) * time.Second) },
		})
	})
}

func side(rt *rapid.T) simcore.Side {
	if rapid.Bool().Draw(rt, "buy") {
		return simcore.Buy
	}
	return simcore.Sell
}

func (m *model) price(rt *rapid.T) decimal.Decimal {
	return dec("60000").Add(decimal.New(int64(rapid.IntRange(-60, 60).Draw(rt, "ticks")), -1))
}

func qty(rt *rapid.T) decimal.Decimal {
	return decimal.New(int64(rapid.IntRange(2, 3000).Draw(rt, "lots")), -3)
}

func (m *model) try(o simcore.Order, err error) {
	if err == nil {
		m.orders = append(m.orders, o)
	} else if _, ok := errors.AsType[*simcore.Rejection](err); !ok {
		m.Fatal(err)
	}
}

func (m *model) limitOrder(rt *rapid.T) {
	tifs := []simcore.TimeInForce{simcore.GTC, simcore.GTC, simcore.IOC, simcore.FOK, simcore.PostOnly}
	modes := []simcore.SelfTrade{simcore.SelfTradeAllow, simcore.SelfTradeExpireMaker, simcore.SelfTradeExpireTaker, simcore.SelfTradeExpireBoth}
	m.try(m.Place(simcore.OrderRequest{
		Account: rapid.SampledFrom(m.accounts).Draw(rt, "account"), Symbol: "BTCUSDT", Side: side(rt), Type: simcore.Limit,
		Price: m.price(rt), Qty: qty(rt), TimeInForce: rapid.SampledFrom(tifs).Draw(rt, "tif"),
		SelfTrade: rapid.SampledFrom(modes).Draw(rt, "stp"), ReduceOnly: rapid.IntRange(0, 4).Draw(rt, "reduce") == 0,
	}))
}

func (m *model) marketOrder(rt *rapid.T) {
	m.try(m.Place(simcore.OrderRequest{
		Account: rapid.SampledFrom(m.accounts).Draw(rt, "account"), Symbol: "BTCUSDT", Side: side(rt), Type: simcore.Market,
		Qty: qty(rt), ReduceOnly: rapid.Bool().Draw(rt, "reduce"),
	}))
}

func (m *model) cancelOne(rt *rapid.T) {
	if len(m.orders) > 0 {
		o := rapid.SampledFrom(m.orders).Draw(rt, "order")
		m.swallow(m.Cancel(o.Account, o.Symbol, simcore.OrderRef{ID: o.ID}))
	}
}

func (m *model) amendOne(rt *rapid.T) {
	if len(m.orders) > 0 {
		o := rapid.SampledFrom(m.orders).Draw(rt, "order")
		m.swallow(m.Amend(simcore.AmendRequest{
			Account: o.Account, Symbol: o.Symbol, Order: simcore.OrderRef{ID: o.ID}, Price: m.price(rt), Qty: qty(rt),
		}))
	}
}

func (m *model) swallow(_ simcore.Order, err error) {
	var rejection *simcore.Rejection
	if err != nil && !errors.As(err, &rejection) {
		m.Fatal(err)
	}
}

func (m *model) stopOrder(rt *rapid.T) {
	r := simcore.ConditionalRequest{
		OrderRequest: market(rapid.SampledFrom(m.accounts).Draw(rt, "account"), side(rt), "0.1"),
		TriggerPrice: m.price(rt), Rising: rapid.Bool().Draw(rt, "rising"), ClosePosition: rapid.Bool().Draw(rt, "close"),
	}
	var rejection *simcore.Rejection
	if _, err := m.PlaceConditional(r); err != nil && !errors.As(err, &rejection) {
		m.Fatal(err)
	}
}

func (m *model) move(rt *rapid.T) { m.must(m.MovePrice("BTCUSDT", m.price(rt))) }

func (m *model) house(rt *rapid.T) {
	m.must(m.HouseLevel("BTCUSDT", side(rt), m.price(rt), qty(rt)))
}

func (m *model) check(rt *rapid.T) {
	for i, event := range m.events {
		if i > 0 && event.Seq != m.events[i-1].Seq+1 {
			rt.Fatalf("sequence number of event %d = %d, want %d", i, event.Seq, m.events[i-1].Seq+1)
		}
	}
	resting := map[string]decimal.Decimal{}
	for _, id := range m.accounts {
		m.checkAccount(rt, id)
		for _, o := range m.OpenOrders(id, "BTCUSDT") {
			key := o.Side.String() + o.Price().String()
			resting[key] = resting[key].Add(o.Qty()).Sub(o.FilledQty())
		}
	}
	m.checkBook(rt, resting)
}

// checkAccount compares the account with the sums of its fills and income.
func (m *model) checkAccount(rt *rapid.T, id string) {
	v, p := m.view(id)
	position, realized, fees := decimal.Zero, decimal.Zero, decimal.Zero
	filled := map[int64]decimal.Decimal{}
	for _, f := range m.Fills(id, func(*simcore.Fill) bool { return true }) {
		position = position.Add(f.Qty.Mul(decimal.NewFromInt(int64(f.Side))))
		realized, fees = realized.Add(f.RealizedPnL), fees.Add(f.Fee)
		filled[f.OrderID] = filled[f.OrderID].Add(f.Qty)
	}
	if !position.Equal(p.Qty) {
		rt.Fatalf("%s: position = %s, want the sum of the fills %s", id, p.Qty, position)
	}
	if !realized.Equal(p.RealizedPnL) {
		rt.Fatalf("%s: realised profit = %s, want that of the fills %s", id, p.RealizedPnL, realized)
	}
	wallet, traded := dec("100000"), decimal.Zero
	for _, c := range m.WalletChanges(id, func(*simcore.WalletChange) bool { return true }) {
		wallet = wallet.Add(c.Amount)
		if c.Cause == simcore.CauseTrade {
			traded = traded.Add(c.Amount)
		}
		if !c.Balance.Equal(wallet) {
			rt.Fatalf("%s: balance after change %+v, want %s", id, c, wallet)
		}
	}
	if !wallet.Equal(v.Wallet) || !traded.Equal(realized.Sub(fees)) {
		rt.Fatalf("%s: wallet %s with %s of trades, want %s with %s", id, v.Wallet, traded, wallet, realized.Sub(fees))
	}
	for _, o := range m.Orders(id, func(*simcore.Order) bool { return true }) {
		if !filled[o.ID].Equal(o.FilledQty()) || o.FilledQty().GreaterThan(o.Qty()) {
			rt.Fatalf("order %d: filled %s of %s, want the sum of the fills %s", o.ID, o.FilledQty(), o.Qty(), filled[o.ID])
		}
		if o.ReduceOnly && o.Status.Open() && p.Qty.IsZero() {
			rt.Fatalf("reduce-only order %d is open without a position, want it closed", o.ID)
		}
	}
	m.checkMargins(rt, v, p)
}

func (m *model) checkMargins(rt *rapid.T, v simcore.AccountView, p simcore.PositionView) {
	switch {
	case !p.InitialMargin.Equal(p.PositionMargin.Add(p.OrderMargin)):
		rt.Fatalf("initial margin = %s, want %s + %s", p.InitialMargin, p.PositionMargin, p.OrderMargin)
	case !p.Notional.Equal(p.MarkPrice.Mul(p.Qty)):
		rt.Fatalf("notional = %s, want %s", p.Notional, p.MarkPrice.Mul(p.Qty))
	case v.Available.IsNegative() || v.Wallet.IsNegative():
		rt.Fatalf("available %s, wallet %s, want zero or more", v.Available, v.Wallet)
	case p.Qty.IsZero() && !p.IsolatedWallet.IsZero():
		rt.Fatalf("isolated wallet without a position = %s, want 0", p.IsolatedWallet)
	case !v.CrossWallet.Equal(v.Wallet.Sub(p.IsolatedWallet)):
		rt.Fatalf("cross wallet = %s, want %s", v.CrossWallet, v.Wallet.Sub(p.IsolatedWallet))
	case p.OrderMargin.IsNegative() || p.BidNotional.IsNegative() || p.AskNotional.IsNegative():
		rt.Fatalf("order margin and values = %+v, want none negative", p)
	}
}

// checkBook checks the order of the book and compares it with the resting orders.
func (m *model) checkBook(rt *rapid.T, resting map[string]decimal.Decimal) {
	book, _ := m.Book("BTCUSDT", 1000)
	if len(book.Bids) > 0 && len(book.Asks) > 0 && book.Bids[0].Price.GreaterThanOrEqual(book.Asks[0].Price) {
		rt.Fatalf("best bid %s, best ask %s, want bid below ask", book.Bids[0].Price, book.Asks[0].Price)
	}
	visible := map[string]decimal.Decimal{}
	for side, levels := range map[string][]simcore.Level{"buy": book.Bids, "sell": book.Asks} {
		for i, l := range levels {
			visible[side+l.Price.String()] = l.Qty
			better := i > 0 && (side == "buy") == l.Price.GreaterThan(levels[i-1].Price)
			if !l.Qty.IsPositive() || better {
				rt.Fatalf("%s level %d: %s at %s, want a quantity and a worse price than before", side, i, l.Qty, l.Price)
			}
		}
	}
	for key, qty := range resting {
		if visible[key].LessThan(qty) {
			rt.Fatalf("%s: quantity in the book = %s, want at least %s", key, visible[key], qty)
		}
	}
}
