package binancesim

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// aggTrade is the trades of one taker at one price.
type aggTrade struct {
	id      int64
	price   decimal.Decimal
	qty     decimal.Decimal
	firstID int64
	lastID  int64
	taker   simcore.Side
	group   uint64
	at      time.Time
}

// aggTradesKept is how many aggregated trades of a symbol are kept.
const aggTradesKept = 1000

// aggregator combines the trades of one taker at one price.
type aggregator struct {
	open   *aggTrade
	lastID int64
	kept   []aggTrade
}

type aggTradeEvent struct {
	Event        string `json:"e"`
	E            int64  `json:"E"`
	ID           int64  `json:"a"`
	Symbol       string `json:"s"`
	Price        string `json:"p"`
	Qty          string `json:"q"`
	NormalQty    string `json:"nq"`
	FirstID      int64  `json:"f"`
	LastID       int64  `json:"l"`
	T            int64  `json:"T"`
	BuyerIsMaker bool   `json:"m"`
	StreamTyp    int    `json:"st"`
}

type tradeEvent struct {
	Event        string `json:"e"`
	E            int64  `json:"E"`
	T            int64  `json:"T"`
	Symbol       string `json:"s"`
	ID           int64  `json:"t"`
	Price        string `json:"p"`
	Qty          string `json:"q"`
	Kind         string `json:"X"`
	BuyerIsMaker bool   `json:"m"`
	StreamTyp    int    `json:"st"`
}

func (st *streams) traded(at time.Time, event simcore.TradeEvent) {
	m, t := st.markets[event.Symbol], event.Trade
	if name := m.lower + "@trade"; st.listeners.Has(name) && !st.isRecorded(name) {
		kind := "MARKET"
		if t.Insurance {
			kind = "INSURANCE_FUND"
		}
		st.publish(name, tradeEvent{
			Event: "trade", E: millis(at), T: millis(t.Time), Symbol: m.Symbol, ID: t.ID, Price: m.price(t.Price()),
			Qty: m.qty(t.Qty()), Kind: kind, BuyerIsMaker: t.Taker == simcore.Sell, StreamTyp: streamTypeUM,
		})
	}
	if !t.Insurance {
		st.aggregate(m, t)
	}
}

func (st *streams) aggregate(m *marketState, t simcore.Trade) {
	price := t.Price()
	if open := m.agg.open; open != nil {
		if open.group == t.Group && open.taker == t.Taker && open.price.Equal(price) {
			open.qty, open.lastID = open.qty.Add(t.Qty()), t.ID
			return
		}
		st.flushAgg(m)
	}
	m.agg.open = &aggTrade{
		price: price, qty: t.Qty(), firstID: t.ID, lastID: t.ID, taker: t.Taker, group: t.Group, at: t.Time,
	}
}

// flushAgg closes and sends the aggregated trade that is open.
func (st *streams) flushAgg(m *marketState) {
	open := m.agg.open
	if open == nil {
		return
	}
	m.agg.open = nil
	if m.agg.lastID == 0 {
		m.agg.lastID = open.firstID / 2
	}
	m.agg.lastID++
	open.id = m.agg.lastID
	if len(m.agg.kept) >= 2*aggTradesKept {
		m.agg.kept = append(m.agg.kept[:0:0], m.agg.kept[aggTradesKept:]...)
	}
	m.agg.kept = append(m.agg.kept, *open)
	if name := m.lower + "@aggTrade"; st.listeners.Has(name) && !st.isRecorded(name) {
		st.publish(name, aggTradeEvent{
			Event: "aggTrade", E: millis(st.sim.Clock.Now()), ID: open.id, Symbol: m.Symbol, Price: m.price(open.price),
			Qty: m.qty(open.qty), NormalQty: m.qty(open.qty), FirstID: open.firstID, LastID: open.lastID,
			T: millis(open.at), BuyerIsMaker: open.taker == simcore.Sell, StreamTyp: streamTypeUM,
		})
	}
}

type aggTradeBody struct {
	ID           int64  `json:"a"`
	Price        string `json:"p"`
	Qty          string `json:"q"`
	NormalQty    string `json:"nq"`
	FirstID      int64  `json:"f"`
	LastID       int64  `json:"l"`
	T            int64  `json:"T"`
	BuyerIsMaker bool   `json:"m"`
}

func (s *Sim) aggTrades(c *call) (any, *apiError) {
	l, limit := s.listingPage(c)
	fromID := c.params.integer("fromId", 0)
	from, to := c.span()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	body := []aggTradeBody{}
	for _, t := range s.streams.keptAggTrades(l.Symbol) {
		if t.id >= fromID && within(t.at, from, to) {
			body = append(body, l.aggTrade(t))
		}
	}
	return firstOrLast(body, limit, fromID != 0 || !from.IsZero()), nil
}

func (st *streams) keptAggTrades(symbol string) []aggTrade {
	st.mu.Lock()
	defer st.mu.Unlock()
	kept := st.markets[symbol].agg.kept
	return append([]aggTrade(nil), kept[max(0, len(kept)-aggTradesKept):]...)
}

func (l *listing) aggTrade(t aggTrade) aggTradeBody {
	return aggTradeBody{
		ID: t.id, Price: l.price(t.price), Qty: l.qty(t.qty), NormalQty: l.qty(t.qty),
		FirstID: t.firstID, LastID: t.lastID, T: millis(t.at), BuyerIsMaker: t.taker == simcore.Sell,
	}
}
