package bybit

import "venuegate/venues"

// attachmentOf returns what an order protects that the venue created for a trigger of a
// position. Triggers set on the position itself have no parent.
func attachmentOf(stopOrderType, parentLinkID string, trigger venues.Optional) *venues.Attachment {
	a := &venues.Attachment{EntryClientID: parentLinkID}
	switch stopOrderType {
	case "StopLoss":
		a.StopLoss, a.WholePosition = trigger, true
	case "TakeProfit":
		a.TakeProfit, a.WholePosition = trigger, true
	case "PartialStopLoss":
		a.StopLoss = trigger
	case "PartialTakeProfit":
		a.TakeProfit = trigger
	default:
		return nil
	}
	return a
}
