package api

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// AppendOrder writes an order record.
func AppendOrder(dst []byte, o *venues.Order) []byte {
	dst = append(dst, '{')
	dst = text(dst, "orderId", o.OrderID)
	dst = nullableText(dst, "requestId", o.RequestID)
	dst = text(dst, "exchange", string(o.Exchange))
	dst = text(dst, "symbol", o.Symbol)
	dst = text(dst, "side", string(o.Side))
	dst = text(dst, "type", string(o.Type))
	dst = text(dst, "status", string(o.Status))
	dst = nullableText(dst, "pendingAction", string(o.PendingAction))
	dst = number(dst, "qty", o.Qty)
	dst = number(dst, "filledQty", o.FilledQty)
	dst = appendRemaining(dst, o)
	dst = nullableNumber(dst, "price", o.Price)
	dst = nullableNumber(dst, "triggerPrice", o.TriggerPrice)
	dst = nullableNumber(dst, "avgPrice", o.AvgPrice)
	dst = nullableNumber(dst, "stopLoss", o.StopLoss)
	dst = nullableNumber(dst, "takeProfit", o.TakeProfit)
	dst = appendProtection(dst, o.Protection)
	dst = boolean(dst, "reduceOnly", o.ReduceOnly)
	dst = boolean(dst, "postOnly", o.PostOnly)
	dst = nullableText(dst, "timeInForce", string(o.TimeInForce))
	dst = nullableNumber(dst, "fee", o.Fee)
	dst = nullableText(dst, "feeCurrency", o.FeeCurrency)
	dst = text(dst, "source", string(o.Source))
	dst = nullableText(dst, "channelId", o.ChannelID)
	dst = nullableText(dst, "comment", o.Comment)
	dst = nullableText(dst, "venueOrderId", o.VenueOrderID)
	dst = nullableText(dst, "replaces", o.Replaces)
	dst = nullableText(dst, "replacedBy", o.ReplacedBy)
	dst = appendOrderFault(dst, o.Error)
	dst = moment(dst, "createdAt", o.CreatedAt)
	dst = moment(dst, "updatedAt", o.UpdatedAt)
	return closeObject(dst)
}

// appendRemaining spares the decimal subtraction where int64 suffices: it would
// be the only allocation of the record.
func appendRemaining(dst []byte, o *venues.Order) []byte {
	qtyPlaces, small := venues.Scaled(o.Qty)
	filledPlaces, alsoSmall := venues.Scaled(o.FilledQty)
	places := max(qtyPlaces, filledPlaces)
	if o.Status.IsClosed() || !small || !alsoSmall {
		return number(dst, "remainingQty", o.RemainingQty())
	}
	qty, fits := shift(o.Qty, places-qtyPlaces)
	filled, alsoFits := shift(o.FilledQty, places-filledPlaces)
	if !fits || !alsoFits {
		return number(dst, "remainingQty", o.RemainingQty())
	}
	dst = append(name(dst, "remainingQty"), '"')
	return append(venues.AppendFixed(dst, qty-filled, places), '"', ',')
}

// shift multiplies the coefficient of d by 10^n, if the product has at most 18
// digits.
func shift(d decimal.Decimal, n int) (coefficient int64, fits bool) {
	if d.NumDigits()+n > venues.DecimalDigitsMax {
		return 0, false
	}
	coefficient = d.CoefficientInt64()
	for range n {
		coefficient *= 10
	}
	return coefficient, true
}

func appendProtection(dst []byte, p *venues.Protection) []byte {
	if p == nil {
		return null(dst, "protection")
	}
	dst = append(name(dst, "protection"), '{')
	dst = appendLeg(dst, "stopLoss", p.StopLoss)
	dst = appendLeg(dst, "takeProfit", p.TakeProfit)
	return append(closeObject(dst), ',')
}

func appendLeg(dst []byte, member string, leg *venues.ProtectionLeg) []byte {
	if leg == nil {
		return null(dst, member)
	}
	dst = append(name(dst, member), '{')
	dst = text(dst, "status", string(leg.Status))
	dst = number(dst, "price", leg.Price)
	dst = nullableText(dst, "orderId", leg.OrderID)
	return append(closeObject(dst), ',')
}

func appendOrderFault(dst []byte, f *venues.OrderFault) []byte {
	if f == nil {
		return null(dst, "error")
	}
	dst = append(name(dst, "error"), '{')
	dst = text(dst, "code", string(f.Code))
	dst = text(dst, "message", f.Message)
	dst = nullableText(dst, "reason", f.Reason)
	dst = nullableText(dst, "venueCode", f.VenueCode)
	dst = nullableText(dst, "venueMessage", f.VenueMessage)
	return append(closeObject(dst), ',')
}

// AppendFill writes a fill record.
func AppendFill(dst []byte, f *venues.Fill) []byte {
	dst = append(dst, '{')
	dst = text(dst, "fillId", f.FillID)
	dst = nullableText(dst, "orderId", f.OrderID)
	dst = nullableText(dst, "requestId", f.RequestID)
	dst = text(dst, "exchange", string(f.Exchange))
	dst = text(dst, "symbol", f.Symbol)
	dst = text(dst, "side", string(f.Side))
	dst = number(dst, "qty", f.Qty)
	dst = number(dst, "price", f.Price)
	dst = nullableNumber(dst, "fee", f.Fee)
	dst = nullableText(dst, "feeCurrency", f.FeeCurrency)
	dst = nullableText(dst, "liquidity", string(f.Liquidity))
	dst = nullableNumber(dst, "realizedPnl", f.RealizedPnl)
	dst = text(dst, "source", string(f.Source))
	dst = text(dst, "venueTradeId", f.VenueTradeID)
	dst = moment(dst, "executedAt", f.ExecutedAt)
	return closeObject(dst)
}

// AppendCancelResult writes one item of the answer to DELETE /v1/orders; error
// is there for the results failed and unknown alone.
func AppendCancelResult(dst []byte, r *venues.CancelResult) []byte {
	dst = append(dst, '{')
	dst = text(dst, "orderId", r.OrderID)
	dst = text(dst, "exchange", string(r.Exchange))
	dst = text(dst, "symbol", r.Symbol)
	dst = text(dst, "result", r.Result)
	if r.Error != nil {
		dst = append(name(dst, "error"), '{')
		dst = text(dst, "code", string(r.Error.Code))
		dst = text(dst, "message", r.Error.Message)
		dst = append(closeObject(dst), ',')
	}
	return closeObject(dst)
}
