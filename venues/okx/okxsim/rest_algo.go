package okxsim

import (
	"cmp"
	"strings"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

type algoBody struct {
	unusedInAlgo

	ActivePx        string           `json:"activePx"`
	ActualPx        string           `json:"actualPx"`
	ActualSide      string           `json:"actualSide"`
	ActualSz        string           `json:"actualSz"`
	AdvanceOrdType  string           `json:"advanceOrdType"`
	AlgoClOrdID     string           `json:"algoClOrdId"`
	AlgoID          string           `json:"algoId"`
	AmendResult     string           `json:"amendResult"`
	AttachAlgoOrds  []attachmentBody `json:"attachAlgoOrds"`
	CTime           string           `json:"cTime"`
	CallbackRatio   string           `json:"callbackRatio"`
	CallbackSpread  string           `json:"callbackSpread"`
	Ccy             string           `json:"ccy"`
	ClOrdID         string           `json:"clOrdId"`
	CloseFraction   string           `json:"closeFraction"`
	FailCode        string           `json:"failCode"`
	InstID          string           `json:"instId"`
	InstType        string           `json:"instType"`
	Last            string           `json:"last"`
	Lever           string           `json:"lever"`
	MoveTriggerPx   string           `json:"moveTriggerPx"`
	OrdID           string           `json:"ordId"`
	OrdIDList       []string         `json:"ordIdList"`
	OrdPx           string           `json:"ordPx"`
	OrdType         string           `json:"ordType"`
	PosSide         string           `json:"posSide"`
	ReduceOnly      string           `json:"reduceOnly"`
	ReqID           string           `json:"reqId"`
	Side            string           `json:"side"`
	SlOrdPx         string           `json:"slOrdPx"`
	SlTriggerPx     string           `json:"slTriggerPx"`
	SlTriggerPxType string           `json:"slTriggerPxType"`
	State           string           `json:"state"`
	Sz              string           `json:"sz"`
	Tag             string           `json:"tag"`
	TdMode          string           `json:"tdMode"`
	TpOrdPx         string           `json:"tpOrdPx"`
	TpTriggerPx     string           `json:"tpTriggerPx"`
	TpTriggerPxType string           `json:"tpTriggerPxType"`
	TriggerPx       string           `json:"triggerPx"`
	TriggerPxType   string           `json:"triggerPxType"`
	TriggerTime     string           `json:"triggerTime"`
	UTime           string           `json:"uTime"`
}

// body returns the wire form of an algo order. The lock of the algo book is held.
func (a *algo) body() algoBody {
	r := &a.arg
	body := algoBody{
		AdvanceOrdType: r.AdvanceOrdType, AmendResult: a.amendResult, ReqID: a.reqID, ActivePx: r.ActivePx, ActualSide: string(a.actual), AlgoClOrdID: r.AlgoClOrdID, AlgoID: idText(a.id),
		AttachAlgoOrds: []attachmentBody{}, CTime: millis(a.createdAt), CallbackRatio: r.CallbackRatio, CallbackSpread: r.CallbackSpread, Ccy: settleCoin,
		CloseFraction: r.CloseFraction, FailCode: a.failCode, InstID: r.InstID, InstType: instTypeSwap, OrdIDList: []string{},
		OrdPx: r.OrderPx, OrdType: r.OrdType, PosSide: cmp.Or(r.PosSide, "net"), ReduceOnly: boolText(bool(r.ReduceOnly)), Side: r.Side,
		SlOrdPx: r.SlOrdPx, SlTriggerPx: r.SlTriggerPx, SlTriggerPxType: pxType(r.SlTriggerPx, r.SlTriggerPxType), State: a.state,
		Tag: r.Tag, TdMode: r.TdMode, TpOrdPx: r.TpOrdPx, TpTriggerPx: r.TpTriggerPx,
		TpTriggerPxType: pxType(r.TpTriggerPx, r.TpTriggerPxType), TriggerPx: r.TriggerPx,
		TriggerPxType: pxType(r.TriggerPx, r.TriggerPxType), TriggerTime: millis(a.triggeredAt), UTime: millis(a.updatedAt),
	}
	if r.CloseFraction == "" {
		body.Sz = a.qty.String()
	}
	if a.orderID != 0 {
		body.OrdID = idText(a.orderID)
		body.OrdIDList, body.ActualSz = []string{body.OrdID}, body.Sz
	}
	return body
}

func (s *Sim) placeAlgo(c *call) (any, *apiError) {
	var arg algoArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	var made *algo
	failed := s.checkAlgoID(c, &arg)
	if failed == nil {
		made, failed = s.openAlgo(c, &arg)
	}
	if failed != nil {
		s.recordAlgoRejection(c, &arg, failed)
		answer := rejectionAck(failed, c.now)
		answer.AlgoClOrdID, answer.AlgoID, answer.Tag = &arg.AlgoClOrdID, new(string), arg.Tag
		return ackList{answer}, nil
	}
	id := idText(s.algos.idOf(made))
	return ackList{{
		AlgoClOrdID: &arg.AlgoClOrdID, AlgoID: &id, ClOrdID: arg.AlgoClOrdID, SCode: "0", Tag: arg.Tag, TS: millis(s.Clock.Now()),
	}}, nil
}

// checkAlgoID rejects an id that an attachment of an open order has.
func (s *Sim) checkAlgoID(c *call, arg *algoArg) *apiError {
	if arg.AlgoClOrdID != "" && s.hasAttached(c.account.ID, arg.AlgoClOrdID) {
		return errAlgoDuplicate
	}
	return nil
}

// openAlgo places all legs of an algo order, or none.
func (s *Sim) openAlgo(c *call, arg *algoArg) (*algo, *apiError) {
	made, requests, failed := arg.parse(s, c)
	if failed == nil {
		failed = s.algos.checkCount(made)
	}
	if failed != nil {
		return nil, failed
	}
	for _, dryRun := range []bool{true, false} {
		for _, request := range requests {
			request.DryRun = dryRun
			if _, err := s.Exchange().PlaceConditional(request); err != nil {
				return nil, algoError(err, &request)
			}
		}
	}
	return made, nil
}

func algoError(err error, request *simcore.ConditionalRequest) *apiError {
	detail, _ := request.Detail.(*orderDetail)
	switch simcore.ReasonOf(err) {
	case simcore.ReasonDuplicateClientID:
		return errAlgoDuplicate
	case simcore.ReasonWouldTrigger:
		return passedTrigger(request, detail.leg)
	default:
		return errorOf(err)
	}
}

// activate places an attachment of an ended order.
func (s *Sim) activate(o *simcore.Order, attached attachment) *apiError {
	account, err := s.Exchange().Account(o.Account)
	if err != nil {
		return errorOf(err)
	}
	t := attached.arg
	arg := algoArg{
		InstID: o.Symbol, TdMode: s.marginMode(o.Account, o.Symbol), AlgoClOrdID: t.AttachAlgoClOrdID, Side: o.Side.Opposite().String(),
		OrdType: algoOCO, Sz: o.FilledQty().String(), ReduceOnly: flag(o.PosSide == simcore.PositionBoth), CxlOnClosePos: true,
		TpTriggerPx: t.TpTriggerPx, TpTriggerPxType: t.TpTriggerPxType, TpOrdPx: t.TpOrdPx,
		SlTriggerPx: t.SlTriggerPx, SlTriggerPxType: t.SlTriggerPxType, SlOrdPx: t.SlOrdPx,
	}
	if o.PosSide != simcore.PositionBoth {
		arg.PosSide = posSideName(o.PosSide)
	}
	if t.TpTriggerPx == "" || t.SlTriggerPx == "" {
		arg.OrdType = algoConditional
	}
	c := &call{now: s.Clock.Now(), account: simcore.AccountInfo{ID: account.ID, Mode: account.Mode}}
	_, failed := s.openAlgo(c, &arg)
	return failed
}

func (s *Sim) recordAlgoRejection(c *call, arg *algoArg, failed *apiError) {
	base := arg.Sz
	if l, ok := s.listings[arg.InstID]; ok {
		if qty, err := venues.ParseDecimal(arg.Sz); err == nil {
			base = l.baseQty(qty).String()
		}
	}
	s.Exchange().Ledger().Reject(simcore.LedgerOrder{
		ClientOrderID: arg.AlgoClOrdID, Account: c.account.ID, Symbol: arg.InstID, Side: arg.Side, Type: arg.OrdType,
		Kind: "conditional", Qty: arg.Sz, BaseQty: base, FilledQty: "0", Price: arg.OrderPx, Rejection: failed.Error(),
	}, c.now)
}

type algoRefArg struct {
	InstID      string `json:"instId"`
	AlgoID      string `json:"algoId"`
	AlgoClOrdID string `json:"algoClOrdId"`
}

func (s *Sim) cancelAlgos(c *call) (any, *apiError) {
	return batch(c, batchAlgosMax, func(raw []byte) ack {
		var arg algoRefArg
		failed := decode(raw, &arg)
		if failed == nil {
			failed = s.cancelAlgo(c, arg)
		}
		answer := ack{SCode: "0", TS: millis(c.now)}
		if failed != nil {
			answer = rejectionAck(failed, c.now)
		}
		answer.AlgoID, answer.AlgoClOrdID = &arg.AlgoID, &arg.AlgoClOrdID
		return answer
	})
}

func (s *Sim) cancelAlgo(c *call, arg algoRefArg) *apiError {
	a, failed := s.algo(c, arg)
	switch {
	case failed != nil:
		return failed
	case a == nil || a.arg.InstID != arg.InstID:
		return errNotCancelable
	case s.algos.hasTriggered(a):
		return errAlgoFired
	}
	if _, live := s.algos.legsOf(a); !live {
		return errNotCancelable
	}
	if s.options.EngineDelay > 0 {
		// One that triggers within the engine delay stays triggered.
		s.After(s.options.EngineDelay, func() { s.algos.cancel(a) })
		return nil
	}
	if !s.algos.cancel(a) {
		return errAlgoFired
	}
	return nil
}

// algo returns an algo order, or nil.
func (s *Sim) algo(c *call, arg algoRefArg) (*algo, *apiError) {
	if arg.AlgoID == "" && arg.AlgoClOrdID == "" {
		return nil, errEither("algoId", "algoClOrdId")
	}
	id, failed := parseID("algoId", arg.AlgoID)
	if failed != nil {
		return nil, failed
	}
	return s.algos.find(c.account.ID, id, arg.AlgoClOrdID), nil
}

func (s *Sim) queryAlgo(c *call) (any, *apiError) {
	a, failed := s.algo(c, algoRefArg{AlgoID: c.query("algoId"), AlgoClOrdID: c.query("algoClOrdId")})
	if failed != nil {
		return nil, failed
	}
	if a == nil {
		return nil, errNoSuchOrder
	}
	return s.algos.list(c.account.ID, func(other *algo) bool { return other == a }), nil
}

func (s *Sim) pendingAlgos(c *call) (any, *apiError) {
	return s.listAlgos(c, func(a *algo) bool { return a.state == algoLive })
}

func (s *Sim) algosHistory(c *call) (any, *apiError) {
	state, id := c.query("state"), c.query("algoId")
	if state == "" && id == "" {
		return nil, errEither("state", "algoId")
	}
	return s.listAlgos(c, func(a *algo) bool { return a.state != algoLive && (state == "" || a.state == state) })
}

// listAlgos requires the type; conditional and oco may be combined.
func (s *Sim) listAlgos(c *call, keep func(*algo) bool) (any, *apiError) {
	types := c.query("ordType")
	if types == "" {
		return nil, errEmpty("ordType")
	}
	p, id := c.page(), c.number("algoId")
	if c.invalid != nil {
		return nil, c.invalid
	}
	symbol, oldest := c.query("instId"), s.Clock.Now().Add(-retentionArchive)
	found := s.algos.list(c.account.ID, func(a *algo) bool {
		return keep(a) && strings.Contains(","+types+",", ","+a.arg.OrdType+",") && (symbol == "" || a.arg.InstID == symbol) &&
			(id == 0 || a.id == id) && p.holds(a.id, a.createdAt) && a.createdAt.After(oldest)
	})
	return found[:min(p.limit, len(found))], nil
}
