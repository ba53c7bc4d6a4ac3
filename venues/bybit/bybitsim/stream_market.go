package bybitsim

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type tradeBody struct {
	T      int64  `json:"T"`
	Symbol string `json:"s"`
	Side   string `json:"S"`
	Volume string `json:"v"`
	Price  string `json:"p"`
	Tick   string `json:"L"`
	ID     string `json:"i"`
	Block  bool   `json:"BT"`
	RPI    bool   `json:"RPI"`
	Seq    int64  `json:"seq"`
}

// tradesPerMessageMax is how many trades one message carries.
const tradesPerMessageMax = 1024

// lastTrade determines the direction of the next tick.
type lastTrade struct {
	price decimal.Decimal
	tick  string
}

// move returns the tick direction of a price after the last one.
func (t *lastTrade) move(price decimal.Decimal) string {
	switch price.Cmp(t.price) {
	case 1:
		t.tick = "PlusTick"
	case -1:
		t.tick = "MinusTick"
	default:
		if t.tick == "PlusTick" || t.tick == "ZeroPlusTick" {
			t.tick = "ZeroPlusTick"
		} else {
			t.tick = "ZeroMinusTick"
		}
	}
	t.price = price
	return t.tick
}

// traded keeps a public trade until the next flush.
func (st *streams) traded(event simcore.Event, body simcore.TradeEvent) {
	m, t := st.markets[body.Symbol], body.Trade
	tick := m.last.move(t.Price())
	topic := "publicTrade." + body.Symbol
	if st.topics[topic] == nil || st.isRecorded(topic) || len(m.trades) >= tradesPerMessageMax {
		return
	}
	m.trades = append(m.trades, tradeBody{
		T: millis(t.Time), Symbol: body.Symbol, Side: sideName(t.Taker), Volume: m.qty(t.Qty()), Price: m.price(t.Price()),
		Tick: tick, ID: executionID(t.ID, false), Seq: st.sim.firstSeq + int64(event.Seq),
	})
}

func (st *streams) flushTrades() {
	now := st.sim.Clock.Now()
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, symbol := range st.sim.symbols {
		m := st.markets[symbol]
		if len(m.trades) == 0 {
			continue
		}
		if feed := st.topics["publicTrade."+symbol]; feed != nil {
			st.send(feed, feed.listeners, streamBody{Topic: feed.name, Type: typeSnapshot, TS: millis(now), Data: m.trades})
		}
		m.trades = nil
	}
}

// day is the summary of the last 24 hours of a symbol, computed once a second.
type day struct {
	open, high, low, hourAgo decimal.Decimal
	volume, turnover         decimal.Decimal
	at                       time.Time
}

const daySpan = 24 * time.Hour

func (s *Sim) dayOf(symbol string) day {
	now := s.Clock.Now()
	sum := day{at: now}
	for i, c := range s.Exchange().Candles(symbol, "15m", now.Add(-daySpan), time.Time{}, int(daySpan/(15*time.Minute))+1) {
		if i == 0 {
			sum.open, sum.high, sum.low = c.Open, c.High, c.Low
		}
		if sum.hourAgo.IsZero() && now.Sub(c.Start) <= time.Hour {
			sum.hourAgo = c.Open
		}
		sum.high, sum.low = decimal.Max(sum.high, c.High), decimal.Min(sum.low, c.Low)
		sum.volume, sum.turnover = sum.volume.Add(c.Volume), sum.turnover.Add(c.QuoteVolume)
	}
	return sum
}

// ticker returns all fields of a ticker.
func (s *Sim) ticker(l *listing, sum day) map[string]string {
	mark, _ := s.Exchange().Mark(l.Symbol)
	book, _ := s.Exchange().Book(l.Symbol, 1)
	last, interest := s.Exchange().LastPrice(l.Symbol), s.Exchange().OpenInterest(l.Symbol)
	change := zero
	if sum.open.IsPositive() {
		change = last.Sub(sum.open).DivRound(sum.open, 6)
	}
	fields := map[string]string{
		"symbol": l.Symbol, "lastPrice": l.price(last), "price24hPcnt": change.String(), "prevPrice24h": l.price(sum.open),
		"highPrice24h": l.price(decimal.Max(sum.high, last)), "lowPrice24h": l.price(decimal.Min(sum.low, last)),
		"prevPrice1h": l.price(sum.hourAgo), "markPrice": l.price(mark.Mark), "indexPrice": l.price(mark.Index),
		"openInterest": l.qty(interest), "openInterestValue": interest.Mul(mark.Mark).StringFixed(2),
		"singleOpenInterest": l.qty(interest), "singleOpenInterestValue": interest.Mul(mark.Mark).StringFixed(2),
		"turnover24h": sum.turnover.StringFixed(4), "volume24h": sum.volume.StringFixed(4),
		"fundingIntervalHour": "8", "fundingCap": l.fundingCap, "nextFundingTime": millisText(mark.NextFunding),
		"fundingRate": mark.FundingRate.String(), "bid1Price": "", "bid1Size": "", "ask1Price": "", "ask1Size": "",
		"preOpenPrice": "", "preQty": "", "curPreListingPhase": "",
	}
	for side, levels := range map[string][]simcore.Level{"bid1": book.Bids, "ask1": book.Asks} {
		if len(levels) > 0 {
			fields[side+"Price"], fields[side+"Size"] = l.price(levels[0].Price), l.qty(levels[0].Qty)
		}
	}
	return fields
}

// pairs are fields that a delta sends together.
var pairs = map[string]string{
	"bid1Price": "bid1Size", "bid1Size": "bid1Price", "ask1Price": "ask1Size", "ask1Size": "ask1Price",
}

// flushTicker sends the changed fields, and all of them to unsynced listeners.
func (st *streams) flushTicker(feed *topicFeed) {
	fields := st.sim.ticker(st.sim.listings[feed.symbol], st.cachedDay(feed.symbol))
	now := st.sim.Clock.Now()
	st.mu.Lock()
	defer st.mu.Unlock()
	m := st.markets[feed.symbol]
	fields["tickDirection"] = m.last.tick
	changed := map[string]string{"symbol": feed.symbol}
	for name, value := range fields {
		if feed.ticker[name] == value {
			continue
		}
		changed[name] = value
		if other, paired := pairs[name]; paired {
			changed[other] = fields[other]
		}
	}
	body := streamBody{Topic: feed.name, Type: typeDelta, TS: millis(now), Data: changed, CS: st.sim.firstSeq + m.changed}
	if feed.ticker != nil && len(changed) > 1 {
		st.send(feed, feed.synced(), body)
	}
	feed.ticker = fields
	body.Type, body.Data = typeSnapshot, fields
	st.send(feed, feed.unsynced, body)
	clear(feed.unsynced)
}

func (st *streams) cachedDay(symbol string) day {
	st.mu.Lock()
	sum := st.markets[symbol].day
	st.mu.Unlock()
	if st.sim.Clock.Now().Sub(sum.at).Abs() < time.Second {
		return sum
	}
	sum = st.sim.dayOf(symbol)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.markets[symbol].day = sum
	return sum
}

// klineState identifies the live candle that was sent last.
type klineState struct {
	start  int64
	trades int
}

type klineData struct {
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
	Interval  string `json:"interval"`
	Open      string `json:"open"`
	Close     string `json:"close"`
	High      string `json:"high"`
	Low       string `json:"low"`
	Volume    string `json:"volume"`
	Turnover  string `json:"turnover"`
	Confirm   bool   `json:"confirm"`
	Timestamp int64  `json:"timestamp"`
}

func (feed *topicFeed) candle(c simcore.Candle, now time.Time) streamBody {
	return streamBody{Topic: feed.name, Type: typeSnapshot, TS: millis(now), Data: []klineData{{
		Start: millis(c.Start), End: millis(c.End) - 1, Interval: feed.interval, Open: c.Open.String(), Close: c.Close.String(),
		High: c.High.String(), Low: c.Low.String(), Volume: c.Volume.String(), Turnover: c.QuoteVolume.String(),
		Confirm: c.Closed, Timestamp: millis(now),
	}}}
}

// flushKline sends the live candle if it changed, and to unsynced listeners. The
// final message of a candle comes from candleClosed.
func (st *streams) flushKline(feed *topicFeed) {
	candles := st.sim.Exchange().Candles(feed.symbol, intervals[feed.interval], time.Time{}, time.Time{}, 1)
	if len(candles) == 0 || candles[0].Closed {
		return
	}
	now, live := st.sim.Clock.Now(), candles[0]
	st.mu.Lock()
	defer st.mu.Unlock()
	state := klineState{start: millis(live.Start), trades: live.Trades}
	to := feed.unsynced
	if feed.kline != state {
		feed.kline, to = state, feed.listeners
	}
	st.send(feed, to, feed.candle(live, now))
	clear(feed.unsynced)
}

func (st *streams) candleClosed(at time.Time, event simcore.CandleEvent) {
	for word, interval := range intervals {
		if interval != event.Interval {
			continue
		}
		if feed := st.topics["kline."+word+"."+event.Symbol]; feed != nil && !st.isRecorded(feed.name) {
			st.send(feed, feed.listeners, feed.candle(event.Candle, at))
		}
	}
}
