package api

import "venuegate/venues"

// AppendPosition appends a position record. Only the stream's last message about a
// closed position has a reason.
func AppendPosition(dst []byte, p *venues.Position) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "exchange", string(p.Exchange))
	dst = textField(dst, "symbol", p.Symbol)
	dst = textField(dst, "side", string(p.Side))
	dst = numberField(dst, "qty", p.Qty)
	dst = numberOrNullField(dst, "entryPrice", p.EntryPrice)
	dst = numberOrNullField(dst, "markPrice", p.MarkPrice)
	dst = numberOrNullField(dst, "liquidationPrice", p.LiquidationPrice)
	dst = numberOrNullField(dst, "unrealizedPnl", p.UnrealizedPnl)
	dst = numberOrNullField(dst, "leverage", p.Leverage)
	dst = textOrNullField(dst, "accountType", p.AccountType)
	dst = textOrNullField(dst, "marginMode", string(p.MarginMode))
	dst = numberOrNullField(dst, "stopLoss", p.StopLoss)
	dst = numberOrNullField(dst, "takeProfit", p.TakeProfit)
	dst = timeField(dst, "openedAt", p.OpenedAt)
	dst = timeField(dst, "updatedAt", p.UpdatedAt)
	if p.Reason != "" {
		dst = textField(dst, "reason", string(p.Reason))
	}
	return closeObject(dst)
}

// AppendBalance appends an account record.
func AppendBalance(dst []byte, b *venues.Balance) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "exchange", string(b.Exchange))
	dst = textField(dst, "accountType", b.AccountType)
	dst = numberField(dst, "equity", b.Equity)
	dst = numberField(dst, "available", b.Available)
	dst = numberField(dst, "usedMargin", b.UsedMargin)
	dst = numberField(dst, "unrealizedPnl", b.UnrealizedPnl)
	dst = textField(dst, "currency", b.Currency)
	return closeObject(dst)
}

// AppendVenueList appends {"items":[...]}, with "errors":[{exchange, code,
// message}] if some of the venues did not respond.
func AppendVenueList[T any](dst []byte, items []T, each func([]byte, *T) []byte, failures []venues.VenueFailure) []byte {
	if len(failures) == 0 {
		return AppendList(dst, items, each)
	}
	dst = append(appendItems(append(dst, '{'), items, each), ',')
	dst = AppendArray(fieldName(dst, "errors"), failures, appendVenueFailure)
	return append(dst, '}')
}

func appendVenueFailure(dst []byte, f *venues.VenueFailure) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "exchange", string(f.Exchange))
	dst = textField(dst, "code", string(f.Error.Code))
	dst = textField(dst, "message", f.Error.Message)
	return closeObject(dst)
}

// AppendInstrument appends an instrument record.
func AppendInstrument(dst []byte, i *venues.Instrument) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "symbol", i.Symbol)
	dst = textField(dst, "exchange", string(i.Exchange))
	dst = textField(dst, "kind", string(i.Kind))
	dst = numberField(dst, "tickSize", i.TickSize)
	dst = numberField(dst, "minQty", i.MinQty)
	dst = textField(dst, "status", string(i.Status))
	dst = numberField(dst, "qtyStep", i.QtyStep)
	dst = numberOrNullField(dst, "minNotional", i.MinNotional)
	dst = numberOrNullField(dst, "maxQty", i.MaxQty)
	dst = numberOrNullField(dst, "maxMarketQty", i.MaxMarketQty)
	dst = numberField(dst, "contractSize", i.ContractSize)
	dst = textField(dst, "baseCurrency", i.BaseCurrency)
	dst = textField(dst, "quoteCurrency", i.QuoteCurrency)
	dst = textField(dst, "settleCurrency", i.SettleCurrency)
	dst = numberOrNullField(dst, "maxLeverage", i.MaxLeverage)
	dst = textField(dst, "venueSymbol", i.VenueSymbol)
	dst = timeField(dst, "updatedAt", i.UpdatedAt)
	return closeObject(dst)
}

// AppendTicker appends a record of GET /v1/tickers.
func AppendTicker(dst []byte, t *venues.Ticker) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "exchange", string(t.Exchange))
	dst = textField(dst, "symbol", t.Symbol)
	dst = numberOrNullField(dst, "last", t.Last)
	dst = numberOrNullField(dst, "bid", t.Bid)
	dst = numberOrNullField(dst, "bidQty", t.BidQty)
	dst = numberOrNullField(dst, "ask", t.Ask)
	dst = numberOrNullField(dst, "askQty", t.AskQty)
	dst = numberOrNullField(dst, "mark", t.Mark)
	dst = numberOrNullField(dst, "index", t.Index)
	dst = numberOrNullField(dst, "fundingRate", t.FundingRate)
	dst = timeField(dst, "nextFundingAt", t.NextFundingAt)
	dst = numberOrNullField(dst, "high24h", t.High)
	dst = numberOrNullField(dst, "low24h", t.Low)
	dst = numberOrNullField(dst, "volume24h", t.Volume)
	dst = numberOrNullField(dst, "turnover24h", t.Turnover)
	dst = timeField(dst, "ts", t.VenueTime)
	return closeObject(dst)
}

// AppendLeverage appends the response to POST /v1/positions/leverage.
func AppendLeverage(dst []byte, c *venues.LeverageChange) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "exchange", string(c.Exchange))
	dst = textField(dst, "symbol", c.Symbol)
	dst = numberField(dst, "leverage", c.Leverage)
	dst = numberOrNullField(dst, "previousLeverage", c.PreviousLeverage)
	return closeObject(dst)
}

// AppendEvent appends the envelope of an outbound event. data is a JSON object made
// by the service and is copied unchanged.
func AppendEvent(dst []byte, id, eventType string, createdAt venues.Time, data []byte) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "id", id)
	dst = textField(dst, "type", eventType)
	dst = timeField(dst, "createdAt", createdAt)
	dst = append(append(fieldName(dst, "data"), data...), ',')
	return closeObject(dst)
}
