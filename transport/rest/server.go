package rest

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/auth"
)

// Deps is what a Server needs. Everything up to Log is required.
type Deps struct {
	Trader    Trader
	Accounts  Accounts
	Catalogue Catalogue
	Records   Records
	Auth      Authenticator
	// Limiter counts requests per key; auth.NewMemoryLimiter makes one.
	Limiter auth.Limiter
	Ready   Readiness
	// CursorSecret signs cursors; it belongs to the installation. At least
	// api.CursorSecretBytesMin bytes.
	CursorSecret []byte
	// AsyncAPI is the stream's document, served at /asyncapi.yaml.
	AsyncAPI []byte
	Log      *zap.Logger

	// TLS, if set, encrypts what Serve accepts.
	TLS *tls.Config
	// TrustedProxies are those whose X-Forwarded-For and X-Forwarded-Proto are
	// believed; none by default.
	TrustedProxies []netip.Prefix
	// ConnsPerAddressMax bounds the connections of one address (IPv6: one /64);
	// default 200.
	// Behind a proxy every connection comes from it, so there it is off unless
	// set. Negative is off.
	ConnsPerAddressMax int
	// ConnsMax bounds the connections that speak HTTP; default 4096. Those that
	// were upgraded are their owner's to count.
	ConnsMax int
	// Observe, if set, is told of every answer, those of mounted routes included:
	// the route's path, not the request's, and "none" where there is no route. It
	// must not block.
	Observe func(method, path string, status int, took time.Duration)
}

// Settings of the HTTP server.
const (
	headerBytesMax            = 8 << 10
	readTimeout               = 5 * time.Second
	writeTimeout              = 10 * time.Second
	idleTimeout               = 60 * time.Second
	connsMaxDefault           = 4096
	connsPerAddressMaxDefault = 200
	requestsPerConnMax        = 10_000
	// requestWait bounds a handler. It is longer than api.OrderAnswerWait, so
	// that the account's own word ("pending") comes before ours.
	requestWait = 8 * time.Second
)

// Server is the REST edge. Its App serves requests; see Mount for more routes.
type Server struct {
	deps      Deps
	app       *fiber.App
	routes    []Route
	cursors   *api.Cursors
	catalogue catalogueIndex
	docs      docsPage
}

// New builds the server and registers the routes. It starts nothing; see Serve.
func New(d Deps) (*Server, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	cursors, err := api.NewCursors(d.CursorSecret)
	if err != nil {
		return nil, err
	}
	docs, err := renderDocs(api.OpenAPI(), d.AsyncAPI)
	if err != nil {
		return nil, fmt.Errorf("render the documentation: %w", err)
	}
	s := &Server{deps: d, cursors: cursors, docs: docs}
	s.app = s.newApp()
	s.app.Use(s.edge)
	for _, r := range routes() {
		if err := s.register(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (d *Deps) check() error {
	for _, dep := range []struct {
		name  string
		given bool
	}{
		{"Trader", d.Trader != nil},
		{"Accounts", d.Accounts != nil},
		{"Catalogue", d.Catalogue != nil},
		{"Records", d.Records != nil},
		{"Auth", d.Auth != nil},
		{"Limiter", d.Limiter != nil},
		{"Ready", d.Ready != nil},
		{"Log", d.Log != nil},
		{"AsyncAPI", len(d.AsyncAPI) > 0},
	} {
		if !dep.given {
			return errors.New("rest: Deps." + dep.name + " is missing")
		}
	}
	return nil
}

// methods are those that the router knows; the rest is refused before it.
func methods() []string {
	return []string{
		http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodPut, http.MethodHead, http.MethodOptions,
	}
}

func (s *Server) newApp() *fiber.App {
	proxies := make([]string, len(s.deps.TrustedProxies))
	for i, p := range s.deps.TrustedProxies {
		proxies[i] = p.String()
	}
	app := fiber.New(fiber.Config{
		// Strings of a request are copied: its buffers serve the next one.
		Immutable:      true,
		BodyLimit:      api.RESTBodyBytesMax,
		ReadBufferSize: headerBytesMax,
		// A connection that waits for its next request, and a stream, which never
		// has one, hold no buffer for it.
		ReduceMemoryUsage:            true,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		Concurrency:                  cmp.Or(s.deps.ConnsMax, connsMaxDefault),
		DisablePreParseMultipartForm: true,
		StrictRouting:                true,
		CaseSensitive:                true,
		// Forwarded headers count from these alone. The router takes the first
		// address of the list, which is the client's word; see settleSource.
		EnableTrustedProxyCheck: true,
		TrustedProxies:          proxies,
		ProxyHeader:             fiber.HeaderXForwardedFor,
		EnableIPValidation:      true,
		RequestMethods:          methods(),
		DisableStartupMessage:   true,
		ErrorHandler:            s.fail,
	})
	server := app.Server()
	server.MaxRequestsPerConn = requestsPerConnMax
	server.SecureErrorLogMessage = true // headers hold keys
	server.Handler = s.screen(app, server.Handler)
	return app
}

// screen refuses methods that the router does not know; the router itself would
// answer them in plain text.
func (s *Server) screen(app *fiber.App, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	known := methods()
	return func(ctx *fasthttp.RequestCtx) {
		if slices.Contains(known, string(ctx.Method())) {
			next(ctx)
			return
		}
		ctx.SetConnectionClose()
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		_ = s.fail(c, fiber.ErrNotFound) // fail itself cannot fail
	}
}

func (s *Server) register(r Route) error {
	if err := r.check(); err != nil {
		return err
	}
	s.routes = append(s.routes, r)
	s.app.Add(r.Method, r.Path, s.serve(r))
	if r.Method == http.MethodGet {
		s.app.Add(http.MethodHead, r.Path, s.serve(r)) // the library leaves out the body
	}
	return nil
}

// App is the server's router, for tests and for its hooks. Routes are added
// through Mount, connections accepted through Serve.
func (s *Server) App() *fiber.App { return s.app }

// Shutdown stops accepting and waits for requests under way, until ctx ends.
// Hijacked connections (the stream's) are their owner's to close.
func (s *Server) Shutdown(ctx context.Context) error { return s.app.ShutdownWithContext(ctx) }

// Routes lists every route, those mounted included.
func (s *Server) Routes() []Route { return slices.Clone(s.routes) }

// Mount adds a route of another edge, which checks its callers itself: stream
// (key in the first message), hooks (signature), console (session). Headers,
// framing and errors are handled as for every request. Call it before serving.
func (s *Server) Mount(method, path string, h fiber.Handler) {
	s.routes = append(s.routes, Route{Method: method, Path: path, Public: true, Mounted: true})
	s.app.Add(method, path, h)
}
