package api

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// AppendOrder appends an order record.
func AppendOrder(dst []byte, o *venues.Order) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "orderId", o.OrderID)
	dst = textOrNullField(dst, "requestId", o.RequestID)
	dst = textField(dst, "exchange", string(o.Exchange))
	dst = textField(dst, "symbol", o.Symbol)
	dst = textField(dst, "side", string(o.Side))
	dst = textField(dst, "type", string(o.Type))
	dst = textField(dst, "status", string(o.Status))
	dst = textOrNullField(dst, "pendingAction", string(o.PendingAction))
	dst = numberField(dst, "qty", o.Qty)
	dst = numberField(dst, "filledQty", o.FilledQty)
	dst = appendRemaining(dst, o)
	dst = numberOrNullField(dst, "price", o.Price)
	dst = numberOrNullField(dst, "triggerPrice", o.TriggerPrice)
	dst = numberOrNullField(dst, "avgPrice", o.AvgPrice)
	dst = numberOrNullField(dst, "stopLoss", o.StopLoss)
	dst = numberOrNullField(dst, "takeProfit", o.TakeProfit)
	dst = appendProtection(dst, o.Protection)
	dst = boolField(dst, "reduceOnly", o.ReduceOnly)
	dst = boolField(dst, "postOnly", o.PostOnly)
	dst = textOrNullField(dst, "timeInForce", string(o.TimeInForce))
	dst = numberOrNullField(dst, "fee", o.Fee)
	dst = textOrNullField(dst, "feeCurrency", o.FeeCurrency)
	dst = textField(dst, "source", string(o.Source))
	dst = textOrNullField(dst, "channelId", o.ChannelID)
	dst = textOrNullField(dst, "comment", o.Comment)
	dst = textOrNullField(dst, "venueOrderId", o.VenueOrderID)
	dst = textOrNullField(dst, "replaces", o.Replaces)
	dst = textOrNullField(dst, "replacedBy", o.ReplacedBy)
	dst = textOrNullField(dst, "entryOrderId", o.EntryOrderID)
	dst = textOrNullField(dst, "protects", string(o.Protects))
	dst = appendRejectReason(dst, o.Error)
	dst = timeField(dst, "createdAt", o.CreatedAt)
	dst = timeField(dst, "updatedAt", o.UpdatedAt)
	return closeObject(dst)
}

// appendRemaining subtracts in int64 where that suffices: the subtraction of
// decimals would be the only allocation of the record.
func appendRemaining(dst []byte, o *venues.Order) []byte {
	qtyPlaces, small := venues.Scaled(o.Qty)
	filledPlaces, alsoSmall := venues.Scaled(o.FilledQty)
	places := max(qtyPlaces, filledPlaces)
	if o.Status.IsClosed() || !small || !alsoSmall {
		return numberField(dst, "remainingQty", o.RemainingQty())
	}
	qty, fits := shift(o.Qty, places-qtyPlaces)
	filled, alsoFits := shift(o.FilledQty, places-filledPlaces)
	if !fits || !alsoFits {
		return numberField(dst, "remainingQty", o.RemainingQty())
	}
	dst = append(fieldName(dst, "remainingQty"), '"')
	return append(venues.AppendFixed(dst, qty-filled, places), '"', ',')
}

// shift returns the coefficient of d multiplied by 10^n. fits is false if the
// product has more than 18 digits.
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
		return nullField(dst, "protection")
	}
	dst = append(fieldName(dst, "protection"), '{')
	dst = appendLeg(dst, "stopLoss", p.StopLoss)
	dst = appendLeg(dst, "takeProfit", p.TakeProfit)
	return append(closeObject(dst), ',')
}

func appendLeg(dst []byte, name string, leg *venues.ProtectionLeg) []byte {
	if leg == nil {
		return nullField(dst, name)
	}
	dst = append(fieldName(dst, name), '{')
	dst = textField(dst, "status", string(leg.Status))
	dst = numberField(dst, "price", leg.Price)
	dst = textOrNullField(dst, "orderId", leg.OrderID)
	return append(closeObject(dst), ',')
}

func appendRejectReason(dst []byte, r *venues.RejectReason) []byte {
	if r == nil {
		return nullField(dst, "error")
	}
	dst = append(fieldName(dst, "error"), '{')
	dst = textField(dst, "code", string(r.Code))
	dst = textField(dst, "message", r.Message)
	dst = textOrNullField(dst, "reason", r.Reason)
	dst = textOrNullField(dst, "venueCode", r.VenueCode)
	dst = textOrNullField(dst, "venueMessage", r.VenueMessage)
	return append(closeObject(dst), ',')
}

// AppendFill appends a fill record.
func AppendFill(dst []byte, f *venues.Fill) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "fillId", f.FillID)
	dst = textOrNullField(dst, "orderId", f.OrderID)
	dst = textOrNullField(dst, "requestId", f.RequestID)
	dst = textField(dst, "exchange", string(f.Exchange))
	dst = textField(dst, "symbol", f.Symbol)
	dst = textField(dst, "side", string(f.Side))
	dst = numberField(dst, "qty", f.Qty)
	dst = numberField(dst, "price", f.Price)
	dst = numberOrNullField(dst, "fee", f.Fee)
	dst = textOrNullField(dst, "feeCurrency", f.FeeCurrency)
	dst = textOrNullField(dst, "liquidity", string(f.Liquidity))
	dst = numberOrNullField(dst, "realizedPnl", f.RealizedPnl)
	dst = textField(dst, "source", string(f.Source))
	dst = textField(dst, "venueTradeId", f.VenueTradeID)
	dst = timeField(dst, "executedAt", f.ExecutedAt)
	return closeObject(dst)
}

// AppendCancelResult appends one item of the response to DELETE /v1/orders. Only
// the results failed and unknown have an error.
func AppendCancelResult(dst []byte, r *venues.CancelResult) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "orderId", r.OrderID)
	dst = textField(dst, "exchange", string(r.Exchange))
	dst = textField(dst, "symbol", r.Symbol)
	dst = textField(dst, "result", r.Result)
	if r.Error != nil {
		dst = append(fieldName(dst, "error"), '{')
		dst = textField(dst, "code", string(r.Error.Code))
		dst = textField(dst, "message", r.Error.Message)
		dst = append(closeObject(dst), ',')
	}
	return closeObject(dst)
}
