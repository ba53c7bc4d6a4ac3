package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"venuegate/transport/listen"
	"venuegate/transport/signing"
	"venuegate/venues"
)

const (
	// receivedMax bounds the events that the demo's receiver keeps.
	receivedMax = 1000
	// receiverPath is the path at which it receives (POST) and lists (GET) events.
	receiverPath = "/events"
)

// receiver is the demo's own endpoint for events: a server on loopback that
// verifies signatures as a customer's would.
type receiver struct {
	listener net.Listener
	app      *fiber.App
	headers  signing.Headers
	served   chan error

	mu       sync.Mutex
	key      *signing.Key
	current  func(context.Context) (venues.Secret, error)
	received []jsontext.Value
	seen     map[string]bool
}

// openReceiver listens and serves. secret is the secret of an earlier run, or
// empty.
func openReceiver(ctx context.Context, headerPrefix, secret string) (*receiver, error) {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{
		listener: listener, headers: signing.NewHeaders(headerPrefix), served: make(chan error, 1), seen: map[string]bool{},
		app: fiber.New(fiber.Config{
			Immutable: true, DisableStartupMessage: true, BodyLimit: 1 << 20,
			ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		}),
	}
	r.setSecret(secret)
	r.app.Post(receiverPath, r.receive)
	r.app.Get(receiverPath, r.show)
	go func() { r.served <- r.app.Listener(listen.HTTP(listener, 0)) }()
	return r, nil
}

// Close stops the server and waits for it.
func (r *receiver) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := r.app.ShutdownWithContext(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // idle connections are cut
	}
	// The server does not close a listener that it has not begun to serve.
	if closing := r.listener.Close(); !errors.Is(closing, net.ErrClosed) {
		err = errors.Join(err, closing)
	}
	return errors.Join(err, <-r.served)
}

func (r *receiver) url() string { return "http://" + r.listener.Addr().String() + receiverPath }

// setSecret sets the secret that events are verified with; an empty one rejects all.
func (r *receiver) setSecret(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = signing.NewKey(secret)
	if secret == "" {
		r.key = nil
	}
}

// follow sets a source of the current secret, so that the receiver accepts events
// after the secret was rotated.
func (r *receiver) follow(current func(context.Context) (venues.Secret, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = current
}

// verify verifies a request under the known secret, and under the current one if
// that has changed.
func (r *receiver) verify(c *fiber.Ctx) error {
	check := func() error {
		return signing.Verify(c.Get(r.headers.Signature), c.Get(r.headers.Timestamp), c.Body(), time.Now(), r.key)
	}
	err := check()
	if err == nil || r.current == nil {
		return err
	}
	secret, unknown := r.current(c.UserContext())
	if unknown != nil {
		return err
	}
	r.key = signing.NewKey(secret.Reveal())
	return check()
}

func (r *receiver) receive(c *fiber.Ctx) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.key == nil {
		return c.SendStatus(fiber.StatusServiceUnavailable)
	}
	body := c.Body()
	if err := r.verify(c); err != nil {
		return c.Status(fiber.StatusUnauthorized).SendString(err.Error())
	}
	id := c.Get(r.headers.EventID)
	if r.seen[id] {
		return c.SendStatus(fiber.StatusOK) // a repeat: deliveries are at least once
	}
	if len(r.received) == receivedMax {
		r.received, r.seen = r.received[:0], map[string]bool{}
	}
	r.seen[id] = true
	r.received = append(r.received, jsontext.Value(body).Clone())
	return c.SendStatus(fiber.StatusNoContent)
}

// show lists the received events, newest last.
func (r *receiver) show(c *fiber.Ctx) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := json.Marshal(map[string][]jsontext.Value{"items": r.received})
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Send(text)
}
