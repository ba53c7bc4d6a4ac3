package venues

import "context"

type resolvingKey struct{}

// Resolving marks what is asked with ctx as asked to find out the outcome of a
// request that changed something. Connectors let it pass before their other
// readings when a venue's request limit runs short.
func Resolving(ctx context.Context) context.Context {
	return context.WithValue(ctx, resolvingKey{}, true)
}

// IsResolving says whether ctx is one of Resolving.
func IsResolving(ctx context.Context) bool {
	resolving, _ := ctx.Value(resolvingKey{}).(bool)
	return resolving
}
