package binancesim

import (
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// algoBody is a conditional order in the venue's field order. The answer to its
// placement lacks the fields that are pointers.
type algoBody struct {
	AlgoID                  int64   `json:"algoId"`
	ClientAlgoID            string  `json:"clientAlgoId"`
	AlgoType                string  `json:"algoType"`
	OrderType               string  `json:"orderType"`
	Symbol                  string  `json:"symbol"`
	Side                    string  `json:"side"`
	PositionSide            string  `json:"positionSide"`
	TimeInForce             string  `json:"timeInForce"`
	Quantity                string  `json:"quantity"`
	AlgoStatus              string  `json:"algoStatus"`
	ActualOrderID           *string `json:"actualOrderId,omitempty"`
	ActualPrice             *string `json:"actualPrice,omitempty"`
	ActualQty               *string `json:"actualQty,omitempty"`
	ActualType              *string `json:"actualType,omitempty"`
	TriggerPrice            string  `json:"triggerPrice"`
	Price                   string  `json:"price"`
	IcebergQuantity         *string `json:"icebergQuantity"`
	TpTriggerPrice          *string `json:"tpTriggerPrice,omitempty"`
	TpPrice                 *string `json:"tpPrice,omitempty"`
	SlTriggerPrice          *string `json:"slTriggerPrice,omitempty"`
	SlPrice                 *string `json:"slPrice,omitempty"`
	TpOrderType             *string `json:"tpOrderType,omitempty"`
	SelfTradePreventionMode string  `json:"selfTradePreventionMode"`
	WorkingType             string  `json:"workingType"`
	PriceMatch              string  `json:"priceMatch"`
	ClosePosition           bool    `json:"closePosition"`
	PriceProtect            bool    `json:"priceProtect"`
	ReduceOnly              bool    `json:"reduceOnly"`
	ActivatePrice           *string `json:"activatePrice,omitempty"`
	CallbackRate            *string `json:"callbackRate,omitempty"`
	CreateTime              int64   `json:"createTime"`
	UpdateTime              int64   `json:"updateTime"`
	TriggerTime             int64   `json:"triggerTime"`
	GoodTillDate            int64   `json:"goodTillDate"`
}

func algoStatus(c *simcore.Conditional) string {
	return [...]string{"NEW", "TRIGGERING", "TRIGGERED", "FINISHED", "CANCELED", "REJECTED", "EXPIRED"}[c.Status]
}

func algoTIF(r *simcore.ConditionalRequest) string {
	if r.RequiresPosition {
		return "GTE_GTC"
	}
	return [...]string{"GTC", "IOC", "FOK", "GTX", "GTD"}[r.TimeInForce]
}

func algoDetail(r *simcore.ConditionalRequest) orderDetail {
	detail, _ := r.Detail.(orderDetail)
	return detail
}

func (l *listing) algo(c *simcore.Conditional) algoBody {
	r := &c.Request
	detail := algoDetail(r)
	return algoBody{
		AlgoID: c.ID, ClientAlgoID: r.ClientID, AlgoType: "CONDITIONAL", OrderType: detail.algoType,
		Symbol: r.Symbol, Side: sideName(r.Side), PositionSide: positionSide(r.PosSide), TimeInForce: algoTIF(r),
		Quantity: l.qty(r.Qty), AlgoStatus: algoStatus(c), TriggerPrice: l.price(r.TriggerPrice), Price: l.price(r.Price),
		SelfTradePreventionMode: selfTradeName(r.SelfTrade), WorkingType: orContract(detail.workingType),
		PriceMatch: orNone(detail.priceMatch), ClosePosition: r.ClosePosition, PriceProtect: detail.priceProtect,
		ReduceOnly: r.ReduceOnly, CreateTime: millis(c.CreatedAt), UpdateTime: millis(c.UpdatedAt),
		TriggerTime: millis(c.TriggeredAt), GoodTillDate: millis(r.ExpireAt),
	}
}

func (l *listing) newAlgo(c *simcore.Conditional) algoBody {
	body := l.algo(c)
	activate, callback := "", ""
	if c.Request.CallbackRate.IsPositive() {
		callback = c.Request.CallbackRate.Div(percent).String()
		activate = trimmed(c.Request.Activation)
	}
	body.ActivatePrice, body.CallbackRate = &activate, &callback
	return body
}

func (l *listing) queriedAlgo(c *simcore.Conditional) algoBody {
	body := l.algo(c)
	orderID, price, kind, qty := "", average(decimal.Zero), "", ""
	if c.Order != nil {
		orderID = strconv.FormatInt(c.Order.ID, 10)
		price, qty, kind = average(c.Order.AvgPrice()), l.qty(c.Order.FilledQty()), typeName(c.Order)
	}
	none, nothing := "", "0.000"
	body.ActualOrderID, body.ActualPrice, body.ActualType, body.ActualQty = &orderID, &price, &kind, &qty
	body.TpTriggerPrice, body.TpPrice, body.SlTriggerPrice, body.SlPrice = &nothing, &nothing, &nothing, &nothing
	body.TpOrderType = &none
	return body
}
