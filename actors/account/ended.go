package account

import (
	"cmp"

	"venuegate/venues"
)

// endTexts are the messages of orders that can neither rest nor be filled. They and the codes
// are the same on all venues, whether a venue rejects such an order or accepts and ends it.
var endTexts = map[string]string{
	venues.ReasonPostOnlyWouldTake: "the post-only order would have taken liquidity",
	venues.ReasonFOKNotFilled:      "the order could not be filled completely at once",
	venues.ReasonIOCNotFilled:      "nothing of the order could be filled at once",
	venues.ReasonNoLiquidity:       "the market could not fill the order",
}

// endError returns the error of an order that its venue has ended for a reason. Its code is
// the reason, unless the venue's code has a more specific meaning.
func endError(r venues.RejectReason) *venues.RejectReason {
	if r.Code == venues.CodeOrderRejected {
		r.Code = venues.Code(cmp.Or(r.Reason, string(r.Code)))
	}
	r.Message = cmp.Or(endTexts[r.Reason], r.Message)
	return &r
}

// endsUnfilled reports whether the reason of a rejection is that a post-only order could not
// rest, or an order that takes liquidity not fill.
func endsUnfilled(o *order, reason string) bool {
	switch reason {
	case venues.ReasonPostOnlyWouldTake, venues.ReasonFOKNotFilled, venues.ReasonIOCNotFilled:
		return true
	case venues.ReasonNoLiquidity:
		return o.takesLiquidity() && !o.Type.IsStop()
	}
	return false
}
