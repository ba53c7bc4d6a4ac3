package venues

// Attachment is what a venue tells of an order of its own making that protects
// a position. One order may hold both triggers; the first reached counts.
type Attachment struct {
	// EntryClientID is the client id of the order that brought the protection
	// along; empty if the venue does not tell.
	EntryClientID string
	// OfPosition says that it protects the whole position, whichever order brought
	// it: a newer one replaces it.
	OfPosition bool
	// StopLoss and TakeProfit are the triggers that the order holds.
	StopLoss   Optional
	TakeProfit Optional
	// Fired is the trigger that was reached; empty before that, and where the
	// venue does not tell which of two it was.
	Fired Protecting
}

// Trigger is the price that the order holds for a kind.
func (a *Attachment) Trigger(kind Protecting) Optional {
	if kind == ProtectingStopLoss {
		return a.StopLoss
	}
	return a.TakeProfit
}
