package operations

import (
	"context"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
)

// Source reports the state of the running parts. Its methods are safe for concurrent use.
type Source interface {
	Actors() Actors
	Incidents() Incidents
	Venues() []Venue
	Books() []Book
	Streams() Streams
	Store(ctx context.Context) (Store, error)
	Config() (Config, error)
}

// Routes returns the calls over a source. Those on records need the view of all customers.
func Routes(from Source) []recordapi.Route {
	customers := func(v *registry.View) *registry.Customers { return v.Installation().Customers }
	installation := func(v *registry.View) *registry.Installation { return v.Installation() }
	return []recordapi.Route{
		{Method: http.MethodPost, Path: "/customers", Handle: recordapi.Create(customers, (*registry.Customers).Create)},
		{Method: http.MethodGet, Path: "/customers", Handle: recordapi.List(customers, (*registry.Customers).List)},
		{Method: http.MethodGet, Path: "/customers/:id", Handle: recordapi.One(customers, (*registry.Customers).Get)},
		{Method: http.MethodPatch, Path: "/customers/:id", Handle: recordapi.Change(customers, (*registry.Customers).Change)},
		{Method: http.MethodDelete, Path: "/customers/:id", Handle: recordapi.One(customers, (*registry.Customers).Disable)},

		{Method: http.MethodGet, Path: "/actors", Handle: report(func(context.Context) (Actors, error) { return from.Actors(), nil })},
		{Method: http.MethodGet, Path: "/incidents", Handle: report(func(context.Context) (Incidents, error) { return from.Incidents(), nil })},
		{Method: http.MethodGet, Path: "/venues", Handle: list(from.Venues)},
		{Method: http.MethodGet, Path: "/books", Handle: list(from.Books)},
		{Method: http.MethodGet, Path: "/streams", Handle: report(func(context.Context) (Streams, error) { return from.Streams(), nil })},
		{Method: http.MethodGet, Path: "/store", Handle: report(from.Store)},
		{Method: http.MethodGet, Path: "/config", Handle: report(func(context.Context) (Config, error) { return from.Config() })},

		{Method: http.MethodGet, Path: "/journal/verify", Handle: recordapi.One(installation, withoutID((*registry.Installation).VerifyJournal))},
		{Method: http.MethodPost, Path: "/rotate-key", Handle: recordapi.One(installation, withoutID((*registry.Installation).RotateKey))},
	}
}

// withoutID is a call on the installation, which has no id.
func withoutID[Out any](do func(*registry.Installation, context.Context) (Out, error)) func(*registry.Installation, context.Context, string) (Out, error) {
	return func(in *registry.Installation, ctx context.Context, _ string) (Out, error) { return do(in, ctx) }
}

// report answers with what read returns.
func report[T any](read func(context.Context) (T, error)) recordapi.Handler {
	return func(s *recordapi.Server, _ *registry.View, c *fiber.Ctx) error {
		return recordapi.Answer(s, c, http.StatusOK, read)
	}
}

// list answers with the items that read returns.
func list[T any](read func() []T) recordapi.Handler {
	return report(func(context.Context) (recordapi.Items[T], error) { return recordapi.Items[T]{Items: read()}, nil })
}
