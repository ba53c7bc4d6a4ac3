package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/listen"
	"venuegate/transport/operations"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// Limits of the listener.
const (
	headerBytesMax = 8 << 10
	readTimeout    = 5 * time.Second
	// writeTimeout covers the requested duration of a profile, and the backup of a
	// large store.
	writeTimeout = 5 * time.Minute
	idleTimeout  = time.Minute
	// connectionsMax is more than the connections with a place in the room: one that was
	// closed counts until its goroutine has ended.
	connectionsMax = 2 * (callersMax + spareMax)
)

// ServerOptions configure a Server. All but Console are required.
type ServerOptions struct {
	Registry *registry.Registry
	// Token is the bearer token of callers.
	Token venues.Secret
	// Readiness reports whether trading is possible.
	Readiness func() api.Readiness
	// Operations reports the state of the running parts.
	Operations operations.Source
	// Backup writes all durable data while the service runs.
	Backup func(context.Context, io.Writer) error
	// Metrics are served at /metrics.
	Metrics prometheus.Gatherer
	// Console serves /console and the paths below it, and authenticates their callers; nil for
	// none.
	Console fiber.Handler
	Log     *zap.Logger
}

// Server serves the administration listener.
type Server struct {
	ServerOptions
	app   *fiber.App
	calls recordapi.Server
	end   context.CancelFunc
}

// NewServer returns a server that does not listen yet.
func NewServer(o ServerOptions) *Server {
	s := &Server{ServerOptions: o}
	s.calls.Log = o.Log
	s.calls.Context, s.end = context.WithCancel(context.Background())
	s.app = fiber.New(fiber.Config{
		Immutable: true, StrictRouting: true, CaseSensitive: true, DisableStartupMessage: true,
		BodyLimit: recordapi.BodyBytesMax, ReadBufferSize: headerBytesMax, Concurrency: connectionsMax,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		DisablePreParseMultipartForm: true,
		ErrorHandler:                 s.calls.AnswerError,
	})
	s.app.Server().SecureErrorLogMessage = true
	s.app.Use(s.protect, limit)
	s.routeHealth()
	s.routeRecords()
	if o.Console != nil {
		s.app.All("/console", o.Console)
		s.app.All("/console/*", o.Console)
	}
	return s
}

// Serve serves until Shutdown, which may be called before, and closes the listener.
func (s *Server) Serve(listener net.Listener) error {
	stop := context.AfterFunc(s.calls.Context, func() { _ = listener.Close() }) // Shutdown did, unless it came first
	defer stop()
	return s.app.Listener(newRoom(listen.HTTP(listener, 0)))
}

// Shutdown stops accepting connections and waits for the running calls until ctx
// ends. Then it cancels them.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.end()
	return s.app.ShutdownWithContext(ctx)
}

// protect sets the request id, rejects requests that are not for this listener or come
// from a page in a browser, and turns a panic of a handler into an error.
func (s *Server) protect(c *fiber.Ctx) (err error) {
	origin := recordapi.OriginOf(c)
	c.SetUserContext(venues.WithOrigin(c.UserContext(), origin))
	c.Set(fiber.HeaderXRequestID, cmp.Or(origin.RequestID, recordapi.NewRequestID()))
	c.Set(fiber.HeaderCacheControl, "no-store")
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("administration call panicked", zap.String("panic", fmt.Sprint(r)), zap.String("path", c.Path()), zap.Stack("stack"))
			err = errors.New("panic")
		}
	}()
	defer listen.EndFailedUpgrade(c.Context())
	err = listen.CheckRequest(c.Context(), listen.Hosts{})
	if err == nil {
		err = listen.CheckSameSite(c.Context())
	}
	if err != nil {
		c.Context().SetConnectionClose()
		return err
	}
	return c.Next()
}
