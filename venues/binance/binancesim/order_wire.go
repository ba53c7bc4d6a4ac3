package binancesim

import "venuegate/venues/simcore"

// orderBody is an order in the venue's field order. The fields that only some
// answers have are pointers.
type orderBody struct {
	OrderID                 int64   `json:"orderId"`
	Symbol                  string  `json:"symbol"`
	Status                  string  `json:"status"`
	ClientOrderID           string  `json:"clientOrderId"`
	ModifyID                *int64  `json:"modifyId,omitempty"`
	Price                   string  `json:"price"`
	AvgPrice                *string `json:"avgPrice,omitempty"`
	OrigQty                 string  `json:"origQty"`
	ExecutedQty             string  `json:"executedQty"`
	CumQty                  *string `json:"cumQty,omitempty"`
	CumQuote                *string `json:"cumQuote,omitempty"`
	TimeInForce             string  `json:"timeInForce"`
	Type                    string  `json:"type"`
	ReduceOnly              bool    `json:"reduceOnly"`
	ClosePosition           bool    `json:"closePosition"`
	Side                    string  `json:"side"`
	PositionSide            string  `json:"positionSide"`
	StopPrice               string  `json:"stopPrice"`
	WorkingType             string  `json:"workingType"`
	PriceProtect            bool    `json:"priceProtect"`
	OrigType                string  `json:"origType"`
	PriceMatch              string  `json:"priceMatch"`
	SelfTradePreventionMode string  `json:"selfTradePreventionMode"`
	GoodTillDate            int64   `json:"goodTillDate"`
	Time                    *int64  `json:"time,omitempty"`
	UpdateTime              int64   `json:"updateTime"`
}

// order is what all answers about an order share.
func (l *listing) order(o *simcore.Order) orderBody {
	detail := detailOf(o)
	return orderBody{
		OrderID: o.ID, Symbol: o.Symbol, Status: statusName(o), ClientOrderID: o.ClientID,
		Price: l.price(o.Price()), OrigQty: l.qty(o.Qty()), ExecutedQty: l.qty(o.FilledQty()),
		TimeInForce: tifName(o), Type: typeName(o), OrigType: typeName(o),
		ReduceOnly: o.ReduceOnly, ClosePosition: o.ClosePosition,
		Side: sideName(o.Side), PositionSide: positionSide(o.PosSide),
		StopPrice: l.price(zero), WorkingType: orContract(detail.workingType), PriceProtect: detail.priceProtect,
		PriceMatch: orNone(detail.priceMatch), SelfTradePreventionMode: selfTradeName(o.SelfTrade),
		GoodTillDate: millis(o.ExpireAt), UpdateTime: millis(o.UpdatedAt),
	}
}

var zero = dec("0")

// changed is the answer to a call that changed an order.
func (s *Sim) changed(o *simcore.Order) orderBody {
	l := s.listings[o.Symbol]
	body := l.order(o)
	filled := l.qty(o.FilledQty())
	body.CumQty = &filled
	if s.options.FullAnswers {
		average, quote := o.AvgPrice().StringFixed(2), l.cumQuote(o.Quote())
		body.AvgPrice, body.CumQuote = &average, &quote
	}
	return body
}

// acknowledged returns the answer to a new order that does not include its fills: the
// status is NEW even where the order has filled already.
func (s *Sim) acknowledged(o *simcore.Order) orderBody {
	body := s.changed(o)
	l := s.listings[o.Symbol]
	nothing := l.qty(zero)
	body.Status, body.ExecutedQty, body.CumQty = "NEW", nothing, &nothing
	body.UpdateTime = millis(o.CreatedAt)
	if s.options.FullAnswers {
		average, quote := "0.00", l.cumQuote(zero)
		body.AvgPrice, body.CumQuote = &average, &quote
	}
	return body
}

// queried is the answer to a question about an order.
func (s *Sim) queried(o *simcore.Order) orderBody {
	l := s.listings[o.Symbol]
	body := l.order(o)
	avg, quote, created := average(o.AvgPrice()), l.cumQuote(o.Quote()), millis(o.CreatedAt)
	body.AvgPrice, body.CumQuote, body.Time = &avg, &quote, &created
	return body
}
