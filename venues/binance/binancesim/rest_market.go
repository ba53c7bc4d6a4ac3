package binancesim

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (s *Sim) ping(*call) (any, *apiError) { return struct{}{}, nil }

func (s *Sim) time(*call) (any, *apiError) {
	return struct {
		ServerTime int64 `json:"serverTime"`
	}{s.Clock.Now().UnixMilli()}, nil
}

// listing returns the symbol of a call.
func (s *Sim) listing(c *call) *listing { return s.listingBy(&c.params, "symbol") }

// listingBy returns the symbol in a parameter, or nil.
func (s *Sim) listingBy(p *params, name string) *listing {
	l, ok := s.listings[p.need(name)]
	if !ok {
		p.refuse(errInvalidSymbol)
	}
	return l
}

// onlySymbol returns the symbol to which a call is limited; empty if to none.
func (s *Sim) onlySymbol(c *call) string {
	if !c.params.has("symbol") {
		return ""
	}
	_ = s.listing(c)
	return c.params.text("symbol")
}

// listingPage returns the symbol and the page size of a call.
func (s *Sim) listingPage(c *call) (*listing, int) { return s.listing(c), c.params.limit(500, 1000) }

// eachListing returns one record for the symbol of a call, or a list for all
// symbols.
func eachListing[T any](s *Sim, c *call, record func(*listing) T) (any, *apiError) {
	if c.params.has("symbol") {
		l := s.listing(c)
		if l == nil {
			return nil, c.params.invalid
		}
		return record(l), nil
	}
	all := make([]T, 0, len(s.symbols))
	for _, name := range s.symbols {
		all = append(all, record(s.listings[name]))
	}
	return all, nil
}

const depthLimitDefault = 500

var depthLimits = map[int64]bool{5: true, 10: true, 20: true, 50: true, 100: true, 500: true, 1000: true}

type depthBody struct {
	LastUpdateID int64       `json:"lastUpdateId"`
	E            int64       `json:"E"`
	T            int64       `json:"T"`
	Bids         [][2]string `json:"bids"`
	Asks         [][2]string `json:"asks"`
}

func (s *Sim) depth(c *call) (any, *apiError) {
	l, limit := s.listing(c), c.params.integer("limit", depthLimitDefault)
	if !depthLimits[limit] {
		c.params.refuse(errDepthLimit)
	}
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	if body, ok := s.replayedDepth(l.Symbol, int(limit)); ok {
		return body, nil
	}
	book, _ := s.Exchange().Book(l.Symbol, int(limit))
	at := millis(book.Time)
	return depthBody{LastUpdateID: book.UpdateID, E: at, T: at, Bids: l.levels(book.Bids), Asks: l.levels(book.Asks)}, nil
}

func (l *listing) levels(levels []simcore.Level) [][2]string {
	out := make([][2]string, len(levels))
	for i, level := range levels {
		out[i] = [2]string{l.price(level.Price), l.qty(level.Qty)}
	}
	return out
}

type tradeBody struct {
	ID           int64  `json:"id"`
	Price        string `json:"price"`
	Qty          string `json:"qty"`
	QuoteQty     string `json:"quoteQty"`
	Time         int64  `json:"time"`
	IsBuyerMaker bool   `json:"isBuyerMaker"`
	IsRPITrade   bool   `json:"isRPITrade"`
}

func (s *Sim) trades(c *call) (any, *apiError) {
	l, limit := s.listingPage(c)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	body := []tradeBody{}
	for _, t := range s.Exchange().Trades(l.Symbol, limit) {
		body = append(body, tradeBody{
			ID: t.ID, Price: l.price(t.Price()), Qty: l.qty(t.Qty()), QuoteQty: t.Quote().StringFixed(2),
			Time: millis(t.Time), IsBuyerMaker: t.Taker == simcore.Sell,
		})
	}
	return body, nil
}

// span returns the time range of a call, zero times where it has none.
func (c *call) span() (from, to time.Time) {
	from, to = c.params.timeOf("startTime"), c.params.timeOf("endTime")
	if !from.IsZero() && !to.IsZero() && from.After(to) {
		c.params.refuse(errStartAfterEnd)
	}
	return from, to
}

type premiumBody struct {
	Symbol               string `json:"symbol"`
	MarkPrice            string `json:"markPrice"`
	IndexPrice           string `json:"indexPrice"`
	EstimatedSettlePrice string `json:"estimatedSettlePrice"`
	LastFundingRate      string `json:"lastFundingRate"`
	InterestRate         string `json:"interestRate"`
	NextFundingTime      int64  `json:"nextFundingTime"`
	Time                 int64  `json:"time"`
}

func (s *Sim) premiumIndex(c *call) (any, *apiError) {
	return eachListing(s, c, func(l *listing) premiumBody {
		mark, _ := s.Exchange().Mark(l.Symbol)
		return premiumBody{
			Symbol: l.Symbol, MarkPrice: money(mark.Mark), IndexPrice: money(mark.Index),
			EstimatedSettlePrice: money(mark.Index), LastFundingRate: money(mark.FundingRate), InterestRate: "0.00010000",
			NextFundingTime: millis(mark.NextFunding), Time: s.Clock.Now().UnixMilli(),
		}
	})
}

type fundingBody struct {
	Symbol      string `json:"symbol"`
	FundingTime int64  `json:"fundingTime"`
	FundingRate string `json:"fundingRate"`
	MarkPrice   string `json:"markPrice"`
}

// fundingRate returns the funding of a symbol since the simulator started, oldest
// first: the newest rows, or the first ones after a start.
func (s *Sim) fundingRate(c *call) (any, *apiError) {
	l, limit := s.listing(c), c.params.limit(100, 1000)
	from, to := c.span()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	body := []fundingBody{}
	for _, p := range s.Exchange().FundingPayments(l.Symbol) {
		if within(p.Time, from, to) {
			body = append(body, fundingBody{
				Symbol: l.Symbol, FundingTime: millis(p.Time), FundingRate: money(p.Rate), MarkPrice: money(p.Mark),
			})
		}
	}
	return firstOrLast(body, limit, !from.IsZero()), nil
}

func (s *Sim) fundingInfo(*call) (any, *apiError) { return []struct{}{}, nil }

func (s *Sim) openInterest(c *call) (any, *apiError) {
	l := s.listing(c)
	if l == nil {
		return nil, c.params.invalid
	}
	return struct {
		OpenInterest string `json:"openInterest"`
		Symbol       string `json:"symbol"`
		Time         int64  `json:"time"`
	}{l.qty(s.Exchange().OpenInterest(l.Symbol)), l.Symbol, s.Clock.Now().UnixMilli()}, nil
}

type priceBody struct {
	Symbol string `json:"symbol"`
	Price  string `json:"price"`
	Time   int64  `json:"time"`
}

func (s *Sim) tickerPrice(c *call) (any, *apiError) {
	return eachListing(s, c, func(l *listing) priceBody {
		return priceBody{Symbol: l.Symbol, Price: l.price(s.Exchange().LastPrice(l.Symbol)), Time: s.Clock.Now().UnixMilli()}
	})
}

type bookTickerBody struct {
	Symbol       string `json:"symbol"`
	BidPrice     string `json:"bidPrice"`
	BidQty       string `json:"bidQty"`
	AskPrice     string `json:"askPrice"`
	AskQty       string `json:"askQty"`
	Time         int64  `json:"time"`
	LastUpdateID int64  `json:"lastUpdateId"`
}

func (s *Sim) bookTicker(c *call) (any, *apiError) {
	return eachListing(s, c, func(l *listing) bookTickerBody {
		book, _ := s.Exchange().Book(l.Symbol, 1)
		bid, ask := first(book.Bids), first(book.Asks)
		return bookTickerBody{
			Symbol: l.Symbol, BidPrice: l.price(bid.Price), BidQty: l.qty(bid.Qty),
			AskPrice: l.price(ask.Price), AskQty: l.qty(ask.Qty),
			Time: millis(book.Time), LastUpdateID: book.UpdateID,
		}
	})
}

func first(levels []simcore.Level) simcore.Level {
	if len(levels) == 0 {
		return simcore.Level{Price: decimal.Zero, Qty: decimal.Zero}
	}
	return levels[0]
}
