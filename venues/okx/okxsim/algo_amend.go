package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// algoAmendArg amends a live algo order. Absent fields stay unchanged.
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
	errAlgoGone   = rejectWith("51503", "Your order has already been filled or canceled.")
	errAlgoFixed  = rejectWith("51506", "Order modification unavailable for the order type.")
	errAlgoAbsent = rejectWith("51526", "Order modification unsuccessful. Take profit/Stop loss conditions cannot be added to or removed from stop orders.")
)

// amendAlgo amends an algo order after the engine delay. One that has triggered
// meanwhile stays unchanged, and the failure is published.
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
			s.After(s.options.EngineDelay, func() {
				if s.changeAlgo(a, &arg, false) != nil {
					s.algos.amendFailed(a, arg.ReqID)
				}
			})
		}
	}
	if failed != nil {
		answer = rejectionAck(failed, c.now)
	}
	answer.AlgoID, answer.AlgoClOrdID, answer.ReqID = &arg.AlgoID, &arg.AlgoClOrdID, &arg.ReqID
	return ackList{answer}, nil
}

// amendable returns the algo order of a request, if it can be amended.
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

// changeAlgo changes every leg that the request names, or only checks that in a dry
// run.
func (s *Sim) changeAlgo(a *algo, arg *algoAmendArg, dryRun bool) *apiError {
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
			if !dryRun {
				s.algos.drop(a, kind, id)
			}
			continue
		}
		if failed := s.changeLeg(a, kind, id, arg.of(kind), simcore.ConditionalAmendment{Qty: qty, DryRun: dryRun}); failed != nil {
			return failed
		}
	}
	if !dryRun {
		s.algos.amended(a, arg, qty)
		s.Exchange().Touch(a.account, s.algos.idOf(a))
	}
	return nil
}

// adds rejects the addition of a leg that the algo order was placed without.
func (arg *algoAmendArg) adds(legs map[legKind]int64) *apiError {
	if _, has := legs[legTakeProfit]; arg.NewTpTriggerPx != "" && !has {
		return errAlgoAbsent
	}
	if _, has := legs[legStopLoss]; arg.NewSlTriggerPx != "" && !has {
		return errAlgoAbsent
	}
	return nil
}

// drop removes a leg of an algo order.
func (d *algoBook) drop(a *algo, kind legKind, id int64) {
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

// legAmendment is the requested change of a leg.
type legAmendment struct{ trigger, px string }

func (arg *algoAmendArg) of(kind legKind) legAmendment {
	switch kind {
	case legStopLoss:
		return legAmendment{arg.NewSlTriggerPx, arg.NewSlOrdPx}
	case legTakeProfit:
		return legAmendment{arg.NewTpTriggerPx, arg.NewTpOrdPx}
	default:
		return legAmendment{arg.NewTriggerPx, arg.NewOrdPx}
	}
}

// changeLeg changes one leg. The request holds the changes common to all legs.
func (s *Sim) changeLeg(a *algo, kind legKind, id int64, change legAmendment, request simcore.ConditionalAmendment) *apiError {
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
		return algoError(err, &c.Request)
	}
	return nil
}

// optional parses a positive decimal, zero where it is absent.
func optional(name, text string) (decimal.Decimal, *apiError) {
	if text == "" {
		return decimal.Zero, nil
	}
	return positive(name, text)
}

// legsOf returns the legs of a live algo order by kind.
func (d *algoBook) legsOf(a *algo) (legs map[legKind]int64, live bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	legs = map[legKind]int64{}
	for id, kind := range a.legs {
		legs[kind] = id
	}
	return legs, a.state == algoLive && !a.fired
}

// amendFailed publishes that an amendment failed after its acknowledgement.
func (d *algoBook) amendFailed(a *algo, reqID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	body := a.body()
	body.ReqID, body.AmendResult = reqID, "-1"
	d.sim.hub.algoChanged(a.account, body)
}

// amended applies the change to the algo order and publishes it.
func (d *algoBook) amended(a *algo, arg *algoAmendArg, qty decimal.Decimal) {
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
	d.touch(a)
	d.sim.hub.algoChanged(a.account, a.body())
}

// sendAlgos replaces what is shown by what a client sent, if anything.
func show(field *string, sent string) {
	if sent != "" {
		*field = sent
	}
}
