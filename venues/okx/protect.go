package okx

import (
	"context"

	"venuegate/venues"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

// noTrigger removes a stop loss or take profit.
const noTrigger = "0"

// attachedAmendment changes what is attached to an order that is not filled yet.
type attachedAmendment struct {
	AttachAlgoClOrdID  string `json:"attachAlgoClOrdId"`
	NewSlTriggerPx     string `json:"newSlTriggerPx,omitempty"`
	NewSlOrdPx         string `json:"newSlOrdPx,omitempty"`
	NewSlTriggerPxType string `json:"newSlTriggerPxType,omitempty"`
	NewTpTriggerPx     string `json:"newTpTriggerPx,omitempty"`
	NewTpOrdPx         string `json:"newTpOrdPx,omitempty"`
	NewTpTriggerPxType string `json:"newTpTriggerPxType,omitempty"`
}

// Protect changes stop loss and take profit: those of the algo order once it
// lives, else those that are attached to the order. What is attached to a stop
// cannot be changed.
func (a *Account) Protect(ctx context.Context, r venues.ProtectRequest) error {
	k, err := a.c.instrument(ctx, r.Entry.Symbol)
	if err != nil {
		return restclient.NotSent(err)
	}
	w := change{k: k, lane: restclient.LaneProtect, deadline: r.Deadline}
	switch {
	case r.Leg != (venues.OrderRef{}):
		name := algoNameOf(k, r.Leg)
		amendment := algoAmendment{InstID: name.InstID, AlgoID: name.AlgoID, AlgoClOrdID: name.AlgoClOrdID}
		amendment.NewSlTriggerPx, amendment.NewSlOrdPx = triggerWanted(r.StopLoss)
		amendment.NewTpTriggerPx, amendment.NewTpOrdPx = triggerWanted(r.TakeProfit)
		w.path, w.limit, w.body = algoAmendPath, algoLimit, amendment
	case r.Entry.Type.IsStop():
		return notAmendable()
	default:
		name := nameOf(k, r.Entry)
		amendment := attachedAmendment{AttachAlgoClOrdID: attachedID(r.Entry.ClientOrderID)}
		amendment.NewSlTriggerPx, amendment.NewSlOrdPx = triggerWanted(r.StopLoss)
		amendment.NewTpTriggerPx, amendment.NewTpOrdPx = triggerWanted(r.TakeProfit)
		amendment.NewSlTriggerPxType, amendment.NewTpTriggerPxType = typeOf(amendment.NewSlTriggerPx), typeOf(amendment.NewTpTriggerPx)
		w.path, w.limit, w.counted = amendPath, orderLimit, true
		w.body = amendCommand{instrumentName: name.instrumentName, OrdID: name.OrdID, ClOrdID: name.ClOrdID, AttachAlgoOrds: []attachedAmendment{amendment}}
	}
	_, err = a.send(ctx, w)
	if refusal.Is(err, codeNothingToAmend) {
		return nil
	}
	return err
}

func triggerWanted(price *venues.Optional) (trigger, order string) {
	switch {
	case price == nil:
		return "", ""
	case !price.Valid:
		return noTrigger, noTrigger
	}
	return venues.FormatOptional(*price), marketOrder
}

// typeOf is the price that a trigger watches; none where there is no trigger.
func typeOf(trigger string) string {
	if trigger == "" || trigger == noTrigger {
		return ""
	}
	return lastPriceTrigger
}
