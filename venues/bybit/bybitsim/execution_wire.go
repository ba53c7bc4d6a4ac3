package bybitsim

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// execution is a fill or a funding payment, in REST lists and, with its
// category, in the private stream.
type execution struct {
	Category        string `json:"category,omitempty"`
	Symbol          string `json:"symbol"`
	ClosedSize      string `json:"closedSize"`
	ExecFee         string `json:"execFee"`
	ExecID          string `json:"execId"`
	ExecPrice       string `json:"execPrice"`
	ExecQty         string `json:"execQty"`
	ExecType        string `json:"execType"`
	ExecValue       string `json:"execValue"`
	FeeRate         string `json:"feeRate"`
	TradeIv         string `json:"tradeIv"`
	MarkIv          string `json:"markIv"`
	BlockTradeID    string `json:"blockTradeId"`
	MarkPrice       string `json:"markPrice"`
	IndexPrice      string `json:"indexPrice"`
	UnderlyingPrice string `json:"underlyingPrice"`
	LeavesQty       string `json:"leavesQty"`
	OrderID         string `json:"orderId"`
	OrderLinkID     string `json:"orderLinkId"`
	OrderPrice      string `json:"orderPrice"`
	OrderQty        string `json:"orderQty"`
	OrderType       string `json:"orderType"`
	StopOrderType   string `json:"stopOrderType"`
	Side            string `json:"side"`
	ExecTime        string `json:"execTime"`
	IsLeverage      string `json:"isLeverage"`
	IsMaker         bool   `json:"isMaker"`
	Seq             int64  `json:"seq"`
	MarketUnit      string `json:"marketUnit"`
	ExecPnl         string `json:"execPnl"`
	CreateType      string `json:"createType"`
	ExtraFees       string `json:"extraFees"`
	FeeCurrency     string `json:"feeCurrency"`

	at time.Time
}

// executionOf returns a fill with its order and its position after it.
func executionOf(event *simcore.OrderEvent, seq int64) execution {
	o, f, detail := &event.Order, event.Fill, detailOf(event.Order.Detail)
	return execution{
		Symbol: o.Symbol, ClosedSize: closedSize(event).String(), ExecFee: money(f.Fee), ExecID: executionID(f.TradeID, f.Maker),
		ExecPrice: f.Price.String(), ExecQty: f.Qty.String(), ExecType: execType(o), ExecValue: money(f.Quote), FeeRate: feeRateOf(f).String(),
		MarkPrice: event.Position.MarkPrice.String(), LeavesQty: o.Qty().Sub(o.FilledQty()).String(),
		OrderID: uuidOf(o.ID), OrderLinkID: o.ClientID, OrderPrice: priceOf(o).String(), OrderQty: o.Qty().String(),
		OrderType: typeName(o.Type), StopOrderType: orUnknown(detail.stopOrderType), Side: sideName(o.Side),
		ExecTime: millisText(f.Time), IsLeverage: "0", IsMaker: f.Maker, Seq: seq, ExecPnl: money(f.RealizedPnL),
		CreateType: detail.createType, FeeCurrency: "USDT", at: f.Time,
	}
}

// priceOf returns the price of an order: that of a market order is its cap.
func priceOf(o *simcore.Order) decimal.Decimal {
	if o.Type == simcore.Market {
		return detailOf(o.Detail).slippageCap
	}
	return o.Price()
}

// execType returns the kind of the executions of an order.
func execType(o *simcore.Order) string {
	if o.Liquidation {
		return "BustTrade"
	}
	return "Trade"
}

// closedSize returns how much of the position a fill closed.
func closedSize(event *simcore.OrderEvent) decimal.Decimal {
	signed := event.Fill.Qty.Mul(decimal.NewFromInt(int64(event.Order.Side)))
	before := event.Position.Qty.Sub(signed)
	if before.Sign()*signed.Sign() >= 0 {
		return zero
	}
	return decimal.Min(before.Abs(), signed.Abs())
}

// fundingOf returns a funding payment. A positive fee was paid.
func fundingOf(event *simcore.AccountEvent, at time.Time, seq int64) execution {
	p, side := &event.Funded, simcore.Buy
	if p.Qty.IsNegative() {
		side = simcore.Sell
	}
	return execution{
		Symbol: event.Symbol, ClosedSize: "0", ExecFee: money(event.Change.Neg()),
		ExecID: uuidOf(event.ChangeID), ExecPrice: p.MarkPrice.String(), ExecQty: p.Qty.Abs().String(), ExecType: "Funding",
		ExecValue: money(p.Notional.Abs()), FeeRate: event.FundingRate.String(), MarkPrice: p.MarkPrice.String(), LeavesQty: "0",
		OrderID:    strconv.FormatInt(at.Unix(), 10) + "-" + event.Symbol + "-" + userID(event.Account) + "-" + sideName(side),
		OrderPrice: "0", OrderQty: "0", OrderType: unknown, StopOrderType: unknown, Side: sideName(side),
		ExecTime: millisText(at), IsLeverage: "0", Seq: seq, ExecPnl: "0", FeeCurrency: "USDT", at: at,
	}
}

func orUnknown(word string) string {
	if word == "" {
		return unknown
	}
	return word
}
