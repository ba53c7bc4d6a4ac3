package binancesim

import (
	"time"

	"venuegate/venues/simcore"
)

type klineEvent struct {
	Event  string    `json:"e"`
	E      int64     `json:"E"`
	Symbol string    `json:"s"`
	K      klineBody `json:"k"`
}

type klineBody struct {
	Start      int64  `json:"t"`
	End        int64  `json:"T"`
	Symbol     string `json:"s"`
	Interval   string `json:"i"`
	FirstID    int64  `json:"f"`
	LastID     int64  `json:"L"`
	Open       string `json:"o"`
	Close      string `json:"c"`
	High       string `json:"h"`
	Low        string `json:"l"`
	Volume     string `json:"v"`
	Trades     int    `json:"n"`
	Closed     bool   `json:"x"`
	Quote      string `json:"q"`
	TakerBuy   string `json:"V"`
	TakerQuote string `json:"Q"`
	Ignored    string `json:"B"`
}

// klineSent identifies the last message of a candle stream.
type klineSent struct {
	start  int64
	trades int
}

// flushKline sends the live candle if it changed. The final message of a candle,
// with x true, comes from candleClosed.
func (st *streams) flushKline(due dueStream, now time.Time) {
	candles := st.sim.Exchange().Candles(due.kind.symbol, due.kind.interval, time.Time{}, time.Time{}, 1)
	if len(candles) == 0 {
		return
	}
	live := candles[0]
	st.mu.Lock()
	defer st.mu.Unlock()
	m := st.markets[due.kind.symbol]
	state := klineSent{start: millis(live.Start), trades: live.Trades}
	if live.Closed || m.klines[due.name] == state || live.Trades == 0 {
		return
	}
	m.klines[due.name] = state
	st.publish(due.name, m.kline(live, due.kind.interval, now))
}

func (st *streams) candleClosed(at time.Time, event simcore.CandleEvent) {
	m := st.markets[event.Symbol]
	name := m.lower + "@kline_" + string(event.Interval)
	if st.listeners.Has(name) && !st.isRecorded(name) {
		st.publish(name, m.kline(event.Candle, event.Interval, at))
	}
}

func (l *listing) kline(c simcore.Candle, interval simcore.Interval, now time.Time) klineEvent {
	firstID, lastID := c.FirstID, c.LastID
	if c.Trades == 0 {
		firstID, lastID = -1, -1
	}
	quotePlaces := l.pricePlaces + l.qtyPlaces
	return klineEvent{Event: "kline", E: millis(now), Symbol: l.Symbol, K: klineBody{
		Start: millis(c.Start), End: millis(c.End) - 1, Symbol: l.Symbol, Interval: string(interval),
		FirstID: firstID, LastID: lastID, Open: l.price(c.Open), Close: l.price(c.Close), High: l.price(c.High), Low: l.price(c.Low),
		Volume: l.qty(c.Volume), Trades: c.Trades, Closed: c.Closed, Quote: c.QuoteVolume.StringFixed(quotePlaces),
		TakerBuy: l.qty(c.TakerVolume), TakerQuote: c.TakerQuoteVolume.StringFixed(quotePlaces), Ignored: "0",
	}}
}
