package okxsim

import (
	"venuegate/venues"
	"venuegate/venues/simcore"
)

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

var (
	errAttachReducing = refuse("51100", "Unable to place order. Take profit/Stop loss conditions cannot be added to reduce-only orders.")
	errAttachClosing  = refuse("51333", "Close position order in hedge-mode or reduce-only order in one-way mode cannot attach TPSL")
	errAttachTwice    = refuse("51068", "attachAlgoClOrdId already exists within algoClOrdId and attachAlgoClOrdId.")
)

// parseAttachments checks that take-profit and stop-loss lie on their sides of
// the order price, or of the best price for market orders.
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
		if id := arg.AttachAlgoClOrdID; failed == nil && id != "" && (s.algos.named(request.Account, id) || s.attached(request.Account, id)) {
			failed = errAttachTwice
		}
		if failed != nil {
			return nil, failed
		}
		arg.TpTriggerPxType, arg.SlTriggerPxType = pxType(arg.TpTriggerPx, arg.TpTriggerPxType), pxType(arg.SlTriggerPx, arg.SlTriggerPxType)
		list = append(list, attachment{id: idWord(s.Clock.Now().UnixMicro()*10 + int64(i)), arg: arg})
	}
	return list, nil
}

// attached says whether something waits with an open order of an account under a
// client's id.
func (s *Sim) attached(account, clientID string) bool {
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

// pxType is the watched price, by default the last one.
func pxType(trigger, typ string) string {
	if trigger != "" && typ == "" {
		return triggerLast
	}
	return typ
}

// check says what is wrong with a take-profit and stop-loss for an order of a side.
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
