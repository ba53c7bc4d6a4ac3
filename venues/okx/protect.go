package okx

import (
	"context"

	"venuegate/venues"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

// noTrigger is the trigger price that removes a stop loss or take profit.
const noTrigger = "0"

// attachedAmendment changes the protection of an order that is not filled yet.
type attachedAmendment struct {
	AttachAlgoClOrdID  string `json:"attachAlgoClOrdId"`
	NewSlTriggerPx     string `json:"newSlTriggerPx,omitempty"`
	NewSlOrdPx         string `json:"newSlOrdPx,omitempty"`
	NewSlTriggerPxType string `json:"newSlTriggerPxType,omitempty"`
	NewTpTriggerPx     string `json:"newTpTriggerPx,omitempty"`
	NewTpOrdPx         string `json:"newTpOrdPx,omitempty"`
	NewTpTriggerPxType string `json:"newTpTriggerPxType,omitempty"`
}

// Protect changes stop loss and take profit: those of the algo order once it exists, else
// those attached to the order. The protection of a stop cannot be changed.
func (a *Account) Protect(ctx context.Context, r venues.ProtectRequest) error {
	k, err := a.c.instrument(ctx, r.Entry.Symbol)
	if err != nil {
		return restclient.NotSent(err)
	}
	c := change{instrument: k, priority: restclient.PriorityProtect, deadline: r.Deadline}
	switch {
	case r.Leg != (venues.OrderRef{}):
		name := algoNameOf(k, r.Leg)
		amendment := algoAmendment{InstID: name.InstID, AlgoID: name.AlgoID, AlgoClOrdID: name.AlgoClOrdID}
		amendment.NewSlTriggerPx, amendment.NewSlOrdPx = newTrigger(r.StopLoss)
		amendment.NewTpTriggerPx, amendment.NewTpOrdPx = newTrigger(r.TakeProfit)
		c.path, c.perWindow, c.body = algoAmendPath, algoLimit, amendment
	case r.Entry.Type.IsStop():
		return notAmendable()
	default:
		name := orderNameOf(k, r.Entry)
		amendment := attachedAmendment{AttachAlgoClOrdID: attachedClientID(r.Entry.ClientOrderID)}
		amendment.NewSlTriggerPx, amendment.NewSlOrdPx = newTrigger(r.StopLoss)
		amendment.NewTpTriggerPx, amendment.NewTpOrdPx = newTrigger(r.TakeProfit)
		amendment.NewSlTriggerPxType, amendment.NewTpTriggerPxType = triggerTypeOf(amendment.NewSlTriggerPx), triggerTypeOf(amendment.NewTpTriggerPx)
		c.path, c.perWindow, c.countsOrder = amendPath, orderLimit, true
		c.body = amendCommand{instrumentName: name.instrumentName, OrdID: name.OrdID, ClOrdID: name.ClOrdID, AttachAlgoOrds: []attachedAmendment{amendment}}
	}
	_, err = a.sendChange(ctx, c)
	if rejection.Is(err, codeNothingToAmend) {
		return nil
	}
	return err
}

// newTrigger returns the parameters that change a trigger to a price: both are empty if
// price is nil (no change), noTrigger if it is unknown (remove).
func newTrigger(price *venues.Optional) (trigger, order string) {
	switch {
	case price == nil:
		return "", ""
	case !price.Valid:
		return noTrigger, noTrigger
	}
	return venues.FormatOptional(*price), marketOrder
}

// triggerTypeOf returns the price that a trigger refers to; empty without a trigger.
func triggerTypeOf(trigger string) string {
	if trigger == "" || trigger == noTrigger {
		return ""
	}
	return lastPriceTrigger
}
