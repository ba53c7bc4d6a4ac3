package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
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
	ActivePx        string `json:"activePx"`
	// AdvanceOrdType is the time in force of a trigger's limit order.
	AdvanceOrdType string          `json:"advanceOrdType"`
	AttachAlgoOrds []attachmentArg `json:"attachAlgoOrds"`
}

// legArg is one condition of an algo order.
type legArg struct {
	kind             legKind
	trigger, px, typ string
}

// legArgs are the conditions that an algo order of its type has.
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
		if a.CallbackRatio == "" {
			return nil, errEmpty("callbackRatio")
		}
		return []legArg{{legTrigger, "", marketPrice, triggerLast}}, nil
	case "":
		return nil, errEmpty("ordType")
	}
	return nil, errParameter("ordType")
}

// parse makes the conditional orders of an algo order.
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
	if a.CloseFraction == "" {
		if order.Qty, failed = positive("sz", a.Sz); failed != nil {
			return nil, nil, failed
		}
	}
	legs, failed := a.legArgs()
	if failed != nil {
		return nil, nil, failed
	}
	made := &algo{desk: s.algos, arg: *a, account: c.account.ID, qty: order.Qty, legs: map[int64]legKind{}}
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
		OrderRequest: order, NeedsPosition: bool(a.arg.CxlOnClosePos), ClosePosition: a.arg.CloseFraction != "",
	}
	source := "7"
	if a.arg.OrdType == algoTrigger {
		source = "6"
	}
	detail := &orderDetail{algo: a, leg: arg.kind, source: source, tag: a.arg.Tag, ordType: typeMarket}
	request.Detail = detail
	switch arg.typ {
	case "", triggerLast:
		request.Watch = simcore.TriggerOnLast
	case triggerMark, triggerIndex:
		request.Watch = simcore.TriggerOnMark
	default:
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
		var known bool
		if request.TimeInForce, known = advancedTypes[a.arg.AdvanceOrdType]; !known {
			return request, errParameter("advanceOrdType")
		}
	}
	detail.attached, failed = attachmentsOf(s, a.arg.AttachAlgoOrds, &request.OrderRequest, request.Price)
	request.Rising = a.rises(s, &request, arg.kind)
	return request, failed
}

var advancedTypes = map[string]simcore.TimeInForce{typeFOK: simcore.FOK, typeIOC: simcore.IOC}

// orderPrice reads the price of the order to come; -1 is the market's.
func orderPrice(text string) (simcore.OrderType, decimal.Decimal, *apiError) {
	if text == marketPrice {
		return simcore.Market, decimal.Zero, nil
	}
	price, failed := positive("orderPx", text)
	return simcore.Limit, price, failed
}

// rises says from which side the trigger price is reached: a plain trigger
// waits where it is, a stop-loss and a take-profit follow from the side.
func (a *algo) rises(s *Sim, request *simcore.ConditionalRequest, kind legKind) bool {
	if kind != legTrigger {
		return (request.Side == simcore.Buy) == (kind == legStopLoss)
	}
	now := s.Exchange().LastPrice(request.Symbol)
	if request.Watch == simcore.TriggerOnMark {
		mark, _ := s.Exchange().Mark(request.Symbol)
		now = mark.Mark
	}
	return request.TriggerPrice.GreaterThan(now)
}

// trailing is a stop that follows the price by a ratio.
func (a *algo) trailing(request simcore.ConditionalRequest) (simcore.ConditionalRequest, *apiError) {
	var failed *apiError
	if request.CallbackRate, failed = positive("callbackRatio", a.arg.CallbackRatio); failed != nil {
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

// attachment is what goes live with the fill of its order.
type attachment struct {
	id  string
	arg attachmentArg
}

type attachmentBody struct {
	AttachAlgoID      string `json:"attachAlgoId"`
	AttachAlgoClOrdID string `json:"attachAlgoClOrdId"`
	TpOrdKind         string `json:"tpOrdKind"`
	TpTriggerPx       string `json:"tpTriggerPx"`
	TpTriggerPxType   string `json:"tpTriggerPxType"`
	TpOrdPx           string `json:"tpOrdPx"`
	SlTriggerPx       string `json:"slTriggerPx"`
	SlTriggerPxType   string `json:"slTriggerPxType"`
	SlOrdPx           string `json:"slOrdPx"`
	Sz                string `json:"sz"`
	FailCode          string `json:"failCode"`
	FailReason        string `json:"failReason"`
}

func attachmentBodies(list []attachment) []attachmentBody {
	bodies := make([]attachmentBody, 0, len(list))
	for _, a := range list {
		body := attachmentBody{
			AttachAlgoID: a.id, AttachAlgoClOrdID: a.arg.AttachAlgoClOrdID, TpTriggerPx: a.arg.TpTriggerPx, TpOrdPx: a.arg.TpOrdPx,
			TpTriggerPxType: a.arg.TpTriggerPxType, SlTriggerPx: a.arg.SlTriggerPx, SlOrdPx: a.arg.SlOrdPx, SlTriggerPxType: a.arg.SlTriggerPxType,
		}
		if a.arg.TpTriggerPx != "" {
			body.TpOrdKind = "condition"
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// parseAttachments checks that take-profit and stop-loss lie on their sides of
// the order price, or of the last price for market orders.
func (s *Sim) parseAttachments(a *orderArg, request *simcore.OrderRequest) ([]attachment, *apiError) {
	price := request.Price
	if request.Type == simcore.Market {
		price = s.Exchange().LastPrice(request.Symbol)
	}
	return attachmentsOf(s, a.AttachAlgoOrds, request, price)
}

// attachmentsOf checks against the price of the order; none means unchecked.
func attachmentsOf(s *Sim, args []attachmentArg, request *simcore.OrderRequest, price decimal.Decimal) ([]attachment, *apiError) {
	if len(args) == 0 {
		return nil, nil
	}
	if request.ReduceOnly {
		return nil, refuse("51100", "Unable to place order. Take profit/Stop loss conditions cannot be added to reduce-only orders.")
	}
	list := make([]attachment, 0, len(args))
	for i, arg := range args {
		if failed := arg.check(request.Side, price); failed != nil {
			return nil, failed
		}
		arg.TpTriggerPxType, arg.SlTriggerPxType = pxType(arg.TpTriggerPx, arg.TpTriggerPxType), pxType(arg.SlTriggerPx, arg.SlTriggerPxType)
		list = append(list, attachment{id: idWord(s.Clock.Now().UnixMicro()*10 + int64(i)), arg: arg})
	}
	return list, nil
}

// pxType is the watched price, by default the last one.
func pxType(trigger, typ string) string {
	if trigger != "" && typ == "" {
		return triggerLast
	}
	return typ
}

func (a *attachmentArg) check(side simcore.Side, price decimal.Decimal) *apiError {
	if a.TpTriggerPx == "" && a.SlTriggerPx == "" {
		return errEither("tpTriggerPx", "slTriggerPx")
	}
	for _, leg := range []struct {
		trigger, px string
		above       bool
		low, high   *apiError
	}{
		{a.TpTriggerPx, a.TpOrdPx, side == simcore.Buy, errTakeLow, errTakeHigh},
		{a.SlTriggerPx, a.SlOrdPx, side == simcore.Sell, errStopLow, errStopHigh},
	} {
		if leg.trigger == "" {
			continue
		}
		if leg.px == "" {
			return errEmpty("ordPx")
		}
		trigger, err := venues.ParseDecimal(leg.trigger)
		switch {
		case err != nil || !trigger.IsPositive():
			return errParameter("triggerPx")
		case price.IsZero():
		case leg.above && trigger.LessThanOrEqual(price):
			return leg.low
		case !leg.above && trigger.GreaterThanOrEqual(price):
			return leg.high
		}
	}
	return nil
}

var (
	errTakeLow  = refuse("51046", "The take profit trigger price must be higher than the order price")
	errStopHigh = refuse("51047", "The stop loss trigger price must be lower than the order price")
	errTakeHigh = refuse("51048", "The take profit trigger price must be lower than the order price")
	errStopLow  = refuse("51049", "The stop loss trigger price must be higher than the order price")
)
