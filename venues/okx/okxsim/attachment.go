package okxsim

import (
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// attachment is a take-profit and stop-loss that becomes live with the fill of its
// order.
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

var (
	errAttachReducing = rejectWith("51100", "Unable to place order. Take profit/Stop loss conditions cannot be added to reduce-only orders.")
	errAttachClosing  = rejectWith("51333", "Close position order in hedge-mode or reduce-only order in one-way mode cannot attach TPSL")
	errAttachTwice    = rejectWith("51068", "attachAlgoClOrdId already exists within algoClOrdId and attachAlgoClOrdId.")
)

// parseAttachments parses the attachments of an order and checks that take-profit and
// stop-loss are on their sides of its price, or of the best price for market orders.
func (s *Sim) parseAttachments(a *orderArg, request *simcore.OrderRequest) ([]attachment, *apiError) {
	against := orderReference(request.Price)
	if request.Type == simcore.Market {
		against = s.bestReference(request)
	}
	return s.attachmentsOf(a.AttachAlgoOrds, request, against)
}

func (s *Sim) attachmentsOf(args []attachmentArg, request *simcore.OrderRequest, against reference) ([]attachment, *apiError) {
	switch {
	case len(args) == 0:
		return nil, nil
	case request.ReduceOnly:
		return nil, errAttachReducing
	case closesSide(request):
		return nil, errAttachClosing
	}
	list := make([]attachment, 0, len(args))
	for i, arg := range args {
		failed := arg.check(request.Side, against)
		if id := arg.AttachAlgoClOrdID; failed == nil && id != "" && (s.algos.hasClientID(request.Account, id) || s.hasAttached(request.Account, id)) {
			failed = errAttachTwice
		}
		if failed != nil {
			return nil, failed
		}
		arg.TpTriggerPxType, arg.SlTriggerPxType = pxType(arg.TpTriggerPx, arg.TpTriggerPxType), pxType(arg.SlTriggerPx, arg.SlTriggerPxType)
		list = append(list, attachment{id: idText(s.Clock.Now().UnixMicro()*10 + int64(i)), arg: arg})
	}
	return list, nil
}

// hasAttached reports whether an open order of an account has an attachment with a
// client's id.
func (s *Sim) hasAttached(account, clientID string) bool {
	orders := s.Exchange().OpenOrders(account, "")
	for i := range orders {
		for _, a := range detailOf(&orders[i]).stops() {
			if a.arg.AttachAlgoClOrdID == clientID {
				return true
			}
		}
	}
	return false
}

// pxType returns the watched price, by default the last one.
func pxType(trigger, typ string) string {
	if trigger != "" && typ == "" {
		return triggerLast
	}
	return typ
}

// check returns the error of a take-profit and stop-loss for an order of a side, or
// nil.
func (a *attachmentArg) check(side simcore.Side, against reference) *apiError {
	if a.TpTriggerPx == "" && a.SlTriggerPx == "" {
		return errEither("tpTriggerPx", "slTriggerPx")
	}
	for _, leg := range []struct {
		trigger, px string
		above       bool
		low, high   *apiError
	}{
		{a.TpTriggerPx, a.TpOrdPx, side == simcore.Buy, against.takeLow, against.takeHigh},
		{a.SlTriggerPx, a.SlOrdPx, side == simcore.Sell, against.stopLow, against.stopHigh},
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
		case against.price.IsZero():
		case leg.above && trigger.LessThanOrEqual(against.price):
			return leg.low
		case !leg.above && trigger.GreaterThanOrEqual(against.price):
			return leg.high
		}
	}
	return nil
}
