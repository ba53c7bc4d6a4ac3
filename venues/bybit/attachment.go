package bybit

import "venuegate/venues"

// attachmentOf reads an order that the venue made to protect a position: one for
// each trigger. Those that were set for the position itself name no parent.
func attachmentOf(stopOrderType, parentLinkID string, trigger venues.Optional) *venues.Attachment {
	a := &venues.Attachment{EntryClientID: parentLinkID}
	switch stopOrderType {
	case "StopLoss":
		a.StopLoss, a.OfPosition = trigger, true
	case "TakeProfit":
		a.TakeProfit, a.OfPosition = trigger, true
	case "PartialStopLoss":
		a.StopLoss = trigger
	case "PartialTakeProfit":
		a.TakeProfit = trigger
	default:
		return nil
	}
	return a
}
