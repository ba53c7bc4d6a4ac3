package stream_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/transport/stream"
)

// Connections of two customers come and go while both have news all the time.
// The server's connection objects are pooled and used again at once, so
// whatever held on to one would write to the other customer.
func TestConnectionsThatComeAndGoNeverShareAnything(t *testing.T) {
	const connections, parallel = 500, 16
	s := newServer(t, stream.Options{}, true)
	ctx, cancel := context.WithCancel(t.Context())
	var background sync.WaitGroup
	defer background.Wait()
	defer cancel()
	for _, customer := range []string{"alice", "bob"} {
		background.Add(1)
		go func() {
			defer background.Done()
			s.report(ctx, customer)
		}()
	}
	var messages atomic.Int64
	turns := make(chan int)
	var visitors sync.WaitGroup
	for range parallel {
		visitors.Add(1)
		go func() {
			defer visitors.Done()
			for turn := range turns {
				n, err := s.visit(turn)
				messages.Add(int64(n))
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for turn := range connections {
		turns <- turn
	}
	close(turns)
	visitors.Wait()
	if messages.Load() < connections {
		t.Errorf("only %d private messages were seen", messages.Load())
	}
	eventually(t, "every session is gone", func() bool { return s.hub.Stats().Connections == 0 })
	if n := s.feed.open(); n != 0 {
		t.Errorf("%d upstream subscriptions left", n)
	}
}

// report has news for a customer until ctx ends; seldom enough for a reader, or a
// shard, that a busy machine keeps from its work for a while.
func (s *server) report(ctx context.Context, customer string) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			for _, channel := range []string{"orders", "positions", "account"} {
				s.feed.owner(customer, channel).publish()
			}
			s.feed.owner("", "book:okx:BTCUSDT:5").publish()
		}
	}
}

// visit is one connection of a customer, who looks at some messages and leaves
// in one of the usual ways.
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
			return messages, fmt.Errorf("%s was sent %s", customer, m.text)
		}
	}
	if turn%3 == 0 {
		c.send(`{"op":"unsubscribe","channels":["orders","account"]}`)
	}
	return messages, nil
}
