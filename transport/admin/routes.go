package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net/http"
	"slices"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/pprof"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/operations"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
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

// prefix begins the paths of the calls on records.
const prefix = "/admin/v1"

func (s *Server) routeRecords() {
	v1 := s.app.Group(prefix, s.authorize)
	routes := []recordapi.Route{{Method: http.MethodGet, Path: "/backup", Handle: s.backup}}
	for _, r := range slices.Concat(recordapi.Records(), operations.Routes(s.Operations), routes) {
		v1.Add(r.Method, r.Path, func(c *fiber.Ctx) error { return r.Handle(&s.calls, &s.Registry.View, c) })
	}
}

func (s *Server) backup(on *recordapi.Server, _ *registry.View, c *fiber.Ctx) error {
	on.Stream(c, fiber.MIMEOctetStream, func(w io.Writer) error { return s.Backup(on.Context, w) })
	return nil
}

// authorize rejects calls without the token. It compares hashes, so that the time
// reveals neither content nor length.
func (s *Server) authorize(c *fiber.Ctx) error {
	have, want := sha256.Sum256([]byte(auth.Bearer(c.Get(fiber.HeaderAuthorization)))), sha256.Sum256([]byte(s.Token.Reveal()))
	if subtle.ConstantTimeCompare(have[:], want[:]) != 1 {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
		return venues.Errorf(venues.CodeUnauthorized, "the administration token is missing or wrong; see admin.token in the data directory")
	}
	return c.Next()
}
