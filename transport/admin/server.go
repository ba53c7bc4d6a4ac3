package admin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/pprof"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/listen"
	"venuegate/venues"
)

// Limits of the listener.
const (
	bodyBytesMax   = 64 << 10
	headerBytesMax = 8 << 10
	readTimeout    = 5 * time.Second
	// writeTimeout leaves a profile the time that it is asked to take, and a
	// backup that of a large store.
	writeTimeout   = 5 * time.Minute
	idleTimeout    = time.Minute
	connectionsMax = 64
	// callTimeout bounds one call, the venue's answers included.
	callTimeout = 20 * time.Second
)

// ServerOptions of the listener; all are required.
type ServerOptions struct {
	Registry *Registry
	// Token is what callers must bear.
	Token venues.Secret
	// Ready is nil while the service serves, else why it does not.
	Ready func() error
	// Backup writes all that is durable, while the service goes on.
	Backup func(context.Context, io.Writer) error
	// Metrics are what /metrics shows.
	Metrics prometheus.Gatherer
	Log     *zap.Logger
}

// Server answers on the administration listener.
type Server struct {
	ServerOptions
	app *fiber.App
	// calls end when the server does.
	calls context.Context
	end   context.CancelFunc
}

// NewServer builds the routes; nothing listens yet.
func NewServer(o ServerOptions) *Server {
	s := &Server{ServerOptions: o}
	s.calls, s.end = context.WithCancel(context.Background())
	s.app = fiber.New(fiber.Config{
		Immutable: true, StrictRouting: true, CaseSensitive: true, DisableStartupMessage: true,
		BodyLimit: bodyBytesMax, ReadBufferSize: headerBytesMax, Concurrency: connectionsMax,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		DisablePreParseMultipartForm: true,
		ErrorHandler:                 s.answerError,
	})
	s.app.Server().SecureErrorLogMessage = true
	s.app.Use(s.guard)
	s.routeHealth()
	s.routeRecords()
	return s
}

// Serve answers until Shutdown. It closes the listener.
func (s *Server) Serve(listener net.Listener) error { return s.app.Listener(listen.Quiet(listener)) }

// Shutdown stops accepting and waits for the calls under way, at most until ctx
// ends. Then they are cancelled.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.end()
	return s.app.ShutdownWithContext(ctx)
}

// guard names the answer and keeps a panic in one handler from ending the
// process.
func (s *Server) guard(c *fiber.Ctx) (err error) {
	c.Set(fiber.HeaderXRequestID, newRequestID())
	c.Set(fiber.HeaderCacheControl, "no-store")
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("administration call panicked", zap.String("panic", fmt.Sprint(r)), zap.String("path", c.Path()), zap.Stack("stack"))
			err = errors.New("panic")
		}
	}()
	return c.Next()
}

func newRequestID() string { return persistence.NewID("req", time.Now(), rand.Reader) }

func (s *Server) routeHealth() {
	s.app.Get("/healthz", func(c *fiber.Ctx) error { return c.JSON(fiber.Map{"status": "ok"}) })
	s.app.Get("/readyz", func(c *fiber.Ctx) error {
		if err := s.Ready(); err != nil {
			return c.Status(fiber.StatusServiceUnavailable).JSON(fiber.Map{"status": "unready", "reason": err.Error()})
		}
		return c.JSON(fiber.Map{"status": "ready"})
	})
	s.app.Get("/metrics", adaptor.HTTPHandler(promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{DisableCompression: true})))
	s.app.Use("/debug/pprof", s.authorize)
	s.app.Use(pprof.New())
}

func (s *Server) routeRecords() {
	v1 := s.app.Group("/admin/v1", s.authorize)
	r := s.Registry

	v1.Post("/customers", create(s, r.CreateCustomer))
	v1.Get("/customers", list(s, func(ctx context.Context, _ string) ([]Customer, error) { return r.Customers(ctx) }))
	v1.Get("/customers/:id", one(s, r.Customer))
	v1.Patch("/customers/:id", change(s, r.ChangeCustomer))
	v1.Delete("/customers/:id", one(s, r.DisableCustomer))

	v1.Post("/keys", create(s, r.CreateKey))
	v1.Get("/keys", list(s, r.Keys))
	v1.Get("/keys/:id", one(s, r.Key))
	v1.Patch("/keys/:id", change(s, r.ChangeKey))
	v1.Delete("/keys/:id", one(s, r.RevokeKey))

	v1.Get("/backup", s.backup)
	v1.Post("/rotate-key", one(s, func(ctx context.Context, _ string) (Rotated, error) { return r.RotateKey(ctx) }))

	v1.Post("/accounts", create(s, r.ConnectAccount))
	v1.Get("/accounts", list(s, r.Accounts))
	v1.Get("/accounts/:id", one(s, r.Account))
	v1.Patch("/accounts/:id", change(s, r.ChangeAccount))
	v1.Delete("/accounts/:id", one(s, r.DisconnectAccount))
	v1.Post("/accounts/:id/halt", change(s, r.HaltAccount))
	v1.Post("/accounts/:id/resume", one(s, r.ResumeAccount))
	v1.Post("/accounts/:id/unlock", one(s, r.UnlockAccount))
	v1.Post("/accounts/:id/check", one(s, func(ctx context.Context, id string) (Items[Finding], error) {
		findings, err := r.CheckAccount(ctx, id)
		return Items[Finding]{findings}, err
	}))
	s.routeSignals(v1)
}

func (s *Server) backup(c *fiber.Ctx) error {
	s.stream(c, fiber.MIMEOctetStream, func(w io.Writer) error { return s.Backup(s.calls, w) })
	return nil
}

// stream answers with what write writes, however much that is. A failure on the way
// breaks the connection, so that a part does not look whole.
func (s *Server) stream(c *fiber.Ctx, media string, write func(io.Writer) error) {
	reader, writer := io.Pipe()
	// It ends with what there is to write, when the library closes the reader because
	// the client has gone, or with the server: a client that does not read would keep
	// open what is read from.
	stop := context.AfterFunc(s.calls, func() { writer.CloseWithError(context.Cause(s.calls)) })
	go func() {
		defer stop()
		writer.CloseWithError(write(writer))
	}()
	c.Set(fiber.HeaderContentType, media)
	c.Context().SetBodyStream(reader, -1)
}
