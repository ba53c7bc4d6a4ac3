package bybitsim

import (
	"strconv"
	"time"

	"venuegate/venues/simcore"
)

type timeBody struct {
	TimeSecond string `json:"timeSecond"`
	TimeNano   string `json:"timeNano"`
}

func (s *Sim) time(*call) (any, *apiError) {
	now := s.Clock.Now()
	return timeBody{strconv.FormatInt(now.Unix(), 10), strconv.FormatInt(now.UnixNano(), 10)}, nil
}

type bookBody struct {
	Symbol string      `json:"s"`
	Bids   [][2]string `json:"b"`
	Asks   [][2]string `json:"a"`
	TS     int64       `json:"ts"`
	U      int64       `json:"u"`
	Seq    int64       `json:"seq"`
	CTS    int64       `json:"cts"`
}

const (
	bookLimitDefault = 25
	bookLimitMax     = 1000
)

// orderbook returns the book with the u of its 1000-level stream.
func (s *Sim) orderbook(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	if l == nil {
		return nil, errSymbol
	}
	limit, failed := c.limit(bookLimitDefault, bookLimitMax)
	if failed != nil {
		return nil, failed
	}
	now := s.Clock.Now().UnixMilli()
	if b, recorded := s.streams.recordedBook(l.Symbol, limit); recorded {
		return bookBody{Symbol: b.Symbol, Bids: b.Bids, Asks: b.Asks, TS: now, CTS: now, U: b.U, Seq: b.Seq}, nil
	}
	book, _ := s.Exchange().Book(l.Symbol, limit)
	return bookBody{
		Symbol: l.Symbol, Bids: trimmedRows(book.Bids), Asks: trimmedRows(book.Asks), TS: now, CTS: now,
		U: s.streams.lastU(l.Symbol, bookLimitMax), Seq: book.UpdateID,
	}, nil
}

func trimmedRows(levels []simcore.Level) [][2]string {
	rows := make([][2]string, len(levels))
	for i, level := range levels {
		rows[i] = [2]string{level.Price.String(), level.Qty.String()}
	}
	return rows
}

// intervals are the venue's names of candle intervals.
var intervals = map[string]simcore.Interval{
	"1": "1m", "3": "3m", "5": "5m", "15": "15m", "30": "30m", "60": "1h", "120": "2h", "240": "4h",
	"360": "6h", "720": "12h", "D": "1d", "W": "1w", "M": "1M",
}

const (
	klineLimitDefault = 200
	klineLimitMax     = 1000
)

type klineBody struct {
	Category string      `json:"category"`
	Symbol   string      `json:"symbol"`
	List     [][7]string `json:"list"`
}

// kline returns candles, newest first; the first may still be open.
func (s *Sim) kline(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	interval, known := intervals[c.query.Get("interval")]
	if l == nil || !known {
		return nil, errParam("params error: symbol or interval invalid")
	}
	limit, failed := c.limit(klineLimitDefault, klineLimitMax)
	if failed != nil {
		return nil, failed
	}
	from, failed := c.timeOf("start")
	if failed != nil {
		return nil, failed
	}
	to, failed := c.timeOf("end")
	if failed != nil {
		return nil, failed
	}
	switch {
	case !to.IsZero():
		// The end is exclusive on the exchange and inclusive at the venue.
		to = to.Add(time.Millisecond)
	case !from.IsZero():
		// A start alone selects the first candles, an end the last ones.
		to = interval.Add(interval.From(from), limit)
	}
	candles := s.Exchange().Candles(l.Symbol, interval, from, to, limit)
	body := klineBody{Category: "linear", Symbol: l.Symbol, List: make([][7]string, 0, len(candles))}
	for i := len(candles) - 1; i >= 0; i-- {
		k := candles[i]
		body.List = append(body.List, [7]string{
			millisText(k.Start), k.Open.String(), k.High.String(), k.Low.String(), k.Close.String(), k.Volume.String(), k.QuoteVolume.String(),
		})
	}
	return body, nil
}

type recentTradeBody struct {
	ExecID       string `json:"execId"`
	Symbol       string `json:"symbol"`
	Price        string `json:"price"`
	Size         string `json:"size"`
	Side         string `json:"side"`
	Time         string `json:"time"`
	IsBlockTrade bool   `json:"isBlockTrade"`
	IsRPITrade   bool   `json:"isRPITrade"`
	Seq          string `json:"seq"`
}

const (
	tradesLimitDefault = 500
	tradesLimitMax     = 1000
)

type categoryList[T any] struct {
	Category string `json:"category"`
	List     []T    `json:"list"`
}

func (s *Sim) recentTrade(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	if l == nil {
		return nil, errSymbol
	}
	limit, failed := c.limit(tradesLimitDefault, tradesLimitMax)
	if failed != nil {
		return nil, failed
	}
	trades := s.Exchange().Trades(l.Symbol, limit)
	body := categoryList[recentTradeBody]{Category: "linear", List: make([]recentTradeBody, 0, len(trades))}
	for i := len(trades) - 1; i >= 0; i-- {
		t := trades[i]
		body.List = append(body.List, recentTradeBody{
			ExecID: executionID(t.ID, false), Symbol: l.Symbol, Price: l.price(t.Price()), Size: l.qty(t.Qty()),
			Side: sideName(t.Taker), Time: millisText(t.Time), Seq: strconv.FormatInt(s.firstSeq+int64(t.Group%seqSpan), 10),
		})
	}
	return body, nil
}

// seqSpan keeps the sequence of a trade within the integers that JSON carries.
const seqSpan = 1 << 40

func (s *Sim) tickers(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	body := categoryList[map[string]string]{Category: "linear", List: []map[string]string{}}
	for _, symbol := range s.symbols {
		if l == nil && s.listings[symbol].Halted || l != nil && l.Symbol != symbol {
			continue
		}
		body.List = append(body.List, s.ticker(s.listings[symbol], s.dayOf(symbol)))
	}
	return body, nil
}

type fundingBody struct {
	Symbol               string `json:"symbol"`
	FundingRate          string `json:"fundingRate"`
	FundingRateTimestamp string `json:"fundingRateTimestamp"`
}

const fundingsLimitMax = 200

// fundingHistory returns the funding of a symbol, the latest first.
func (s *Sim) fundingHistory(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	if l == nil {
		return nil, errSymbol
	}
	limit, failed := c.limit(fundingsLimitMax, fundingsLimitMax)
	if failed != nil {
		return nil, failed
	}
	from, failed := c.timeOf("startTime")
	if failed != nil {
		return nil, failed
	}
	to, failed := c.timeOf("endTime")
	if failed != nil {
		return nil, failed
	}
	body := categoryList[fundingBody]{Category: "linear", List: []fundingBody{}}
	paid := s.Exchange().FundingPayments(l.Symbol)
	for n := len(paid) - 1; n >= 0 && len(body.List) < limit; n-- {
		if at := paid[n].Time; !at.Before(from) && (to.IsZero() || !at.After(to)) {
			body.List = append(body.List, fundingBody{l.Symbol, paid[n].Rate.String(), millisText(at)})
		}
	}
	return body, nil
}

type riskLimitBody struct {
	ID                int    `json:"id"`
	Symbol            string `json:"symbol"`
	RiskLimitValue    string `json:"riskLimitValue"`
	MaintenanceMargin string `json:"maintenanceMargin"`
	InitialMargin     string `json:"initialMargin"`
	IsLowestRisk      int    `json:"isLowestRisk"`
	MaxLeverage       string `json:"maxLeverage"`
	MmDeduction       string `json:"mmDeduction"`
}

// riskLimit returns the tiers of a symbol.
func (s *Sim) riskLimit(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	tiers := []riskLimitBody{}
	for _, symbol := range s.symbols {
		if l != nil && l.Symbol != symbol {
			continue
		}
		for i, b := range s.listings[symbol].Brackets {
			tier := riskLimitBody{
				ID: i + 1, Symbol: symbol, RiskLimitValue: b.NotionalCap.String(), MaintenanceMargin: b.MaintenanceRate.String(),
				InitialMargin: ratio(one, dec(strconv.Itoa(b.LeverageMax))), MaxLeverage: strconv.Itoa(b.LeverageMax),
				MmDeduction: b.MaintenanceCum.String(),
			}
			if i == 0 {
				tier.IsLowestRisk = 1
			}
			tiers = append(tiers, tier)
		}
	}
	return linear(tiers, ""), nil
}

type priceLimitBody struct {
	Symbol string `json:"symbol"`
	Buy    string `json:"buyLmt"`
	Sell   string `json:"sellLmt"`
	TS     string `json:"ts"`
}

func (s *Sim) priceLimit(c *call) (any, *apiError) {
	l, failed := s.listed(c.query.Get("symbol"))
	if failed != nil {
		return nil, failed
	}
	low, high := s.band(l)
	return priceLimitBody{l.Symbol, l.price(high), l.price(low), millisText(s.Clock.Now())}, nil
}

const (
	instrumentsLimitDefault = 500
	instrumentsLimitMax     = 1000
)

// instrumentsInfo returns listings in pages, trading ones unless another status is
// requested.
func (s *Sim) instrumentsInfo(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	limit, failed := c.limit(instrumentsLimitDefault, instrumentsLimitMax)
	if failed != nil {
		return nil, failed
	}
	status, base := c.query.Get("status"), c.query.Get("baseCoin")
	listed := []instrumentBody{}
	for _, symbol := range s.symbols {
		body := s.instrument(s.listings[symbol])
		switch {
		case l != nil && l.Symbol != symbol, base != "" && body.BaseCoin != base,
			status != "" && body.Status != status, l == nil && status == "" && body.Status != statusTrading:
			continue
		}
		listed = append(listed, body)
	}
	page, cursor, failed := paginate(c, listed, limit, func(i *instrumentBody) string { return i.Symbol })
	if failed != nil {
		return nil, failed
	}
	if len(page) > 0 && page[len(page)-1].Symbol == listed[len(listed)-1].Symbol {
		cursor = ""
	}
	return linear(page, cursor), nil
}
