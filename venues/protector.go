package venues

import (
	"context"
	"time"
)

// ProtectRequest changes the stop loss and take profit that a venue has attached
// to an order. It holds absolute prices, so it may be repeated.
type ProtectRequest struct {
	// Entry is the order that brought the protection along, Side its side.
	Entry OrderRef
	Side  Side
	// Leg is the venue's protecting order; zero as long as there is none.
	Leg OrderRef
	// StopLoss and TakeProfit are the triggers wanted: nil leaves one as it is,
	// an unknown price removes it.
	StopLoss   *Optional
	TakeProfit *Optional
	Deadline   time.Time
}

// Set notes the trigger wanted for a kind.
func (r *ProtectRequest) Set(kind Protecting, price Optional) {
	if kind == ProtectingStopLoss {
		r.StopLoss = &price
		return
	}
	r.TakeProfit = &price
}

// Wants says whether the request changes a kind.
func (r *ProtectRequest) Wants(kind Protecting) bool {
	if kind == ProtectingStopLoss {
		return r.StopLoss != nil
	}
	return r.TakeProfit != nil
}

// Protector is an Account whose venue attaches protection to orders
// (Capabilities.AttachedProtection). Errors are those of Trading.
type Protector interface {
	Protect(ctx context.Context, r ProtectRequest) error
}
