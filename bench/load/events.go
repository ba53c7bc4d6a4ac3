package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	venuegate "venuegate/transport/clients/go"
	"venuegate/transport/signing"
)

const (
	// eventBytesMax bounds an event.
	eventBytesMax = 1 << 20
	// eventsWaitMax is how long a run waits for events after its last order.
	eventsWaitMax = 15 * time.Second
	eventsPoll    = 50 * time.Millisecond
)

// events sends market orders, a purchase and a sale in turn, and receives their events. An event
// is due when its order was.
type events struct {
	terms
	server *fiber.App
	remove func(context.Context) error
	key    *signing.Key
	heads  signing.Headers

	mu sync.Mutex
	// due has when the orders were due whose events have not come. early has when events came
	// whose orders were not answered.
	due   map[string]time.Time
	early map[string]time.Time
	seen  map[string]bool
	// repeated counts events that came more than once, which receivers must expect.
	repeated int
}

func openEvents(ctx context.Context, r *run) (sender, error) {
	t, err := openTerms(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &events{
		terms: t, heads: signing.NewHeaders(r.HeaderPrefix),
		due: map[string]time.Time{}, early: map[string]time.Time{}, seen: map[string]bool{},
	}
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", r.Events.Listen)
	if err != nil {
		return nil, fmt.Errorf("receive events: %w", err)
	}
	secret, remove, err := r.Events.Register(ctx, "http://"+listener.Addr().String()+"/events")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create an endpoint: %w", err), listener.Close())
	}
	s.key, s.remove = signing.NewKey(secret), remove
	s.server = fiber.New(fiber.Config{
		DisableStartupMessage: true, BodyLimit: eventBytesMax, ReadTimeout: responseMax, WriteTimeout: responseMax, IdleTimeout: responseMax,
	})
	s.server.Post("/events", s.receive)
	go func() { _ = s.server.Listener(listener) }() // it ends with close
	return s, nil
}

func (s *events) send(ctx context.Context, _ int, q request) {
	side := "buy"
	if q.n%2 == 1 {
		side = "sell"
	}
	o, err := s.place(ctx, q.n, fmt.Sprintf(`"side":%q,"type":"market"`, side))
	if !s.run.done("place", q.due, unexpected(o, err, "filled")) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if came, is := s.early[o.OrderID]; is {
		delete(s.early, o.OrderID)
		s.run.recorder.record("event", q.due, came)
		return
	}
	s.due[o.OrderID] = q.due
}

// receive is the handler of events. It records those of order.filled.
func (s *events) receive(c *fiber.Ctx) error {
	came, body := time.Now(), c.Body()
	if err := signing.Verify(c.Get(s.heads.Signature), c.Get(s.heads.Timestamp), body, came, s.key); err != nil {
		s.run.faults.add("event that cannot be verified: %v", err)
		return c.SendStatus(fiber.StatusUnauthorized)
	}
	var event struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data order  `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		s.run.faults.add("event that is not JSON: %v", err)
		return c.SendStatus(fiber.StatusBadRequest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.seen[event.ID]:
		s.repeated++
	case event.Type == "order.filled":
		s.seen[event.ID] = true
		s.match(event.Data.OrderID, came)
	}
	return nil
}

// match records the event of an order, if the order was answered.
func (s *events) match(orderID string, came time.Time) {
	due, is := s.due[orderID]
	if !is {
		s.early[orderID] = came
		return
	}
	delete(s.due, orderID)
	s.run.recorder.record("event", due, came)
}

func (s *events) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.due)
}

// close waits for the events that are missing, removes the endpoint and closes what the orders
// have left of a position.
func (s *events) close(ctx context.Context) error {
	for end := time.Now().Add(eventsWaitMax); s.waiting() > 0 && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(eventsPoll)
	}
	s.mu.Lock()
	for _, due := range s.due {
		s.run.recorder.fail("event", due, "not received")
	}
	s.run.add("events received more than once", float64(s.repeated), "events")
	s.mu.Unlock()
	return errors.Join(s.flatten(ctx), s.remove(ctx), s.server.ShutdownWithContext(ctx))
}

// flatten closes the positions that the orders have left: keys of the same customer share one.
func (s *events) flatten(ctx context.Context) (failed error) {
	for _, key := range s.run.Keys {
		client, err := venuegate.NewClient(venuegate.Options{URL: s.run.URL, Key: key})
		if err != nil {
			return err
		}
		positions, err := client.ListPositions(ctx, venuegate.ListPositionsParams{Exchange: &s.run.Exchange, Symbol: &s.run.Symbol})
		if err == nil && len(positions.Items) > 0 {
			_, err = client.ClosePosition(ctx, venuegate.PositionClose{Exchange: s.run.Exchange, Symbol: s.run.Symbol})
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
