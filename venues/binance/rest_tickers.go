package binance

import (
	"context"
	"encoding/json"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Tickers returns the ticker of an instrument, or of all if symbol is empty. The venue has its
// parts in three lists.
func (c *Connector) Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error) {
	params := restclient.Params{}
	if symbol != "" {
		i, err := c.instruments.Get(symbol)
		if err != nil {
			return nil, err
		}
		params = restclient.Params{{"symbol", i.VenueSymbol}}
	}
	days, err := readTickers[dayRecord](ctx, c, "/fapi/v1/ticker/24hr", params, 1, 40)
	if err != nil {
		return nil, err
	}
	quotes, err := readTickers[bookTickerRecord](ctx, c, "/fapi/v1/ticker/bookTicker", params, 2, 5)
	if err != nil {
		return nil, err
	}
	premiums, err := readTickers[premiumRecord](ctx, c, "/fapi/v1/premiumIndex", params, 1, 10)
	if err != nil {
		return nil, err
	}
	tickers := make([]venues.Ticker, 0, len(days))
	for venueSymbol, day := range days {
		if i, listed := c.instruments.Load().Find(venueSymbol); listed && i.VenueSymbol == venueSymbol {
			quote, premium := quotes[venueSymbol], premiums[venueSymbol]
			tickers = append(tickers, tickerOf(i.Symbol, &day, &quote, &premium))
		}
	}
	return tickers, nil
}

// readTickers reads a list, or its only record, by symbol.
func readTickers[T interface{ symbol() string }](ctx context.Context, c *Connector, path string, params restclient.Params, weight, weightOfAll int) (map[string]T, error) {
	r := request{method: http.MethodGet, path: path, priority: restclient.PriorityHistory, weight: weight, params: params}
	if len(params) == 0 {
		r.weight = weightOfAll
	}
	var answer json.RawMessage
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	rows := make([]T, 1)
	var into any = &rows[0]
	if len(params) == 0 {
		into = &rows
	}
	if err := payload.Decode(answer, into); err != nil {
		return nil, malformed(r, err)
	}
	bySymbol := make(map[string]T, len(rows))
	for _, row := range rows {
		bySymbol[row.symbol()] = row
	}
	if _, unnamed := bySymbol[""]; unnamed || len(rows) == 0 {
		return nil, malformed(r, payload.Missing("symbol"))
	}
	return bySymbol, nil
}

// dayRecord is a row of GET /fapi/v1/ticker/24hr.
type dayRecord struct {
	Symbol    string         `json:"symbol"`
	Last      payload.Number `json:"lastPrice"`
	High      payload.Number `json:"highPrice"`
	Low       payload.Number `json:"lowPrice"`
	Volume    payload.Number `json:"volume"`
	Turnover  payload.Number `json:"quoteVolume"`
	CloseTime int64          `json:"closeTime"`
}

// bookTickerRecord is a row of GET /fapi/v1/ticker/bookTicker.
type bookTickerRecord struct {
	Symbol string         `json:"symbol"`
	Bid    payload.Number `json:"bidPrice"`
	BidQty payload.Number `json:"bidQty"`
	Ask    payload.Number `json:"askPrice"`
	AskQty payload.Number `json:"askQty"`
	Time   int64          `json:"time"`
}

// premiumRecord is a row of GET /fapi/v1/premiumIndex.
type premiumRecord struct {
	Symbol      string         `json:"symbol"`
	Mark        payload.Number `json:"markPrice"`
	Index       payload.Number `json:"indexPrice"`
	FundingRate payload.Number `json:"lastFundingRate"`
	NextFunding int64          `json:"nextFundingTime"`
	Time        int64          `json:"time"`
}

func (r dayRecord) symbol() string        { return r.Symbol }
func (r bookTickerRecord) symbol() string { return r.Symbol }
func (r premiumRecord) symbol() string    { return r.Symbol }

func tickerOf(symbol string, day *dayRecord, quote *bookTickerRecord, premium *premiumRecord) venues.Ticker {
	t := venues.Ticker{
		Exchange: venues.Binance, Symbol: symbol, Last: day.Last.Positive(),
		Bid: quote.Bid.Positive(), BidQty: quote.BidQty.Positive(), Ask: quote.Ask.Positive(), AskQty: quote.AskQty.Positive(),
		Mark: premium.Mark.Positive(), Index: premium.Index.Positive(),
		High: day.High.Positive(), Low: day.Low.Positive(), Volume: day.Volume.Optional, Turnover: day.Turnover.Optional,
		VenueTime: venues.At(payload.Millis(max(day.CloseTime, quote.Time, premium.Time))),
	}
	if next := payload.Millis(premium.NextFunding); !next.IsZero() { // dated futures have no funding
		t.FundingRate, t.NextFundingAt = premium.FundingRate.Optional, venues.At(next)
	}
	return t
}
