package admin

import (
	"bytes"
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/pprof"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/registry"
)

func (s *Server) routeHealth() {
	s.app.Get("/healthz", func(c *fiber.Ctx) error { return c.JSON(fiber.Map{"status": "ok"}) })
	s.app.Get("/readyz", func(c *fiber.Ctx) error {
		r := s.Readiness()
		if !r.Ready {
			c.Status(fiber.StatusServiceUnavailable)
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
		return c.Send(api.AppendReadiness(nil, &r))
	})
	s.app.Get("/metrics", adaptor.HTTPHandler(promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{DisableCompression: true})))
	s.app.Get("/openapi.yaml", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, mediaYAML)
		return c.Send(OpenAPI())
	})
	s.app.Use("/debug/pprof", s.authorize)
	s.app.Use(pprof.New())
}

func (s *Server) routeRecords() {
	v1 := s.app.Group("/admin/v1", s.authorize)
	r := s.Registry

	v1.Post("/customers", create(s, r.Customers.Create))
	v1.Get("/customers", list(s, func(ctx context.Context, _ string) ([]registry.Customer, error) { return r.Customers.List(ctx) }))
	v1.Get("/customers/:id", one(s, r.Customers.Get))
	v1.Patch("/customers/:id", change(s, r.Customers.Change))
	v1.Delete("/customers/:id", one(s, r.Customers.Disable))

	v1.Post("/keys", create(s, r.Keys.Create))
	v1.Get("/keys", list(s, r.Keys.List))
	v1.Get("/keys/:id", one(s, r.Keys.Get))
	v1.Patch("/keys/:id", change(s, r.Keys.Change))
	v1.Delete("/keys/:id", one(s, r.Keys.Revoke))

	v1.Get("/backup", s.backup)
	v1.Get("/latency", one(s, func(context.Context, string) (Latency, error) { return s.Latency(), nil }))
	v1.Post("/rotate-key", one(s, func(ctx context.Context, _ string) (registry.Rotated, error) { return r.RotateKey(ctx) }))

	v1.Post("/accounts", create(s, r.Accounts.Connect))
	v1.Get("/accounts", list(s, r.Accounts.List))
	v1.Get("/accounts/:id", one(s, r.Accounts.Get))
	v1.Patch("/accounts/:id", change(s, r.Accounts.Change))
	v1.Delete("/accounts/:id", one(s, r.Accounts.Disconnect))
	v1.Post("/accounts/:id/halt", change(s, r.Accounts.Halt))
	v1.Post("/accounts/:id/resume", one(s, r.Accounts.Resume))
	v1.Post("/accounts/:id/unlock", one(s, r.Accounts.Unlock))
	v1.Post("/accounts/:id/check", one(s, items(r.Accounts.Check)))

	v1.Post("/hooks", create(s, r.Hooks.Create))
	v1.Get("/hooks", list(s, r.Hooks.List))
	v1.Get("/hooks/:id", one(s, r.Hooks.Get))
	v1.Patch("/hooks/:id", change(s, r.Hooks.Change))
	v1.Delete("/hooks/:id", one(s, r.Hooks.Remove))
	v1.Post("/hooks/:id/rotate", change(s, r.Hooks.Rotate))
	v1.Post("/hooks/:id/test", s.fireHook)

	v1.Post("/endpoints", create(s, r.Endpoints.Create))
	v1.Get("/endpoints", list(s, r.Endpoints.List))
	v1.Get("/endpoints/:id", one(s, r.Endpoints.Get))
	v1.Patch("/endpoints/:id", change(s, r.Endpoints.Change))
	v1.Delete("/endpoints/:id", one(s, r.Endpoints.Remove))
	v1.Post("/endpoints/:id/rotate", change(s, r.Endpoints.Rotate))
	v1.Post("/endpoints/:id/test", one(s, r.Endpoints.Test))
	v1.Post("/endpoints/:id/resend", change(s, r.Deliveries.Resend))
	v1.Get("/endpoints/:id/deliveries", s.deliveries)
	v1.Get("/endpoints/:id/files", one(s, items(r.Files.List)))
	v1.Get("/endpoints/:id/files/:name", s.file)

	v1.Post("/alerts", create(s, r.Alerts.Create))
	v1.Get("/alerts", list(s, r.Alerts.List))
	v1.Get("/alerts/:id", one(s, r.Alerts.Get))
	v1.Patch("/alerts/:id", change(s, r.Alerts.Change))
	v1.Delete("/alerts/:id", one(s, r.Alerts.Remove))

	v1.Get("/journal", s.journal)
	v1.Get("/journal/export", s.export)
	v1.Get("/journal/verify", one(s, func(ctx context.Context, _ string) (registry.Verified, error) { return r.VerifyJournal(ctx) }))
}

// fireHook executes the body as a signal of the channel.
func (s *Server) fireHook(c *fiber.Ctx) error {
	id, body := c.Params("id"), bytes.Clone(c.Request().Body())
	return answer(s, c, http.StatusAccepted, func(ctx context.Context) (jsontext.Value, error) {
		return s.Registry.Hooks.Fire(ctx, id, body)
	})
}

func (s *Server) deliveries(c *fiber.Ctx) error {
	q := parseQuery(c, "status", "eventId", "limit", "cursor")
	id, f := c.Params("id"), registry.DeliveryFilter{
		Status:  api.QueryOneOf(q, "status", "", persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered),
		EventID: text(q, "eventId"), Limit: q.Limit("limit", registry.PageDefault, registry.PageMax), Cursor: text(q, "cursor"),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return answer(s, c, http.StatusOK, func(ctx context.Context) (registry.Page[registry.Delivery], error) {
		return s.Registry.Deliveries.List(ctx, id, f)
	})
}

func (s *Server) journal(c *fiber.Ctx) error {
	q := parseQuery(c, append(filterNames(), "limit", "cursor")...)
	f := journalFilter(q)
	f.Limit, f.Cursor = q.Limit("limit", registry.PageDefault, registry.PageMax), text(q, "cursor")
	if err := q.Err(); err != nil {
		return err
	}
	return answer(s, c, http.StatusOK, func(ctx context.Context) (registry.Page[registry.Row], error) { return s.Registry.Journal.List(ctx, f) })
}

// parseQuery parses the query string of a call. An unknown parameter is an error: a
// misspelt filter would list too much.
func parseQuery(c *fiber.Ctx, known ...string) *api.Query {
	q := api.ParseQuery(string(c.Request().URI().QueryString()), known...)
	q.RejectUnknown()
	return q
}

// text returns a parameter unchanged; an absent one is empty.
func text(q *api.Query, name string) string {
	value, _ := q.Text(name)
	return value
}

func filterNames() []string {
	return []string{"customer", "channel", "symbol", "kind", "result", "subject", "from", "to"}
}

// journalFilter returns the filter in a query.
func journalFilter(q *api.Query) registry.JournalFilter {
	return registry.JournalFilter{
		Customer: text(q, "customer"), Channel: text(q, "channel"), Symbol: text(q, "symbol"), Kind: text(q, "kind"),
		Result: text(q, "result"), Subject: text(q, "subject"), From: q.Time("from"), To: q.Time("to"),
	}
}
