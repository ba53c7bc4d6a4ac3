package recordapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/registry"
)

// listDeliveries lists the deliveries of the endpoint in the path, or of the customer or the
// endpoint in the query.
func listDeliveries(s *Server, v *registry.View, c *fiber.Ctx) error {
	known := []string{"status", "eventId", "type", "code", "from", "to", "limit", "cursor"}
	endpoint := Param(c, "id")
	if endpoint == "" {
		known = append(known, "customer", "endpoint")
	}
	q := parseQuery(c, known...)
	if endpoint == "" {
		endpoint = text(q, "endpoint")
	}
	f := registry.DeliveryFilter{
		Customer: text(q, "customer"), Endpoint: strings.Clone(endpoint),
		Status:  api.QueryOneOf(q, "status", "", persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered),
		EventID: text(q, "eventId"), Type: api.QueryOneOf(q, "type", "", persistence.EndpointTelegram.EventTypes()...), Code: text(q, "code"),
		From: q.Time("from"), To: q.Time("to"),
	}
	page := pageRequest(q)
	f.Limit, f.Cursor = page.Limit, page.Cursor
	if err := q.Err(); err != nil {
		return err
	}
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.Page[registry.Delivery], error) {
		return v.Deliveries.List(ctx, f)
	})
}

func getDelivery(s *Server, v *registry.View, c *fiber.Ctx) error {
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.DeliveryDetail, error) {
		return v.Deliveries.Get(ctx, Param(c, "id"), Param(c, "event"))
	})
}

func listAttempts(s *Server, v *registry.View, c *fiber.Ctx) error {
	q := parseQuery(c, "limit", "cursor")
	page := pageRequest(q)
	if err := q.Err(); err != nil {
		return err
	}
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.Page[registry.Attempt], error) {
		return v.Deliveries.Attempts(ctx, Param(c, "id"), Param(c, "event"), page)
	})
}

// pageRequest returns the page that a query selects.
func pageRequest(q *api.Query) registry.PageRequest {
	return registry.PageRequest{Limit: q.Limit("limit", registry.PageDefault, registry.PageMax), Cursor: text(q, "cursor")}
}
