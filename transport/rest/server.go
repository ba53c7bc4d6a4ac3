package rest

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
)

// Deps are the dependencies of a Server. The fields up to Log are required.
type Deps struct {
	Trader      Trader
	Accounts    Accounts
	Instruments InstrumentSource
	Market      Market
	Records     Records
	Auth        Authenticator
	// Limiter counts requests per key; auth.NewMemoryLimiter makes one.
	Limiter auth.Limiter
	Ready   Health
	// CursorSecret signs cursors, at least api.CursorSecretBytesMin bytes. All nodes of
	// an installation must share it.
	CursorSecret []byte
	// OpenAPI is the document of the interface, served at /openapi.yaml.
	OpenAPI []byte
	// AsyncAPI is the document of the stream, served at /asyncapi.yaml.
	AsyncAPI []byte
	Log      *zap.Logger

	// TLS, if set, encrypts the connections that Serve accepts.
	TLS *tls.Config
	// Hosts are the hosts under which the server may be called.
	Hosts listen.Hosts
	// CORSOrigins are the origins whose pages may call the routes under /v1 in a browser,
	// "*" for any; default none.
	CORSOrigins []string
	// TrustedProxies are the proxies whose X-Forwarded-For and X-Forwarded-Proto are
	// trusted; default none.
	TrustedProxies []netip.Prefix
	// ConnsPerAddressMax bounds the connections of one address (IPv6: one /64);
	// default 200, or no limit with TrustedProxies: behind a proxy every connection
	// has its address. Negative is no limit.
	ConnsPerAddressMax int
	// ConnsMax bounds the HTTP connections; default 4096. Upgraded connections do not
	// count; the package that owns them bounds them.
	ConnsMax int
	// NewTraceparent, if set, names the trace of a request whose client has not.
	NewTraceparent func() string
	// Observe, if set, is called for every response, including those of mounted
	// routes. path is the path of the route, not of the request, and "none" where there
	// is no route. It must not block.
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
	// requestWait bounds a handler. It is longer than api.OrderAnswerWait, so that the
	// account reports "pending" before the request times out.
	requestWait = 8 * time.Second
)

// Server serves the REST interface and the routes that other packages mount.
type Server struct {
	deps        Deps
	app         *fiber.App
	routes      []Route
	cursors     *api.Cursors
	instruments instrumentIndex
	reads       *reads
	// stopping ends with Shutdown.
	stopping context.Context
	stop     context.CancelFunc
}

// New returns a server with all routes registered. It starts nothing; see Serve.
func New(d Deps) (*Server, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	cursors, err := api.NewCursors(d.CursorSecret)
	if err != nil {
		return nil, err
	}
	s := &Server{deps: d, cursors: cursors, reads: newReads()}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.app = s.newApp()
	s.app.Use(s.middleware)
	s.useCORS()
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
		{"Instruments", d.Instruments != nil},
		{"Market", d.Market != nil},
		{"Records", d.Records != nil},
		{"Auth", d.Auth != nil},
		{"Limiter", d.Limiter != nil},
		{"Ready", d.Ready != nil},
		{"Log", d.Log != nil},
		{"OpenAPI", len(d.OpenAPI) > 0},
		{"AsyncAPI", len(d.AsyncAPI) > 0},
	} {
		if !dep.given {
			return errors.New("rest: Deps." + dep.name + " is missing")
		}
	}
	return nil
}

// methods returns the methods that the router knows. Others are rejected before it.
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
		// An idle connection, and a stream, which has no further request, hold no read
		// buffer.
		ReduceMemoryUsage:            true,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		Concurrency:                  cmp.Or(s.deps.ConnsMax, connsMaxDefault),
		DisablePreParseMultipartForm: true,
		StrictRouting:                true,
		CaseSensitive:                true,
		// Forwarded headers count only from these proxies. The router uses the first
		// address of the list, which the client can forge; see setSource.
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
	server.Handler = s.rejectUnknownMethods(app, server.Handler)
	return app
}

// rejectUnknownMethods returns a handler that answers methods which the router does
// not know with an error body. The router itself would answer them in plain text.
func (s *Server) rejectUnknownMethods(app *fiber.App, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	known := methods()
	return func(ctx *fasthttp.RequestCtx) {
		if slices.Contains(known, string(ctx.Method())) {
			next(ctx)
			return
		}
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		_ = s.fail(c, fiber.ErrNotFound) // fail itself cannot fail
		ctx.SetConnectionClose()
	}
}

func (s *Server) register(r Route) error {
	if err := r.validate(); err != nil {
		return err
	}
	s.routes = append(s.routes, r)
	s.app.Add(r.Method, r.Path, s.serve(r))
	if r.Method == http.MethodGet {
		s.app.Add(http.MethodHead, r.Path, s.serve(r)) // the library omits the body
	}
	return nil
}

// App returns the router, for tests and its lifecycle hooks. Mount adds routes, and
// Serve accepts connections.
func (s *Server) App() *fiber.App { return s.app }

// Serve accepts requests on the listener until Shutdown, which may be called before, with
// TLS if Deps.TLS is set. It blocks, and returns nil after Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	socket := ln
	stop := context.AfterFunc(s.stopping, func() { _ = socket.Close() }) // Shutdown did, unless it came first
	defer stop()
	if most := s.connsPerAddressMax(); most > 0 {
		ln = listen.PerAddress(ln, most)
	}
	if s.deps.TLS != nil {
		ln = tls.NewListener(ln, s.deps.TLS)
	}
	return s.app.Listener(listen.HTTP(ln, api.StreamFrameBytesMax))
}

// connsPerAddressMax returns zero for no limit.
func (s *Server) connsPerAddressMax() int {
	if s.deps.ConnsPerAddressMax == 0 && len(s.deps.TrustedProxies) > 0 {
		return 0
	}
	return max(cmp.Or(s.deps.ConnsPerAddressMax, connsPerAddressMaxDefault), 0)
}

// Shutdown stops accepting connections and waits for requests in progress until ctx
// ends. It does not close hijacked connections; their owner (the stream) does.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.stop()
	return s.app.ShutdownWithContext(ctx)
}

// Routes returns every route, including mounted ones.
func (s *Server) Routes() []Route { return slices.Clone(s.routes) }

// Mount adds a route of another package, which authenticates its callers where it must:
// stream (key in the first message), hooks (signature), docs (not at all). Headers, framing
// and errors are handled as for every request. It must be called before Serve.
func (s *Server) Mount(method, path string, h fiber.Handler) {
	s.routes = append(s.routes, Route{Method: method, Path: path, Public: true, Mounted: true})
	s.app.Add(method, path, func(c *fiber.Ctx) error {
		s.setSource(c)
		return h(c)
	})
}
