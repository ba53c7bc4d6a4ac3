package bybit

import (
	"context"
	"slices"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Tickers returns the ticker of an instrument, or of all if symbol is empty.
func (c *Connector) Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error) {
	params := restclient.Params{{"category", category}}
	if symbol != "" {
		i, err := c.instruments.Get(symbol)
		if err != nil {
			return nil, err
		}
		params = params.With("symbol", i.VenueSymbol)
	}
	r := get("/v5/market/tickers", params, nil, restclient.PriorityHistory)
	var answer struct {
		List []tickerRecord `json:"list"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	if len(answer.List) == 0 || slices.ContainsFunc(answer.List, func(t tickerRecord) bool { return t.Symbol == "" }) {
		return nil, malformed(r, payload.Missing("symbol"))
	}
	// The answer's own time is not part of the result.
	now := venues.At(c.Clock.Now())
	tickers := make([]venues.Ticker, 0, len(answer.List))
	for n := range answer.List {
		row := &answer.List[n]
		if i, listed := c.instruments.Load().Find(row.Symbol); listed && i.VenueSymbol == row.Symbol {
			tickers = append(tickers, row.ticker(i.Symbol, now))
		}
	}
	return tickers, nil
}

// tickerRecord is a row of GET /v5/market/tickers.
type tickerRecord struct {
	Symbol      string         `json:"symbol"`
	Last        payload.Number `json:"lastPrice"`
	Bid         payload.Number `json:"bid1Price"`
	BidQty      payload.Number `json:"bid1Size"`
	Ask         payload.Number `json:"ask1Price"`
	AskQty      payload.Number `json:"ask1Size"`
	Mark        payload.Number `json:"markPrice"`
	Index       payload.Number `json:"indexPrice"`
	FundingRate payload.Number `json:"fundingRate"`
	NextFunding integer        `json:"nextFundingTime"`
	High        payload.Number `json:"highPrice24h"`
	Low         payload.Number `json:"lowPrice24h"`
	Volume      payload.Number `json:"volume24h"`
	Turnover    payload.Number `json:"turnover24h"`
}

func (r *tickerRecord) ticker(symbol string, at venues.Time) venues.Ticker {
	t := venues.Ticker{
		Exchange: venues.Bybit, Symbol: symbol, Last: r.Last.Positive(),
		Bid: r.Bid.Positive(), BidQty: r.BidQty.Positive(), Ask: r.Ask.Positive(), AskQty: r.AskQty.Positive(),
		Mark: r.Mark.Positive(), Index: r.Index.Positive(), High: r.High.Positive(), Low: r.Low.Positive(),
		Volume: r.Volume.Optional, Turnover: r.Turnover.Optional, VenueTime: at,
	}
	if next := r.NextFunding.time(); !next.IsZero() { // dated futures have no funding
		t.FundingRate, t.NextFundingAt = r.FundingRate.Optional, venues.At(next)
	}
	return t
}
