package venues

import (
	"context"
	"errors"
)

// Outcomes of a request that changes something at a venue. A connector joins one of
// them to every error of such a request (see errors.Is). An error with neither is an
// explicit rejection: the venue has decided, and nothing was placed.
var (
	// ErrOutcomeUnknown: the request may have been executed. Query it by its client
	// order id; never send it again.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrNotSent: no byte of the request left this machine. It may be sent again with
	// the same client order id before its deadline, which makes sense for the codes of
	// temporary conditions: rate_limited, maintenance and exchange_unavailable. With any
	// other code the connector itself rejects the request.
	ErrNotSent = errors.New("proved not sent")
)

type (
	outcomeQueryKey struct{}
	callerWaitsKey  struct{}
	routineReadKey  struct{}
)

// WithOutcomeQuery marks the reads that use the returned context as queries for the
// outcome of a request that changed something, or as others without which an account cannot
// trade. Connectors give them priority over other reads when a rate limit is nearly used up.
func WithOutcomeQuery(ctx context.Context) context.Context {
	return context.WithValue(ctx, outcomeQueryKey{}, true)
}

// IsOutcomeQuery reports whether ctx comes from WithOutcomeQuery.
func IsOutcomeQuery(ctx context.Context) bool {
	marked, _ := ctx.Value(outcomeQueryKey{}).(bool)
	return marked
}

// WithCaller marks the reads that use the returned context as those for which a caller of
// the service waits. Connectors give them priority over the reads of a reconciliation when a
// rate limit is nearly used up.
func WithCaller(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerWaitsKey{}, true)
}

// HasCaller reports whether ctx comes from WithCaller.
func HasCaller(ctx context.Context) bool {
	marked, _ := ctx.Value(callerWaitsKey{}).(bool)
	return marked
}

// WithRoutineRead marks the reads that use the returned context as those for which nobody
// waits. Connectors give other reads priority when a rate limit is nearly used up.
func WithRoutineRead(ctx context.Context) context.Context {
	return context.WithValue(ctx, routineReadKey{}, true)
}

// IsRoutineRead reports whether ctx comes from WithRoutineRead.
func IsRoutineRead(ctx context.Context) bool {
	marked, _ := ctx.Value(routineReadKey{}).(bool)
	return marked
}
