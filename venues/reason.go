package venues

// Reasons in details.reason and RejectReason.Reason that are the same on every venue.
// Connectors may add others that only their venue has; the account reacts to these.
const (
	// ReasonPostOnlyWouldTake, ReasonFOKNotFilled, ReasonIOCNotFilled and ReasonNoLiquidity:
	// the order could neither rest nor be filled. It counts as accepted and immediately
	// closed.
	ReasonPostOnlyWouldTake = "post_only_would_take"
	ReasonFOKNotFilled      = "fok_not_filled"
	ReasonIOCNotFilled      = "ioc_not_filled"
	ReasonNoLiquidity       = "no_liquidity"
	// ReasonDiskFull: the disk of the service is full; see DiskFull.
	ReasonDiskFull = "disk_full"
	// ReasonNoPosition: there is nothing to reduce.
	ReasonNoPosition = "no_position"
	// ReasonOtherLegTriggered: the venue cancelled one of two protecting orders because
	// the other one triggered.
	ReasonOtherLegTriggered = "other_leg_triggered"
	// ReasonWouldTrigger: the price has already reached the trigger.
	ReasonWouldTrigger = "would_trigger"
	// ReasonPriceBand: the price is further from the market than the venue allows.
	ReasonPriceBand = "price_band"
	// ReasonUnknownSymbol: the venue does not list the instrument, or no longer.
	ReasonUnknownSymbol = "unknown_symbol"
	// ReasonTooLate: the request reached the venue after its deadline.
	ReasonTooLate = "too_late"
	// ReasonNotSent and ReasonNotPlaced: the venue certainly does not have the order.
	ReasonNotSent   = "not_sent"
	ReasonNotPlaced = "not_placed"
	// ReasonStale: messages about a book were lost, and it is not complete again yet.
	ReasonStale = "stale"
	// ReasonOpenPosition, ReasonOpenOrders and ReasonAboveMax: why the leverage was not
	// changed.
	ReasonOpenPosition = "open_position"
	ReasonOpenOrders   = "open_orders"
	ReasonAboveMax     = "above_max"
)
