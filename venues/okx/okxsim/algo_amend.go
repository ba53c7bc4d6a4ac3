package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// algoAmendArg changes a live algo order. Absent fields stay as they are.
type algoAmendArg struct {
	algoRefArg
	ReqID          string `json:"reqId"`
	NewSz          string `json:"newSz"`
	NewTriggerPx   string `json:"newTriggerPx"`
	NewOrdPx       string `json:"newOrdPx"`
	NewSlTriggerPx string `json:"newSlTriggerPx"`
	NewSlOrdPx     string `json:"newSlOrdPx"`
	NewTpTriggerPx string `json:"newTpTriggerPx"`
	NewTpOrdPx     string `json:"newTpOrdPx"`
}

var (
	errAlgoGone   = refuse("51503", "Your order has already been filled or canceled.")
	errAlgoFixed  = refuse("51506", "Order modification unavailable for the order type.")
	errAlgoAbsent = refuse("51526", "Order modification unsuccessful. Take profit/Stop loss conditions cannot be added to or removed from stop orders.")
)

// amendAlgo changes an algo order, now or when the engine gets to it: one that has
// triggered meanwhile stays as it was, and the listeners hear that it could not be
// amended.
func (s *Sim) amendAlgo(c *call) (any, *apiError) {
	var arg algoAmendArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	answer := ack{SCode: "0", TS: millis(c.now)}
	a, failed := s.amendable(c, &arg)
	if failed == nil {
		isLate := s.options.EngineDelay > 0
		if failed = s.changeAlgo(a, &arg, isLate); failed == nil && isLate {
			s.Later(s.options.EngineDelay, func() {
				if s.changeAlgo(a, &arg, false) != nil {
					s.algos.amendFailed(a, arg.ReqID)
				}
			})
		}
	}
	if failed != nil {
		answer = refusedAck(failed, c.now)
	}
	answer.AlgoID, answer.AlgoClOrdID, answer.ReqID = &arg.AlgoID, &arg.AlgoClOrdID, &arg.ReqID
	return ackList{answer}, nil
}

// amendable finds the algo order that a request is about.
func (s *Sim) amendable(c *call, arg *algoAmendArg) (*algo, *apiError) {
	a, failed := s.algo(c, arg.algoRefArg)
	switch {
	case failed != nil:
		return nil, failed
	case a == nil || a.arg.InstID != arg.InstID:
		return nil, errAlgoGone
	case a.arg.OrdType == algoTrailing:
		return nil, errAlgoFixed
	}
	return a, nil
}

// changeAlgo changes every leg that the request names, or rehearses it.
func (s *Sim) changeAlgo(a *algo, arg *algoAmendArg, rehearsal bool) *apiError {
	qty, failed := optional("newSz", arg.NewSz)
	if failed != nil {
		return failed
	}
	legs, live := s.algos.legsOf(a)
	if !live {
		return errAlgoGone
	}
	if failed := arg.adds(legs); failed != nil {
		return failed
	}
	for kind, id := range legs {
		if change := arg.of(kind); change.trigger == removed || change.px == removed {
			if !rehearsal {
				s.algos.drop(a, kind, id)
			}
			continue
		}
		if failed := s.changeLeg(a, kind, id, arg.of(kind), simcore.ConditionalAmendment{Qty: qty, DryRun: rehearsal}); failed != nil {
			return failed
		}
	}
	if !rehearsal {
		s.algos.amended(a, arg, qty)
	}
	return nil
}

// adds refuses to add a leg that the algo order was placed without.
func (arg *algoAmendArg) adds(legs map[legKind]int64) *apiError {
	if _, has := legs[legTakeProfit]; arg.NewTpTriggerPx != "" && !has {
		return errAlgoAbsent
	}
	if _, has := legs[legStopLoss]; arg.NewSlTriggerPx != "" && !has {
		return errAlgoAbsent
	}
	return nil
}

// drop removes one leg of an algo order.
func (d *algoDesk) drop(a *algo, kind legKind, id int64) {
	d.cancelLeg(a.account, id)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(a.legs, id)
	if len(a.legs) > 0 {
		a.arg.OrdType = algoConditional
	}
	if kind == legStopLoss {
		a.arg.SlTriggerPx, a.arg.SlOrdPx, a.arg.SlTriggerPxType = "", "", ""
	} else {
		a.arg.TpTriggerPx, a.arg.TpOrdPx, a.arg.TpTriggerPxType = "", "", ""
	}
}

// legChange is what a request wants of one leg.
type legChange struct{ trigger, px string }

func (arg *algoAmendArg) of(kind legKind) legChange {
	switch kind {
	case legStopLoss:
		return legChange{arg.NewSlTriggerPx, arg.NewSlOrdPx}
	case legTakeProfit:
		return legChange{arg.NewTpTriggerPx, arg.NewTpOrdPx}
	default:
		return legChange{arg.NewTriggerPx, arg.NewOrdPx}
	}
}

// changeLeg changes one leg; the request holds what is the same for all.
func (s *Sim) changeLeg(a *algo, kind legKind, id int64, change legChange, request simcore.ConditionalAmendment) *apiError {
	request.Account, request.Order = a.account, simcore.OrderRef{ID: id}
	c, err := s.Exchange().Conditional(a.account, request.Order)
	if err != nil {
		return errAlgoGone
	}
	request.Rising = c.Request.Rising
	var failed *apiError
	if request.TriggerPrice, failed = optional("newTriggerPx", change.trigger); failed != nil {
		return failed
	}
	if change.px != marketPrice {
		if request.Price, failed = optional("newOrdPx", change.px); failed != nil {
			return failed
		}
	}
	if typed := change.px == marketPrice; change.px != "" && typed != (c.Request.Type == simcore.Market) {
		return errAlgoFixed
	}
	if kind == legTrigger && !request.TriggerPrice.IsZero() {
		moved := c.Request
		moved.TriggerPrice = request.TriggerPrice
		request.Rising = a.rises(s, &moved, kind)
	}
	if _, err := s.Exchange().AmendConditional(request); err != nil {
		if simcore.ReasonOf(err) == simcore.ReasonUnknownOrder {
			return errAlgoGone
		}
		return algoRefused(err, &c.Request)
	}
	return nil
}

// optional is a positive decimal, or zero where it is absent.
func optional(name, text string) (decimal.Decimal, *apiError) {
	if text == "" {
		return decimal.Zero, nil
	}
	return positive(name, text)
}

// legsOf are the legs of a live algo order by kind.
func (d *algoDesk) legsOf(a *algo) (legs map[legKind]int64, live bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	legs = map[legKind]int64{}
	for id, kind := range a.legs {
		legs[kind] = id
	}
	return legs, a.state == algoLive && !a.fired
}

// amendFailed tells the listeners that an amendment came to nothing after its
// acknowledgement.
func (d *algoDesk) amendFailed(a *algo, reqID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	body := a.body()
	body.ReqID, body.AmendResult = reqID, "-1"
	d.sim.hub.algoChanged(a.account, body)
}

// amended shows the change and tells the listeners.
func (d *algoDesk) amended(a *algo, arg *algoAmendArg, qty decimal.Decimal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	shown := &a.arg
	show(&shown.TriggerPx, arg.NewTriggerPx)
	show(&shown.OrderPx, arg.NewOrdPx)
	if arg.NewSlTriggerPx != removed && arg.NewSlOrdPx != removed {
		show(&shown.SlTriggerPx, arg.NewSlTriggerPx)
		show(&shown.SlOrdPx, arg.NewSlOrdPx)
	}
	if arg.NewTpTriggerPx != removed && arg.NewTpOrdPx != removed {
		show(&shown.TpTriggerPx, arg.NewTpTriggerPx)
		show(&shown.TpOrdPx, arg.NewTpOrdPx)
	}
	if !qty.IsZero() {
		a.qty = qty
	}
	a.updatedAt, a.reqID, a.amendResult = d.sim.Clock.Now(), arg.ReqID, "0"
	d.sim.hub.algoChanged(a.account, a.body())
}

// show replaces what is shown by what a client sent, if anything.
func show(field *string, sent string) {
	if sent != "" {
		*field = sent
	}
}
