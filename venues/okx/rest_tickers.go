package okx

import (
	"context"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// allInstruments in the place of an instrument requests the funding of all.
const allInstruments = "ANY"

// Tickers returns the ticker of an instrument, or of all if symbol is empty. The venue has its
// parts in several lists, and no turnover.
func (c *Connector) Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error) {
	lists, err := c.tickerLists(ctx, symbol)
	if err != nil {
		return nil, err
	}
	var days, marks, fundings, indices map[string]tickerRecord
	for _, part := range []struct {
		into     *map[string]tickerRecord
		requests []request
	}{{&days, lists.days}, {&marks, lists.marks}, {&fundings, lists.fundings}, {&indices, lists.indices}} {
		if *part.into, err = c.readTickers(ctx, part.requests); err != nil {
			return nil, err
		}
	}
	if len(days) == 0 {
		return nil, malformed(lists.days[0], payload.Missing("instId"))
	}
	tickers := make([]venues.Ticker, 0, len(days))
	for id, day := range days {
		if k := c.instruments.Load().byVenueSymbol(id); k != nil {
			mark, funding, index := marks[id], fundings[id], indices[indexOf(k)]
			tickers = append(tickers, tickerOf(k, &day, &mark, &funding, &index))
		}
	}
	return tickers, nil
}

// tickerLists are the requests for the parts of tickers.
type tickerLists struct{ days, marks, fundings, indices []request }

// tickerLists returns the requests about an instrument, or about all if symbol is empty.
func (c *Connector) tickerLists(ctx context.Context, symbol string) (l tickerLists, err error) {
	read := func(path string, perWindow int, p restclient.Params) request {
		return publicRead(path, p, perWindow, restclient.PriorityHistory)
	}
	day, mark, funding, index := "/api/v5/market/tickers", "/api/v5/public/mark-price", "/api/v5/public/funding-rate", "/api/v5/market/index-tickers"
	if symbol == "" {
		for _, instType := range []string{instTypeSwap, instTypeFutures} {
			l.days = append(l.days, read(day, 20, restclient.Params{{"instType", instType}}))
			l.marks = append(l.marks, read(mark, 10, restclient.Params{{"instType", instType}}))
		}
		for _, quote := range venues.SettleCurrencies() {
			l.indices = append(l.indices, read(index, 20, restclient.Params{{"quoteCcy", quote}}))
		}
		l.fundings = []request{read(funding, 10, restclient.Params{{"instId", allInstruments}})}
		return l, c.ensureInstruments(ctx, false)
	}
	k, err := c.instrument(ctx, symbol)
	if err != nil {
		return l, err
	}
	id := restclient.Params{{"instId", k.VenueSymbol}}
	l.days = []request{read("/api/v5/market/ticker", 20, id)}
	l.marks = []request{read(mark, 10, id.With("instType", k.instType))}
	l.indices = []request{read(index, 20, restclient.Params{{"instId", indexOf(k)}})}
	if k.instType == instTypeSwap {
		l.fundings = []request{read(funding, 10, id)}
	}
	return l, nil
}

// indexOf returns the name of the index of an instrument.
func indexOf(k *instrument) string { return k.BaseCurrency + "-" + k.QuoteCurrency }

// readTickers reads lists by instId.
func (c *Connector) readTickers(ctx context.Context, requests []request) (map[string]tickerRecord, error) {
	byID := make(map[string]tickerRecord)
	for _, r := range requests {
		var rows []tickerRecord
		if err := c.call(ctx, r, &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Symbol == "" {
				return nil, malformed(r, payload.Missing("instId"))
			}
			byID[row.Symbol] = row
		}
	}
	return byID, nil
}

// tickerRecord is a row of the lists of tickers, mark prices, funding rates and indices, of
// which each has a part of the members.
type tickerRecord struct {
	Symbol      string         `json:"instId"`
	Last        payload.Number `json:"last"`
	Bid         payload.Number `json:"bidPx"`
	BidSize     payload.Number `json:"bidSz"`
	Ask         payload.Number `json:"askPx"`
	AskSize     payload.Number `json:"askSz"`
	High        payload.Number `json:"high24h"`
	Low         payload.Number `json:"low24h"`
	Volume      payload.Number `json:"volCcy24h"` // in base coin
	Mark        payload.Number `json:"markPx"`
	Index       payload.Number `json:"idxPx"`
	FundingRate payload.Number `json:"fundingRate"`
	FundingTime milliTime      `json:"fundingTime"` // of the next one
	Time        milliTime      `json:"ts"`
}

func tickerOf(k *instrument, day, mark, funding, index *tickerRecord) venues.Ticker {
	t := venues.Ticker{
		Exchange: venues.OKX, Symbol: k.Symbol, Last: day.Last.Positive(),
		Bid: day.Bid.Positive(), BidQty: k.toBaseOptional(day.BidSize.Positive()),
		Ask: day.Ask.Positive(), AskQty: k.toBaseOptional(day.AskSize.Positive()),
		Mark: mark.Mark.Positive(), Index: index.Index.Positive(),
		FundingRate: funding.FundingRate.Optional, NextFundingAt: venues.At(funding.FundingTime.Time),
		High: day.High.Positive(), Low: day.Low.Positive(), Volume: day.Volume.Optional,
		VenueTime: venues.At(day.Time.Time),
	}
	if mark.Time.After(day.Time.Time) {
		t.VenueTime = venues.At(mark.Time.Time)
	}
	return t
}
