package venues

import "context"

// Origin identifies the HTTP request behind a command, in logs and in the journal. Both
// members are the client's; they are empty if it sent none.
type Origin struct {
	// RequestID is X-Request-Id, Traceparent the W3C trace context.
	RequestID, Traceparent string
}

type originKey struct{}

// WithOrigin returns a context with the origin of a request.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns the origin in ctx; the zero Origin if it has none.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
