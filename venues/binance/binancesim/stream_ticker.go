package binancesim

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type markEvent struct {
	Event     string `json:"e"`
	E         int64  `json:"E"`
	Symbol    string `json:"s"`
	Mark      string `json:"p"`
	Index     string `json:"i"`
	Settle    string `json:"P"`
	Rate      string `json:"r"`
	Average   string `json:"ap"`
	Next      int64  `json:"T"`
	StreamTyp int    `json:"st"`
}

func (st *streams) markMessage(kind streamKind, now time.Time) any {
	if kind.symbol != "" {
		return st.mark(kind.symbol, now)
	}
	all := make([]markEvent, 0, len(st.sim.symbols))
	for _, name := range st.sim.symbols {
		all = append(all, st.mark(name, now))
	}
	return all
}

func (st *streams) mark(symbol string, now time.Time) markEvent {
	mark, _ := st.sim.Exchange().Mark(symbol)
	return markEvent{
		Event: "markPriceUpdate", E: millis(now), Symbol: symbol, Mark: money(mark.Mark), Index: money(mark.Index),
		Settle: money(mark.Index), Rate: money(mark.FundingRate), Average: money(mark.Mark),
		Next: millis(mark.NextFunding), StreamTyp: streamTypeUM,
	}
}

// stats are the last 24 hours of a symbol.
type stats struct {
	open, high, low, last decimal.Decimal
	volume, quote         decimal.Decimal
	lastQty               decimal.Decimal
	from, to              time.Time
	firstID, lastID       int64
	trades                int
}

func (s *Sim) stats(symbol string) stats {
	now := s.Clock.Now()
	from := now.Add(-24 * time.Hour).Truncate(time.Minute)
	sum := stats{from: from, to: now, last: s.Exchange().LastPrice(symbol)}
	for i, c := range s.Exchange().Candles(symbol, "1m", from, time.Time{}, 1441) {
		if i == 0 {
			sum.open, sum.high, sum.low = c.Open, c.High, c.Low
		}
		sum.high, sum.low = decimal.Max(sum.high, c.High), decimal.Min(sum.low, c.Low)
		sum.volume, sum.quote = sum.volume.Add(c.Volume), sum.quote.Add(c.QuoteVolume)
		sum.trades += c.Trades
		if sum.firstID == 0 {
			sum.firstID = c.FirstID
		}
		sum.lastID = max(sum.lastID, c.LastID)
	}
	if newest := s.Exchange().Trades(symbol, 1); len(newest) == 1 {
		sum.lastQty = newest[0].Qty()
	}
	return sum
}

func (t stats) change() (amount, percentage decimal.Decimal) {
	amount = t.last.Sub(t.open)
	if t.open.IsZero() {
		return amount, zero
	}
	return amount, amount.Mul(dec("100")).DivRound(t.open, 3)
}

func (t stats) weighted() decimal.Decimal {
	if t.volume.IsZero() {
		return t.last
	}
	return t.quote.DivRound(t.volume, 8)
}

type tickerBody struct {
	Symbol             string `json:"symbol"`
	PriceChange        string `json:"priceChange"`
	PriceChangePercent string `json:"priceChangePercent"`
	WeightedAvgPrice   string `json:"weightedAvgPrice"`
	LastPrice          string `json:"lastPrice"`
	LastQty            string `json:"lastQty"`
	OpenPrice          string `json:"openPrice"`
	HighPrice          string `json:"highPrice"`
	LowPrice           string `json:"lowPrice"`
	Volume             string `json:"volume"`
	QuoteVolume        string `json:"quoteVolume"`
	OpenTime           int64  `json:"openTime"`
	CloseTime          int64  `json:"closeTime"`
	FirstID            int64  `json:"firstId"`
	LastID             int64  `json:"lastId"`
	Count              int    `json:"count"`
}

func (s *Sim) ticker24h(c *call) (any, *apiError) {
	return eachListing(s, c, func(l *listing) tickerBody {
		t := s.stats(l.Symbol)
		change, percentage := t.change()
		return tickerBody{
			Symbol: l.Symbol, PriceChange: l.price(change), PriceChangePercent: percentage.StringFixed(3),
			WeightedAvgPrice: l.price(t.weighted()), LastPrice: l.price(t.last), LastQty: l.qty(t.lastQty),
			OpenPrice: l.price(t.open), HighPrice: l.price(t.high), LowPrice: l.price(t.low),
			Volume: l.qty(t.volume), QuoteVolume: t.quote.StringFixed(2),
			OpenTime: millis(t.from), CloseTime: millis(t.to), FirstID: t.firstID, LastID: t.lastID, Count: t.trades,
		}
	})
}

type miniTickerEvent struct {
	Event     string `json:"e"`
	E         int64  `json:"E"`
	Symbol    string `json:"s"`
	Close     string `json:"c"`
	Open      string `json:"o"`
	High      string `json:"h"`
	Low       string `json:"l"`
	Volume    string `json:"v"`
	Quote     string `json:"q"`
	Pair      string `json:"ps"`
	StreamTyp int    `json:"st"`
}

type tickerEvent struct {
	Event     string `json:"e"`
	E         int64  `json:"E"`
	Symbol    string `json:"s"`
	Change    string `json:"p"`
	Percent   string `json:"P"`
	Weighted  string `json:"w"`
	Close     string `json:"c"`
	LastQty   string `json:"Q"`
	Open      string `json:"o"`
	High      string `json:"h"`
	Low       string `json:"l"`
	Volume    string `json:"v"`
	Quote     string `json:"q"`
	From      int64  `json:"O"`
	To        int64  `json:"C"`
	FirstID   int64  `json:"F"`
	LastID    int64  `json:"L"`
	Trades    int    `json:"n"`
	Pair      string `json:"ps"`
	StreamTyp int    `json:"st"`
}

func (st *streams) tickerMessage(due dueStream, now time.Time) any {
	message := st.ticker
	if due.kind.name == "miniTicker" {
		message = st.miniTicker
	}
	if due.kind.symbol != "" {
		return message(st.sim.listings[due.kind.symbol], now)
	}
	all := make([]any, 0, len(st.sim.symbols))
	for _, name := range st.sim.symbols {
		all = append(all, message(st.sim.listings[name], now))
	}
	return all
}

func (st *streams) ticker(l *listing, now time.Time) any {
	t := st.sim.stats(l.Symbol)
	change, percentage := t.change()
	return tickerEvent{
		Event: "24hrTicker", E: millis(now), Symbol: l.Symbol, Change: l.price(change), Percent: percentage.StringFixed(3),
		Weighted: l.price(t.weighted()), Close: l.price(t.last), LastQty: l.qty(t.lastQty), Open: l.price(t.open),
		High: l.price(t.high), Low: l.price(t.low), Volume: l.qty(t.volume), Quote: t.quote.StringFixed(2),
		From: millis(t.from), To: millis(t.to), FirstID: t.firstID, LastID: t.lastID, Trades: t.trades,
		Pair: l.Symbol, StreamTyp: streamTypeUM,
	}
}

func (st *streams) miniTicker(l *listing, now time.Time) any {
	t := st.sim.stats(l.Symbol)
	return miniTickerEvent{
		Event: "24hrMiniTicker", E: millis(now), Symbol: l.Symbol, Close: l.price(t.last), Open: l.price(t.open),
		High: l.price(t.high), Low: l.price(t.low), Volume: l.qty(t.volume), Quote: t.quote.StringFixed(2),
		Pair: l.Symbol, StreamTyp: streamTypeUM,
	}
}

type forceOrderEvent struct {
	Event string         `json:"e"`
	E     int64          `json:"E"`
	Order forceOrderBody `json:"o"`
}

type forceOrderBody struct {
	Symbol  string `json:"s"`
	Side    string `json:"S"`
	Type    string `json:"o"`
	TIF     string `json:"f"`
	Qty     string `json:"q"`
	Price   string `json:"p"`
	Average string `json:"ap"`
	Status  string `json:"X"`
	LastQty string `json:"l"`
	Filled  string `json:"z"`
	T       int64  `json:"T"`
}

func (st *streams) liquidated(at time.Time, event simcore.OrderEvent) {
	o := &event.Order
	if !o.Liquidation || event.Kind != simcore.OrderFilled {
		return
	}
	m := st.markets[o.Symbol]
	body := forceOrderEvent{Event: "forceOrder", E: millis(at), Order: forceOrderBody{
		Symbol: o.Symbol, Side: sideName(o.Side), Type: "LIMIT", TIF: "IOC", Qty: m.qty(o.Qty()), Price: m.price(o.Price()),
		Average: m.price(o.AvgPrice()), Status: statusName(o), LastQty: m.qty(event.Fill.Qty), Filled: m.qty(o.FilledQty()),
		T: millis(at),
	}}
	st.publish(m.lower+"@forceOrder", body)
	st.publish("!forceOrder@arr", body)
}

type contractInfoEvent struct {
	Event     string `json:"e"`
	E         int64  `json:"E"`
	Symbol    string `json:"s"`
	Pair      string `json:"ps"`
	Contract  string `json:"ct"`
	Delivery  int64  `json:"dt"`
	Onboarded int64  `json:"ot"`
	Status    string `json:"cs"`
	StreamTyp int    `json:"st"`
}

func (st *streams) statusChanged(at time.Time, event simcore.StatusEvent) {
	m := st.markets[event.Symbol]
	st.publish("!contractInfo", contractInfoEvent{
		Event: "contractInfo", E: millis(at), Symbol: m.Symbol, Pair: m.Symbol, Contract: "PERPETUAL",
		Delivery: perpetualDelivery, Onboarded: m.onboardedAt, Status: statusOf(event.Halted), StreamTyp: streamTypeUM,
	})
}
