package okxsim

import (
	"strings"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Channels of the market besides books.
const (
	channelTrades    = "trades"
	channelTradesAll = "trades-all"
	channelTickers   = "tickers"
	channelMark      = "mark-price"
	candlePrefix     = "candle"
)

func (h *hub) tradeHappened(event *simcore.TradeEvent) {
	if event.Trade.Insurance {
		return
	}
	body := tradeOf(event.Symbol, event.Trade)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.traded[event.Symbol] = true
	h.publish(channelTradesAll, event.Symbol, "", []tradeBody{body})
	body.Count, body.SeqID = "1", event.Trade.ID
	h.publish(channelTrades, event.Symbol, "", []tradeBody{body})
}

func (h *hub) markChanged(at time.Time, event *simcore.MarkEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.marked[event.Mark.Symbol] = true
	h.publish(channelMark, event.Mark.Symbol, "", []markBody{markOf(event.Mark, at)})
}

// repeatMarks sends mark prices that have not changed for long.
func (h *hub) repeatMarks() {
	for _, arg := range h.wanted(channelMark + ":") {
		mark, known := h.sim.Exchange().Mark(arg.InstID)
		if !known {
			continue
		}
		h.mu.Lock()
		h.publish(channelMark, arg.InstID, "", []markBody{markOf(mark, h.sim.Clock.Now())})
		h.mu.Unlock()
	}
}

func (h *hub) candleClosed(event *simcore.CandleEvent) {
	row := h.sim.listings[event.Symbol].candle(event.Candle)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, channel := range candleChannels[event.Interval] {
		h.publish(channel, event.Symbol, "", []candleRow{row})
	}
}

// candleChannels are the venue's names of the exchange's intervals.
var candleChannels = func() map[simcore.Interval][]string {
	names := map[simcore.Interval][]string{}
	for _, interval := range simcore.Intervals {
		bar := string(interval)
		if !strings.HasSuffix(bar, "m") {
			bar = strings.ToUpper(bar)
		}
		names[interval] = []string{candlePrefix + bar, candlePrefix + bar + "utc"}
	}
	return names
}()

// flushMarket sends tickers and live candles of the instruments that moved.
func (h *hub) flushMarket() {
	h.mu.Lock()
	moved := h.traded
	h.traded = map[string]bool{}
	h.mu.Unlock()
	for _, arg := range h.wanted(channelTickers + ":") {
		if l, known := h.sim.listings[arg.InstID]; known && moved[arg.InstID] {
			body := h.sim.tickerOf(l)
			h.mu.Lock()
			h.publish(channelTickers, arg.InstID, "", []tickerBody{body})
			h.mu.Unlock()
		}
	}
	for _, arg := range h.wanted(candlePrefix) {
		if l, known := h.sim.listings[arg.InstID]; known && moved[arg.InstID] {
			h.sendCandle(arg, l)
		}
	}
}

func (h *hub) sendCandle(arg channelArg, l *listing) {
	interval, ok := intervalOf(strings.TrimPrefix(arg.Channel, candlePrefix))
	if !ok {
		return
	}
	newest := h.sim.Exchange().Candles(arg.InstID, interval, time.Time{}, time.Time{}, 1)
	if len(newest) == 0 || newest[0].Closed {
		return
	}
	row := l.candle(newest[0])
	h.mu.Lock()
	defer h.mu.Unlock()
	h.publish(arg.Channel, arg.InstID, "", []candleRow{row})
}

func (h *hub) statusChanged(event *simcore.StatusEvent) {
	body := h.sim.listings[event.Symbol].instrument(event.Halted)
	h.mu.Lock()
	defer h.mu.Unlock()
	for topic, subs := range h.topics {
		if !strings.HasPrefix(topic, "instruments:") {
			continue
		}
		for sub := range subs {
			h.sendLocked(sub.client, "instruments", simnet.Encode(pushBody{Arg: sub.arg, Data: []instrumentBody{body}}))
		}
	}
}
