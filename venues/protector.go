package venues

import (
	"context"
	"time"
)

// ProtectRequest changes the stop loss and take profit that a venue has attached to an
// order. Prices are absolute, so the request may be repeated.
type ProtectRequest struct {
	// Entry is the order that the protection was attached to, Side its side.
	Entry OrderRef
	Side  Side
	// Leg is the venue's protecting order; zero while there is none.
	Leg OrderRef
	// StopLoss and TakeProfit are the new triggers: nil leaves one as it is, an unknown
	// price removes it.
	StopLoss   *Optional
	TakeProfit *Optional
	Deadline   time.Time
}

// Set sets the new trigger of a kind.
func (r *ProtectRequest) Set(kind LegKind, price Optional) {
	if kind == LegStopLoss {
		r.StopLoss = &price
		return
	}
	r.TakeProfit = &price
}

// Changes reports whether the request changes a kind.
func (r *ProtectRequest) Changes(kind LegKind) bool {
	if kind == LegStopLoss {
		return r.StopLoss != nil
	}
	return r.TakeProfit != nil
}

// Protector is an Account whose venue attaches protection to orders
// (Capabilities.AttachedProtection). Errors are those of Trading.
type Protector interface {
	Protect(ctx context.Context, r ProtectRequest) error
}
