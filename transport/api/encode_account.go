package api

import (
	"venuegate/venues"
)

// AppendPosition writes a position record. Reason is there in the stream's last
// word on a closed position alone.
func AppendPosition(dst []byte, p *venues.Position) []byte {
	dst = append(dst, '{')
	dst = text(dst, "exchange", string(p.Exchange))
	dst = text(dst, "symbol", p.Symbol)
	dst = text(dst, "side", string(p.Side))
	dst = number(dst, "qty", p.Qty)
	dst = nullableNumber(dst, "entryPrice", p.EntryPrice)
	dst = nullableNumber(dst, "markPrice", p.MarkPrice)
	dst = nullableNumber(dst, "liquidationPrice", p.LiquidationPrice)
	dst = nullableNumber(dst, "unrealizedPnl", p.UnrealizedPnl)
	dst = nullableNumber(dst, "leverage", p.Leverage)
	dst = nullableText(dst, "accountType", p.AccountType)
	dst = nullableText(dst, "marginMode", string(p.MarginMode))
	dst = nullableNumber(dst, "stopLoss", p.StopLoss)
	dst = nullableNumber(dst, "takeProfit", p.TakeProfit)
	dst = moment(dst, "openedAt", p.OpenedAt)
	dst = moment(dst, "updatedAt", p.UpdatedAt)
	if p.Reason != "" {
		dst = text(dst, "reason", string(p.Reason))
	}
	return closeObject(dst)
}

// AppendBalance writes an account record.
func AppendBalance(dst []byte, b *venues.Balance) []byte {
	dst = append(dst, '{')
	dst = text(dst, "exchange", string(b.Exchange))
	dst = text(dst, "accountType", b.AccountType)
	dst = number(dst, "equity", b.Equity)
	dst = number(dst, "available", b.Available)
	dst = number(dst, "usedMargin", b.UsedMargin)
	dst = number(dst, "unrealizedPnl", b.UnrealizedPnl)
	dst = text(dst, "currency", b.Currency)
	return closeObject(dst)
}

// AppendVenueList writes {"items":[...]}, and "errors":[{exchange, code,
// message}] if some of the venues did not answer.
func AppendVenueList[T any](dst []byte, items []T, each func([]byte, *T) []byte, failures []venues.VenueFailure) []byte {
	if len(failures) == 0 {
		return AppendList(dst, items, each)
	}
	dst = append(appendItems(append(dst, '{'), items, each), ',')
	dst = AppendArray(name(dst, "errors"), failures, appendVenueFailure)
	return append(dst, '}')
}

func appendVenueFailure(dst []byte, f *venues.VenueFailure) []byte {
	dst = append(dst, '{')
	dst = text(dst, "exchange", string(f.Exchange))
	dst = text(dst, "code", string(f.Error.Code))
	dst = text(dst, "message", f.Error.Message)
	return closeObject(dst)
}

// AppendInstrument writes an instrument record.
func AppendInstrument(dst []byte, i *venues.Instrument) []byte {
	dst = append(dst, '{')
	dst = text(dst, "symbol", i.Symbol)
	dst = text(dst, "exchange", string(i.Exchange))
	dst = text(dst, "kind", string(i.Kind))
	dst = number(dst, "tickSize", i.TickSize)
	dst = number(dst, "minQty", i.MinQty)
	dst = text(dst, "status", string(i.Status))
	dst = number(dst, "qtyStep", i.QtyStep)
	dst = nullableNumber(dst, "minNotional", i.MinNotional)
	dst = nullableNumber(dst, "maxQty", i.MaxQty)
	dst = nullableNumber(dst, "maxMarketQty", i.MaxMarketQty)
	dst = number(dst, "contractSize", i.ContractSize)
	dst = text(dst, "baseCurrency", i.BaseCurrency)
	dst = text(dst, "quoteCurrency", i.QuoteCurrency)
	dst = text(dst, "settleCurrency", i.SettleCurrency)
	dst = nullableNumber(dst, "maxLeverage", i.MaxLeverage)
	dst = text(dst, "venueSymbol", i.VenueSymbol)
	dst = moment(dst, "updatedAt", i.UpdatedAt)
	return closeObject(dst)
}

// AppendLeverage writes the answer to POST /v1/positions/leverage.
func AppendLeverage(dst []byte, c *venues.LeverageChange) []byte {
	dst = append(dst, '{')
	dst = text(dst, "exchange", string(c.Exchange))
	dst = text(dst, "symbol", c.Symbol)
	dst = number(dst, "leverage", c.Leverage)
	dst = nullableNumber(dst, "previousLeverage", c.PreviousLeverage)
	return closeObject(dst)
}
