package simnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"
)

// Limits of a server.
const (
	bodyBytesMax   = 1 << 20
	headerBytesMax = 32 << 10
	readTimeout    = 30 * time.Second
	idleTimeout    = 5 * time.Minute
	connectionsMax = 4096
	// shutdownDeadline is how long requests may take to end before their connections
	// are closed.
	shutdownDeadline = 2 * time.Second
	// workerIdleMax also bounds how long the HTTP server's background goroutines
	// outlive its listener.
	workerIdleMax = 200 * time.Millisecond
)

// NewApp returns a Fiber application that limits everything that a client can make
// grow. It does not write Date headers, because the venue's clock may be shifted.
func NewApp() *fiber.App {
	app := fiber.New(fiber.Config{
		BodyLimit: bodyBytesMax, ReadBufferSize: headerBytesMax,
		ReadTimeout: readTimeout, IdleTimeout: idleTimeout, Concurrency: connectionsMax,
		Immutable: true, StrictRouting: true, CaseSensitive: true,
		DisablePreParseMultipartForm: true, DisableStartupMessage: true, DisableDefaultDate: true,
	})
	app.Server().MaxIdleWorkerDuration = workerIdleMax
	return app
}

// Server runs applications on listeners, and the sessions upgraded from them.
type Server struct {
	// Sessions are the WebSocket sessions of all applications.
	Sessions *Sessions

	log     *zap.Logger
	closing chan struct{}
	serving sync.WaitGroup
	// pending are the operations that injected faults delay.
	pending sync.WaitGroup

	mu        sync.Mutex
	apps      []*fiber.App
	listeners []*connections
	closed    bool
}

// NewServer returns a server that serves nothing yet.
func NewServer(log *zap.Logger) *Server {
	s := &Server{log: log, closing: make(chan struct{})}
	s.Sessions = newSessions()
	return s
}

// Closing returns a channel that is closed when the server begins to stop. Handlers
// that wait must watch it.
func (s *Server) Closing() <-chan struct{} { return s.closing }

// Serve serves an application on a listener until Close.
func (s *Server) Serve(app *fiber.App, listener net.Listener) {
	tracked := trackConnections(listener)
	s.mu.Lock()
	s.apps, s.listeners = append(s.apps, app), append(s.listeners, tracked)
	s.mu.Unlock()
	s.serving.Go(func() {
		if err := app.Listener(tracked); err != nil {
			s.log.Error("simulated venue stopped listening", zap.Error(err))
		}
	})
}

// Close stops listening, ends all sessions and waits for all goroutines.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	apps, listeners := s.apps, s.listeners
	s.mu.Unlock()

	close(s.closing)
	s.Sessions.closeAll()
	ctx, cancel := context.WithTimeout(context.Background(), shutdownDeadline)
	defer cancel()
	var failed error
	for _, app := range apps {
		if err := app.ShutdownWithContext(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			failed = errors.Join(failed, fmt.Errorf("stop listening: %w", err))
		}
	}
	for _, listener := range listeners {
		// An application that has not begun to accept does not close its listener;
		// any other has closed it already.
		_ = listener.Close()
		listener.closeOpen()
	}
	s.serving.Wait()
	s.Sessions.wait()
	s.pending.Wait()
	return failed
}
