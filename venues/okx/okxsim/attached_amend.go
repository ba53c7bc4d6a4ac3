package okxsim

import (
	"slices"

	"venuegate/venues/simcore"
)

// attachmentAmend amends an attachment of an open order.
type attachmentAmend struct {
	AttachAlgoID       string `json:"attachAlgoId"`
	AttachAlgoClOrdID  string `json:"attachAlgoClOrdId"`
	NewTpTriggerPx     string `json:"newTpTriggerPx"`
	NewTpOrdPx         string `json:"newTpOrdPx"`
	NewTpTriggerPxType string `json:"newTpTriggerPxType"`
	NewSlTriggerPx     string `json:"newSlTriggerPx"`
	NewSlOrdPx         string `json:"newSlOrdPx"`
	NewSlTriggerPxType string `json:"newSlTriggerPxType"`
}

// removed deletes a trigger.
const removed = "0"

var errNotAttached = rejectWith("51538", "You need to use attachAlgoOrds if you used attachAlgoOrds when placing an order.")

// amendAttached amends the attachments of an order, all or none. An attachment
// without a trigger is removed.
func amendAttached(o *simcore.Order, arg *amendArg) *apiError {
	detail := detailOf(o)
	list := slices.Clone(detail.stops())
	price := o.Price()
	for _, amend := range arg.AttachAlgoOrds {
		n := slices.IndexFunc(list, func(a attachment) bool {
			return a.id == amend.AttachAlgoID || (amend.AttachAlgoID == "" && amend.AttachAlgoClOrdID != "" && a.arg.AttachAlgoClOrdID == amend.AttachAlgoClOrdID)
		})
		if n < 0 {
			return errNotAttached
		}
		t := list[n].arg
		if amend.NewTpTriggerPx != "" && t.TpTriggerPx == "" && amend.NewTpTriggerPxType == "" {
			return errEmpty("newTpTriggerPxType")
		}
		if amend.NewSlTriggerPx != "" && t.SlTriggerPx == "" && amend.NewSlTriggerPxType == "" {
			return errEmpty("newSlTriggerPxType")
		}
		move(&t.TpTriggerPx, &t.TpOrdPx, &t.TpTriggerPxType, amend.NewTpTriggerPx, amend.NewTpOrdPx, amend.NewTpTriggerPxType)
		move(&t.SlTriggerPx, &t.SlOrdPx, &t.SlTriggerPxType, amend.NewSlTriggerPx, amend.NewSlOrdPx, amend.NewSlTriggerPxType)
		if t.TpTriggerPx == "" && t.SlTriggerPx == "" {
			list = slices.Delete(list, n, n+1)
			continue
		}
		if failed := t.check(o.Side, orderReference(price)); failed != nil {
			return failed
		}
		list[n].arg = t
	}
	detail.setStops(list)
	return nil
}

func move(trigger, order, watched *string, newTrigger, newOrder, newWatched string) {
	if newTrigger == removed || newOrder == removed {
		*trigger, *order, *watched = "", "", ""
		return
	}
	show(trigger, newTrigger)
	show(order, newOrder)
	show(watched, newWatched)
}
