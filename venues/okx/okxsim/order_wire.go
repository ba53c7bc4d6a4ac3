package okxsim

import (
	"cmp"

	"venuegate/venues/simcore"
)

// orderBody is an order in answers of queries and, with more, in pushes.
type orderBody struct {
	AccFillSz          string           `json:"accFillSz"`
	AlgoClOrdID        string           `json:"algoClOrdId"`
	AlgoID             string           `json:"algoId"`
	AttachAlgoClOrdID  string           `json:"attachAlgoClOrdId"`
	AttachAlgoOrds     []attachmentBody `json:"attachAlgoOrds"`
	AvgPx              string           `json:"avgPx"`
	CTime              string           `json:"cTime"`
	CancelSource       string           `json:"cancelSource"`
	CancelSourceReason string           `json:"cancelSourceReason"`
	Category           string           `json:"category"`
	Ccy                string           `json:"ccy"`
	ClOrdID            string           `json:"clOrdId"`
	Fee                string           `json:"fee"`
	FeeCcy             string           `json:"feeCcy"`
	FillPx             string           `json:"fillPx"`
	FillSz             string           `json:"fillSz"`
	FillTime           string           `json:"fillTime"`
	InstID             string           `json:"instId"`
	InstType           string           `json:"instType"`
	IsTpLimit          string           `json:"isTpLimit"`
	Lever              string           `json:"lever"`
	LinkedAlgoOrd      linkedBody       `json:"linkedAlgoOrd"`
	OrdID              string           `json:"ordId"`
	OrdType            string           `json:"ordType"`
	Pnl                string           `json:"pnl"`
	PosSide            string           `json:"posSide"`
	Px                 string           `json:"px"`
	PxType             string           `json:"pxType"`
	PxUsd              string           `json:"pxUsd"`
	PxVol              string           `json:"pxVol"`
	QuickMgnType       string           `json:"quickMgnType"`
	Rebate             string           `json:"rebate"`
	RebateCcy          string           `json:"rebateCcy"`
	ReduceOnly         string           `json:"reduceOnly"`
	Side               string           `json:"side"`
	SlOrdPx            string           `json:"slOrdPx"`
	SlTriggerPx        string           `json:"slTriggerPx"`
	SlTriggerPxType    string           `json:"slTriggerPxType"`
	Source             string           `json:"source"`
	State              string           `json:"state"`
	StpID              string           `json:"stpId"`
	StpMode            string           `json:"stpMode"`
	Sz                 string           `json:"sz"`
	Tag                string           `json:"tag"`
	TdMode             string           `json:"tdMode"`
	TgtCcy             string           `json:"tgtCcy"`
	TpOrdPx            string           `json:"tpOrdPx"`
	TpTriggerPx        string           `json:"tpTriggerPx"`
	TpTriggerPxType    string           `json:"tpTriggerPxType"`
	TradeID            string           `json:"tradeId"`
	UTime              string           `json:"uTime"`
}

type linkedBody struct {
	AlgoID string `json:"algoId"`
}

// orderOf is an order without its last fill.
func orderOf(o *simcore.Order) orderBody {
	d := detailOf(o)
	ran := d.executed()
	body := orderBody{
		AccFillSz: o.FilledQty().String(), AttachAlgoOrds: attachmentBodies(d.stops()), AvgPx: orEmpty(o.AvgPrice()),
		CTime: millis(o.CreatedAt), CancelSource: cancelSource(o), Category: categoryName(o), Ccy: settleCoin,
		ClOrdID: o.ClientID, Fee: ran.fee.String(), FeeCcy: settleCoin, FillSz: "0", InstID: o.Symbol, InstType: instTypeSwap,
		IsTpLimit: "false", OrdID: idText(o.ID), OrdType: typeName(o), Pnl: ran.pnl.String(), PosSide: posSideName(o.PosSide),
		Rebate: "0", RebateCcy: settleCoin, ReduceOnly: boolText(o.ReduceOnly && o.PosSide == simcore.PositionBoth),
		Side: o.Side.String(), Source: d.source, State: stateName(o), StpMode: selfTradeName(o.SelfTrade), Sz: o.Qty().String(),
		Tag: d.tag, TdMode: d.marginMode(), UTime: millis(o.UpdatedAt),
	}
	body.CancelSourceReason = cancelReasons[body.CancelSource]
	if d.ordType == typeOptimalIOC {
		body.OrdType = typeOptimalIOC
	}
	if o.Type == simcore.Limit {
		body.Px = o.Price().String()
	}
	if ran.leverage > 0 {
		body.Lever = idText(int64(ran.leverage))
	}
	if o.Liquidation {
		body.ClOrdID = ""
	}
	if d.algo != nil {
		body.ClOrdID = ""
		body.AlgoID, body.AlgoClOrdID = idText(o.Parent), d.algo.arg.AlgoClOrdID
		if id := d.algo.book.idOf(d.algo); id != 0 {
			body.AlgoID = idText(id)
		}
	}
	return body
}

// queried is an order in the answer of a query, with its last fill.
func queried(o *simcore.Order) orderBody {
	body := orderOf(o)
	if last := detailOf(o).executed().last; last.TradeID != 0 {
		body.FillPx, body.FillSz, body.FillTime = last.Price.String(), last.Qty.String(), millis(last.Time)
		body.TradeID = idText(last.TradeID)
	}
	return body
}

// orderPush is an order in the orders channel. The fill fields are those
// of this update only.
type orderPush struct {
	unusedInFill

	orderBody
	AmendResult     string `json:"amendResult"`
	AmendSource     string `json:"amendSource"`
	Code            string `json:"code"`
	ExecType        string `json:"execType"`
	FillFee         string `json:"fillFee"`
	FillFeeCcy      string `json:"fillFeeCcy"`
	FillIdxPx       string `json:"fillIdxPx"`
	FillMarkPx      string `json:"fillMarkPx"`
	FillNotionalUsd string `json:"fillNotionalUsd"`
	FillPnl         string `json:"fillPnl"`
	LastPx          string `json:"lastPx"`
	Msg             string `json:"msg"`
	NotionalUsd     string `json:"notionalUsd"`
	ReqID           string `json:"reqId"`
}

func pushOf(event *simcore.OrderEvent) orderPush {
	o, d := &event.Order, detailOf(&event.Order)
	push := orderPush{orderBody: orderOf(o), Code: "0", FillFee: "0", FillPnl: "0"}
	push.Ccy, push.AvgPx = "", cmp.Or(push.AvgPx, "0")
	change := d.amended(event)
	push.AmendSource, push.ReqID, push.AmendResult = change.source, change.reqID, change.result
	mark := event.Position.MarkPrice
	push.NotionalUsd, push.LastPx = mark.Mul(o.BaseQty()).String(), mark.String()
	f := event.Fill
	if f == nil {
		return push
	}
	push.ExecType = execType(f)
	push.FillFee, push.FillFeeCcy = f.Fee.Neg().String(), settleCoin
	push.FillMarkPx, push.FillIdxPx = mark.String(), event.Position.IndexPrice.String()
	push.FillNotionalUsd, push.FillPnl = f.Quote.String(), f.RealizedPnL.String()
	push.FillPx, push.FillSz, push.FillTime = f.Price.String(), f.Qty.String(), millis(f.Time)
	push.TradeID = idText(f.TradeID)
	if o.Liquidation {
		push.TradeID, push.ExecType = "0", ""
	}
	return push
}

func execType(f *simcore.Fill) string {
	if f.Maker {
		return "M"
	}
	return "T"
}

type fillBody struct {
	unusedInFill

	BillID     string `json:"billId"`
	ClOrdID    string `json:"clOrdId"`
	ExecType   string `json:"execType"`
	Fee        string `json:"fee"`
	FeeCcy     string `json:"feeCcy"`
	FeeRate    string `json:"feeRate"`
	FillIdxPx  string `json:"fillIdxPx"`
	FillMarkPx string `json:"fillMarkPx"`
	FillPnl    string `json:"fillPnl"`
	FillPx     string `json:"fillPx"`
	FillSz     string `json:"fillSz"`
	FillTime   string `json:"fillTime"`
	InstID     string `json:"instId"`
	InstType   string `json:"instType"`
	OrdID      string `json:"ordId"`
	PosSide    string `json:"posSide"`
	Side       string `json:"side"`
	SubType    string `json:"subType"`
	Tag        string `json:"tag"`
	TradeID    string `json:"tradeId"`
	TS         string `json:"ts"`
}

// subTypeOf is the kind of a fill in the venue's numbers.
func subTypeOf(f *simcore.Fill, o *simcore.Order) string {
	buys := f.Side == simcore.Buy
	switch {
	case o.Partial:
		return liquidationType(f, 100)
	case o.Liquidation:
		return liquidationType(f, 104)
	case f.PosSide == simcore.PositionBoth && buys:
		return "1"
	case f.PosSide == simcore.PositionBoth:
		return "2"
	case f.PosSide == simcore.PositionLong && buys:
		return "3"
	case f.PosSide == simcore.PositionShort && !buys:
		return "4"
	case f.PosSide == simcore.PositionLong:
		return "5"
	default:
		return "6"
	}
}

// liquidationType is the kind of a liquidation, from the first of its four numbers:
// of a long, of a short, and in net mode by the side of the order.
func liquidationType(f *simcore.Fill, first int64) string {
	switch {
	case f.PosSide == simcore.PositionLong:
		return idText(first)
	case f.PosSide == simcore.PositionShort:
		return idText(first + 1)
	case f.Side == simcore.Buy:
		return idText(first + 2)
	default:
		return idText(first + 3)
	}
}

// fill is an execution of an order. The trade of a liquidation has a negative
// id and no side of the book.
func (l *listing) fill(f *simcore.Fill, o *simcore.Order, prices simcore.MarkPrice) fillBody {
	clientID, liquidation := o.ClientID, o.Liquidation
	if o.Parent != 0 || liquidation {
		clientID = ""
	}
	body := fillBody{
		BillID: idText(f.ChangeID), ClOrdID: clientID, ExecType: execType(f), Fee: f.Fee.Neg().String(), FeeCcy: settleCoin,
		FillIdxPx: prices.Index.String(), FillMarkPx: prices.Mark.String(), FillPnl: f.RealizedPnL.String(), FillPx: f.Price.String(),
		FillSz: f.Qty.String(), FillTime: millis(f.Time), InstID: f.Symbol, InstType: instTypeSwap, OrdID: idText(f.OrderID),
		PosSide: posSideName(f.PosSide), Side: f.Side.String(), SubType: subTypeOf(f, o), Tag: detailOf(o).tag, TradeID: idText(f.TradeID), TS: millis(f.Time),
	}
	if liquidation {
		body.TradeID, body.ExecType = idText(-f.TradeID), ""
	}
	return body
}
