package okx

import (
	"strings"

	"venuegate/venues"
)

const (
	// attachedSuffix makes the client id of what is attached to an order out of
	// the order's own: the venue gives it to the algo order that it makes.
	attachedSuffix = "p"
	// clientIDMax is the longest client id.
	clientIDMax = 32
)

// Values of actualSide.
const (
	actualStopLoss   = "sl"
	actualTakeProfit = "tp"
)

// attachedID names what is attached to an order; empty if the order's id leaves
// no room.
func attachedID(clientOrderID string) string {
	if clientOrderID == "" || len(clientOrderID)+len(attachedSuffix) > clientIDMax {
		return ""
	}
	return clientOrderID + attachedSuffix
}

// attached is the protection that travels with an order.
func attached(s *venues.OrderSpec, clientOrderID string) []attachedStop {
	if !s.StopLoss.Valid && !s.TakeProfit.Valid {
		return nil
	}
	stop := attachedStop{AttachAlgoClOrdID: attachedID(clientOrderID)}
	if s.StopLoss.Valid {
		stop.SlTriggerPx, stop.SlOrdPx, stop.SlTriggerPxType = venues.FormatOptional(s.StopLoss), marketOrder, lastPriceTrigger
	}
	if s.TakeProfit.Valid {
		stop.TpTriggerPx, stop.TpOrdPx, stop.TpTriggerPxType = venues.FormatOptional(s.TakeProfit), marketOrder, lastPriceTrigger
	}
	return []attachedStop{stop}
}

// attachment reads an algo order that protects a position: one order holds both
// triggers. Those that were not attached to an order of ours name none.
func (o *algoRecord) attachment() *venues.Attachment {
	if o.OrdType != algoConditional && o.OrdType != algoOCO {
		return nil
	}
	entry, isAttached := strings.CutSuffix(o.AlgoClOrdID, attachedSuffix)
	if !isAttached && o.AlgoClOrdID != "" {
		return nil // a stop that somebody placed under an id of its own
	}
	a := &venues.Attachment{EntryClientID: entry, StopLoss: o.SlTriggerPx.Positive(), TakeProfit: o.TpTriggerPx.Positive()}
	switch o.ActualSide {
	case actualStopLoss:
		a.Fired = venues.ProtectingStopLoss
	case actualTakeProfit:
		a.Fired = venues.ProtectingTakeProfit
	}
	return a
}
