package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// algoArg is an algo order as a client sends it.
type algoArg struct {
	InstID          string `json:"instId"`
	TdMode          string `json:"tdMode"`
	AlgoClOrdID     string `json:"algoClOrdId"`
	Tag             string `json:"tag"`
	Side            string `json:"side"`
	PosSide         string `json:"posSide"`
	OrdType         string `json:"ordType"`
	Sz              string `json:"sz"`
	CloseFraction   string `json:"closeFraction"`
	ReduceOnly      flag   `json:"reduceOnly"`
	CxlOnClosePos   flag   `json:"cxlOnClosePos"`
	TriggerPx       string `json:"triggerPx"`
	TriggerPxType   string `json:"triggerPxType"`
	OrderPx         string `json:"orderPx"`
	TpTriggerPx     string `json:"tpTriggerPx"`
	TpTriggerPxType string `json:"tpTriggerPxType"`
	TpOrdPx         string `json:"tpOrdPx"`
	SlTriggerPx     string `json:"slTriggerPx"`
	SlTriggerPxType string `json:"slTriggerPxType"`
	SlOrdPx         string `json:"slOrdPx"`
	CallbackRatio   string `json:"callbackRatio"`
	CallbackSpread  string `json:"callbackSpread"`
	ActivePx        string `json:"activePx"`
	// AdvanceOrdType is the time in force of a trigger's limit order.
	AdvanceOrdType string          `json:"advanceOrdType"`
	AttachAlgoOrds []attachmentArg `json:"attachAlgoOrds"`
}

// legArg is a condition of an algo order.
type legArg struct {
	kind             legKind
	trigger, px, typ string
}

// legArgs returns the conditions of an algo order of its type.
func (a *algoArg) legArgs() ([]legArg, *apiError) {
	stop := legArg{legStopLoss, a.SlTriggerPx, a.SlOrdPx, a.SlTriggerPxType}
	profit := legArg{legTakeProfit, a.TpTriggerPx, a.TpOrdPx, a.TpTriggerPxType}
	switch a.OrdType {
	case algoTrigger:
		if a.TriggerPx == "" {
			return nil, errEmpty("triggerPx")
		}
		return []legArg{{legTrigger, a.TriggerPx, a.OrderPx, a.TriggerPxType}}, nil
	case algoConditional:
		if stop.trigger == "" && profit.trigger == "" {
			return nil, errEither("tpTriggerPx", "slTriggerPx")
		}
		if stop.trigger != "" {
			return []legArg{stop}, nil
		}
		return []legArg{profit}, nil
	case algoOCO:
		if stop.trigger == "" || profit.trigger == "" {
			return nil, errEmpty("tpTriggerPx")
		}
		return []legArg{stop, profit}, nil
	case algoTrailing:
		switch {
		case a.CallbackRatio == "" && a.CallbackSpread == "":
			return nil, errEither("callbackRatio", "callbackSpread")
		case a.CallbackRatio != "" && a.CallbackSpread != "":
			return nil, errBoth("callbackRatio", "callbackSpread")
		}
		return []legArg{{legTrigger, "", marketPrice, triggerLast}}, nil
	case "":
		return nil, errEmpty("ordType")
	}
	return nil, errParameter("ordType")
}

// parse returns the conditional orders of an algo order.
func (a *algoArg) parse(s *Sim, c *call) (*algo, []simcore.ConditionalRequest, *apiError) {
	base := orderArg{
		InstID: a.InstID, TdMode: a.TdMode, ClOrdID: a.AlgoClOrdID, Side: a.Side, PosSide: a.PosSide, OrdType: typeMarket, ReduceOnly: a.ReduceOnly,
	}
	l, failed := s.listing(a.InstID)
	if failed != nil {
		return nil, nil, failed
	}
	order := simcore.OrderRequest{Account: c.account.ID, Symbol: l.Symbol, ReduceOnly: bool(a.ReduceOnly)}
	if failed := s.checkTradeMode(&order, a.TdMode); failed != nil {
		return nil, nil, failed
	}
	if failed := base.parseEnums(c, &order); failed != nil {
		return nil, nil, failed
	}
	if !validTag(a.Tag) {
		return nil, nil, errParameter("tag")
	}
	if a.CloseFraction == "" {
		if order.Qty, failed = positive("sz", a.Sz); failed != nil {
			return nil, nil, failed
		}
	}
	legs, failed := a.legArgs()
	if failed == nil {
		failed = a.checkClosing(&order, legs)
	}
	if failed != nil {
		return nil, nil, failed
	}
	made := &algo{book: s.algos, arg: *a, account: c.account.ID, posSide: order.PosSide, qty: order.Qty, legs: map[int64]legKind{}}
	requests := make([]simcore.ConditionalRequest, 0, len(legs))
	for i, leg := range legs {
		request, failed := made.leg(s, order, leg)
		if failed != nil {
			return nil, nil, failed
		}
		if i == 0 {
			request.ClientID = a.AlgoClOrdID
		}
		requests = append(requests, request)
	}
	return made, requests, nil
}

func (a *algo) leg(s *Sim, order simcore.OrderRequest, arg legArg) (simcore.ConditionalRequest, *apiError) {
	request := simcore.ConditionalRequest{
		OrderRequest: order, RequiresPosition: bool(a.arg.CxlOnClosePos), ClosePosition: a.arg.CloseFraction != "",
	}
	detail := &orderDetail{algo: a, leg: arg.kind, source: algoSources[a.arg.OrdType], tag: a.arg.Tag, ordType: typeMarket}
	request.Detail = detail
	var known bool
	if request.TriggerBy, known = triggerPrices[arg.typ]; !known {
		return request, errParameter("triggerPxType")
	}
	if a.arg.OrdType == algoTrailing {
		return a.trailing(request)
	}
	var failed *apiError
	if request.TriggerPrice, failed = positive("triggerPx", arg.trigger); failed != nil {
		return request, failed
	}
	if request.Type, request.Price, failed = orderPrice(arg.px); failed != nil {
		return request, failed
	}
	if a.arg.AdvanceOrdType != "" {
		if request.TimeInForce, known = advancedTypes[a.arg.AdvanceOrdType]; !known {
			return request, errParameter("advanceOrdType")
		}
	}
	detail.attached, failed = s.attachmentsOf(a.arg.AttachAlgoOrds, &request.OrderRequest, orderReference(request.Price))
	request.Rising = a.rises(s, &request, arg.kind)
	return request, failed
}

var advancedTypes = map[string]simcore.TimeInForce{typeFOK: simcore.FOK, typeIOC: simcore.IOC}

// orderPrice parses the price of the triggered order; -1 means a market order.
func orderPrice(text string) (simcore.OrderType, decimal.Decimal, *apiError) {
	if text == marketPrice {
		return simcore.Market, decimal.Zero, nil
	}
	price, failed := positive("orderPx", text)
	return simcore.Limit, price, failed
}

// rises reports whether the trigger price is reached from below: for a plain trigger
// by the present price, for a stop-loss and a take-profit by the side.
func (a *algo) rises(s *Sim, request *simcore.ConditionalRequest, kind legKind) bool {
	if kind != legTrigger {
		return (request.Side == simcore.Buy) == (kind == legStopLoss)
	}
	return request.TriggerPrice.GreaterThan(s.watchedPrice(request))
}

// watchedPrice returns the present value of the price that a conditional order
// watches.
func (s *Sim) watchedPrice(request *simcore.ConditionalRequest) decimal.Decimal {
	prices, _ := s.Exchange().Mark(request.Symbol)
	switch request.TriggerBy {
	case simcore.TriggerOnMark:
		return prices.Mark
	case simcore.TriggerOnIndex:
		return prices.Index
	default:
		return s.Exchange().LastPrice(request.Symbol)
	}
}

// callbackMax is the largest callback ratio.
var callbackMax = decimal.NewFromInt(1)

// trailing returns a stop that follows the price by a ratio or a distance.
func (a *algo) trailing(request simcore.ConditionalRequest) (simcore.ConditionalRequest, *apiError) {
	var failed *apiError
	if a.arg.CallbackSpread != "" {
		request.CallbackSpread, failed = positive("callbackSpread", a.arg.CallbackSpread)
	} else if request.CallbackRate, failed = positive("callbackRatio", a.arg.CallbackRatio); request.CallbackRate.GreaterThan(callbackMax) {
		failed = rejectWith("51311", "Failed to place trailing stop order. Callback rate should be within 0<x<=%s", callbackMax)
	}
	if failed != nil {
		return request, failed
	}
	if a.arg.ActivePx != "" {
		if request.Activation, failed = positive("activePx", a.arg.ActivePx); failed != nil {
			return request, failed
		}
	}
	request.Rising, request.Type = request.Side == simcore.Buy, simcore.Market
	return request, nil
}
