package bybitsim

import (
	"slices"
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
	l, limit := s.queriedOne(c), c.limit(bookLimitDefault, bookLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
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
	l := s.queried(c)
	interval, known := intervals[c.query.Get("interval")]
	if l == nil || !known {
		c.refuse(errParam("params error: symbol or interval invalid"))
	}
	limit, from, to := c.limit(klineLimitDefault, klineLimitMax), c.timeOf("start"), c.timeOf("end")
	if c.invalid != nil {
		return nil, c.invalid
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
	for _, k := range slices.Backward(candles) {
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
	l, limit := s.queriedOne(c), c.limit(tradesLimitDefault, tradesLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	trades := s.Exchange().Trades(l.Symbol, limit)
	body := categoryList[recentTradeBody]{Category: "linear", List: make([]recentTradeBody, 0, len(trades))}
	for _, t := range slices.Backward(trades) {
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
	selected := s.selected(c)
	if c.invalid != nil {
		return nil, c.invalid
	}
	body := categoryList[map[string]string]{Category: "linear", List: []map[string]string{}}
	for _, l := range selected {
		if !l.Halted || c.query.Get("symbol") != "" {
			body.List = append(body.List, s.ticker(l, s.dayOf(l.Symbol)))
		}
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
	l, limit, from, to := s.queriedOne(c), c.limit(fundingsLimitMax, fundingsLimitMax), c.timeOf("startTime"), c.timeOf("endTime")
	if c.invalid != nil {
		return nil, c.invalid
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
	selected := s.selected(c)
	if c.invalid != nil {
		return nil, c.invalid
	}
	tiers := []riskLimitBody{}
	for _, l := range selected {
		for i, b := range l.Brackets {
			tier := riskLimitBody{
				ID: i + 1, Symbol: l.Symbol, RiskLimitValue: b.NotionalCap.String(), MaintenanceMargin: b.MaintenanceRate.String(),
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
	selected, limit := s.selected(c), c.limit(instrumentsLimitDefault, instrumentsLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	status, base := c.query.Get("status"), c.query.Get("baseCoin")
	if status == "" && c.query.Get("symbol") == "" {
		status = statusTrading
	}
	listed := []instrumentBody{}
	for _, l := range selected {
		body := s.instrument(l)
		if base != "" && body.BaseCoin != base || status != "" && body.Status != status {
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
