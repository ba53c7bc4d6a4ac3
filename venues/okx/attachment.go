package okx

import (
	"strings"

	"venuegate/venues"
)

const (
	// attachedSuffix is appended to the client id of an order for its attached
	// protection. The venue gives that id to the algo order that it creates.
	attachedSuffix = "p"
	// clientIDMax is the length of the longest client id that the venue accepts.
	clientIDMax = 32
)

// Values of actualSide: which of its two triggers an algo order has reached.
const (
	actualStopLoss   = "sl"
	actualTakeProfit = "tp"
)

// attachedClientID returns the client id of the protection attached to an order; empty if
// the order's id is too long.
func attachedClientID(clientOrderID string) string {
	if clientOrderID == "" || len(clientOrderID)+len(attachedSuffix) > clientIDMax {
		return ""
	}
	return clientOrderID + attachedSuffix
}

// protectionOf returns the attachAlgoOrds of an order; nil if it has no protection.
func protectionOf(s *venues.OrderSpec, clientOrderID string) []attachedProtection {
	if !s.StopLoss.Valid && !s.TakeProfit.Valid {
		return nil
	}
	stop := attachedProtection{AttachAlgoClOrdID: attachedClientID(clientOrderID)}
	if s.StopLoss.Valid {
		stop.SlTriggerPx, stop.SlOrdPx, stop.SlTriggerPxType = venues.FormatOptional(s.StopLoss), marketOrder, lastPriceTrigger
	}
	if s.TakeProfit.Valid {
		stop.TpTriggerPx, stop.TpOrdPx, stop.TpTriggerPxType = venues.FormatOptional(s.TakeProfit), marketOrder, lastPriceTrigger
	}
	return []attachedProtection{stop}
}

// attachment describes an algo order that protects a position; nil for any other stop. Such
// an order contains both stop loss and take profit. EntryClientID is empty if it was not
// attached to an order of this service.
func (o *algoRecord) attachment() *venues.Attachment {
	if o.OrdType != algoConditional && o.OrdType != algoOCO {
		return nil
	}
	entry, isAttached := strings.CutSuffix(o.AlgoClOrdID, attachedSuffix)
	if !isAttached && o.AlgoClOrdID != "" {
		return nil // a stop placed under a client id of its own
	}
	a := &venues.Attachment{EntryClientID: entry, StopLoss: o.SlTriggerPx.Positive(), TakeProfit: o.TpTriggerPx.Positive()}
	switch o.ActualSide {
	case actualStopLoss:
		a.Triggered = venues.LegStopLoss
	case actualTakeProfit:
		a.Triggered = venues.LegTakeProfit
	}
	return a
}
