package stream_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/transport/reusetest"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// Connections of two customers open and close while frames are published for both.
// The server pools and immediately reuses its connection objects, so code that retained
// one would write to the other customer.
func TestReusedConnectionsNeverGetFramesOfAnotherCustomer(t *testing.T) {
	const connections, parallel = 500, 16
	s := newServer(t, stream.Options{}, true)
	ctx, cancel := context.WithCancel(t.Context())
	var background sync.WaitGroup
	defer background.Wait()
	defer cancel()
	for _, customer := range []string{"alice", "bob"} {
		background.Go(func() {
			s.publishAll(ctx, customer)
		})
	}
	var messages atomic.Int64
	turns := make(chan int)
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for turn := range turns {
				n, err := s.visit(turn)
				messages.Add(int64(n))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for turn := range connections {
		turns <- turn
	}
	close(turns)
	workers.Wait()
	if messages.Load() < connections {
		t.Errorf("%d private messages received, want at least %d", messages.Load(), connections)
	}
	eventually(t, "every session is gone", func() bool { return s.hub.Stats().Connections == 0 })
	if n := s.feed.open(); n != 0 {
		t.Errorf("%d upstream subscriptions left, want none", n)
	}
}

// publishAll publishes frames for a customer until ctx ends, at a rate that readers and
// shards can follow even on a busy machine.
func (s *server) publishAll(ctx context.Context, customer string) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			for _, topic := range []string{"orders", "positions", "account"} {
				s.feed.owner(customer, topic).publish()
			}
			s.feed.owner("", "book:okx:BTCUSDT:5").publish()
		}
	}
}

// visit opens a connection of a customer, reads some messages, and closes it with or
// without unsubscribing.
func (s *server) visit(turn int) (messages int, err error) {
	customer := []string{"alice", "bob"}[turn%2]
	ws, _, err := s.upgrade(nil)
	if err != nil {
		return 0, err
	}
	c := &client{t: s.t, ws: ws}
	defer c.close()
	c.send(`{"op":"auth","token":"` + customer + `"}`)
	c.send(`{"op":"subscribe","channels":["orders","positions","account","book:okx:BTCUSDT:5"]}`)
	for messages < turn%7 {
		m, err := c.read()
		if err != nil {
			return messages, err
		}
		if !strings.Contains(m.text, "canary-") {
			continue
		}
		messages++
		if strings.Count(m.text, "canary-") != strings.Count(m.text, `"canary-`+customer+`"`) {
			return messages, fmt.Errorf("%s received %s", customer, m.text)
		}
	}
	if turn%3 == 0 {
		c.send(`{"op":"unsubscribe","channels":["orders","account"]}`)
	}
	return messages, nil
}

// No data that a session passes on points into a message, whose buffer is reused for
// the next message of any connection.
func TestRetainedDataDoesNotChange(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		var retained reusetest.Retained
		s.keys.seen = func(token string) { retained.Retain("token", token) }
		s.feed.onSubscribe = func(topic venues.Topic) error {
			retained.Retain("topic", topic)
			return nil
		}
		for mark := range reusetest.Marks() {
			c := s.login(mark)
			c.subscribe("trades:binance:" + mark)
			c.close()
		}
		retained.Check(t, "token", "topic")
	})
}
