package venues

// Reasons that details.reason and OrderFault.Reason carry on every venue alike.
// A connector may add others that only its venue knows; the account acts on
// these.
const (
	// ReasonPostOnlyWouldTake, ReasonFOKNotFilled and ReasonIOCNotFilled: the
	// order found no place to rest or to fill. It counts as accepted and ended
	// at once.
	ReasonPostOnlyWouldTake = "post_only_would_take"
	ReasonFOKNotFilled      = "fok_not_filled"
	ReasonIOCNotFilled      = "ioc_not_filled"
	// ReasonNoPosition: there is nothing to reduce.
	ReasonNoPosition = "no_position"
	// ReasonOtherLegTriggered: the venue ended one of two protecting orders
	// because the other was reached.
	ReasonOtherLegTriggered = "other_leg_triggered"
	// ReasonWouldTrigger: the trigger is already reached.
	ReasonWouldTrigger = "would_trigger"
	// ReasonPriceBand: the price is further from the market than the venue allows.
	ReasonPriceBand = "price_band"
	// ReasonUnknownSymbol: the venue lists no such instrument, or no more.
	ReasonUnknownSymbol = "unknown_symbol"
	// ReasonNotSent and ReasonNotPlaced: it is proven that the venue has not got
	// the order.
	ReasonNotSent   = "not_sent"
	ReasonNotPlaced = "not_placed"
	// ReasonOpenPosition, ReasonOpenOrders and ReasonAboveMax: why leverage was
	// not changed.
	ReasonOpenPosition = "open_position"
	ReasonOpenOrders   = "open_orders"
	ReasonAboveMax     = "above_max"
)
