package stream_test

import (
	"testing"
	"testing/synctest"

	"venuegate/transport/stream"
)

// follow subscribes a client to a book and returns its reader, which has taken
// the first snapshot.
func follow(t testing.TB, c *client, o *owner) *bookReader {
	t.Helper()
	if m := c.subscribe(o.topic.String()); len(m.Channels) != 1 {
		t.Fatalf("got %s", m.text)
	}
	r := &bookReader{owner: o}
	r.must(t, c)
	return r
}

// must takes the next message of the client.
func (r *bookReader) must(t testing.TB, c *client) {
	t.Helper()
	if err := r.take(c.next()); err != nil {
		t.Fatal(err)
	}
}

func TestOneUpstreamSubscriptionServesAShard(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		first := s.login("alice")
		a := follow(t, first, o)
		second := s.login("bob")
		b := follow(t, second, o)
		if o.listeners() != 1 || o.resynced() != 0 {
			t.Fatalf("%d upstream subscriptions, %d resyncs; the newest snapshot serves whoever comes", o.listeners(), o.resynced())
		}
		o.publish()
		a.must(t, first)
		b.must(t, second)
		third := s.login("carol")
		c := follow(t, third, o)
		if o.listeners() != 1 || o.resynced() != 1 {
			t.Fatalf("%d upstream subscriptions, %d resyncs", o.listeners(), o.resynced())
		}
		o.publish()
		for reader, client := range map[*bookReader]*client{a: first, b: second, c: third} {
			reader.must(t, client)
			if !reader.current() || reader.snapshots != 1 {
				t.Errorf("got %+v: a snapshot that another asked for is not for everyone", reader)
			}
		}
		first.close()
		second.close()
		third.close()
		synctest.Wait()
		if o.listeners() != 0 {
			t.Error("the upstream subscription outlived its sessions")
		}
	})
}

func TestEveryShardSubscribesForItself(t *testing.T) {
	inMemory(t, stream.Options{Shards: 3}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		for range 9 {
			follow(t, s.login("alice"), o)
		}
		if o.listeners() != 3 {
			t.Errorf("%d upstream subscriptions", o.listeners())
		}
		if got := s.hub.Stats(); got.Topics != 3 || got.Subscriptions != 9 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestBookStartsAgain(t *testing.T) {
	for name, happen := range map[string]func(o *owner){
		"stale, then a snapshot":     func(o *owner) { o.stale(); o.refresh() },
		"a new epoch":                func(o *owner) { o.restart() },
		"a hole in the feed":         func(o *owner) { o.skip(3); o.publish() },
		"a hole, then a new epoch":   func(o *owner) { o.skip(1); o.publish(); o.restart() },
		"a snapshot after a hole":    func(o *owner) { o.skip(2); o.refresh() },
		"stale, hole, then snapshot": func(o *owner) { o.stale(); o.skip(2); o.refresh() },
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
				o := s.feed.owner("", "book:okx:BTCUSDT:5")
				c := s.login("alice")
				r := follow(t, c, o)
				synctest.Wait()
				release := s.hub.Hold() // all of it has happened when the shard hears of it
				o.publish()
				happen(o)
				o.publish()
				release()
				for !r.current() {
					r.must(t, c)
				}
				if r.snapshots != 2 {
					t.Errorf("%d snapshots", r.snapshots)
				}
				c.close()
			})
		})
	}
}

func TestStaleIsToldAtOnce(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := follow(t, c, o)
		o.stale()
		r.must(t, c)
		if r.stales != 1 || r.seq != 2 {
			t.Fatalf("got %+v", r)
		}
		late := s.login("bob") // gets nothing that it could not trust
		late.subscribe("book:okx:BTCUSDT:5")
		late.send(`{"op":"ping"}`)
		if m := late.next(); m.Op != "pong" {
			t.Fatalf("got %s", m.text)
		}
		o.refresh()
		r.must(t, c)
		b := &bookReader{owner: o}
		b.must(t, late)
		if !r.current() || !b.current() {
			t.Error("not current")
		}
		c.close()
		late.close()
	})
}

func TestTradesTellTheirGaps(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "trades:okx:BTCUSDT")
		o.publish()
		c := s.login("alice")
		c.subscribe("trades:okx:BTCUSDT")
		r := &tradesReader{seq: o.position().seq}
		for range 3 {
			o.publish()
		}
		o.skip(4)
		o.publish()
		for range 5 {
			if err := r.take(c.next()); err != nil {
				t.Fatal(err)
			}
		}
		if r.trades != 4 || r.missed != 4 || r.gaps != 1 || r.seq != o.position().seq {
			t.Errorf("got %+v", r)
		}
		o.restart()
		if m := c.next(); m.Type != "gap" || m.Missed != nil || m.Seq != 0 {
			t.Fatalf("got %s", m.text)
		}
		if m := c.next(); m.Type != "update" || m.Seq != 1 {
			t.Fatalf("got %s", m.text)
		}
		c.close()
	})
}

func TestPrivateTopicsBelongToTheirCustomers(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		alice, bob := s.login("alice"), s.login("bob")
		for _, channel := range []string{"orders", "positions", "account"} {
			alice.subscribe(channel)
			alice.wantOnly("alice")
			bob.subscribe(channel)
			bob.wantOnly("bob")
			s.feed.owner("alice", channel).publish()
			s.feed.owner("bob", channel).publish()
			alice.wantOnly("alice")
			bob.wantOnly("bob")
		}
		alice.close()
		bob.close()
	})
}

func TestFramesOfARoundAreOneWrite(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := follow(t, c, o)
		synctest.Wait()
		before := s.hub.Stats()
		release := s.hub.Hold()
		for range 20 {
			o.publish()
		}
		release()
		for range 20 {
			r.must(t, c)
		}
		synctest.Wait()
		after := s.hub.Stats()
		if after.Writes-before.Writes != 1 || after.Deliveries-before.Deliveries != 20 {
			t.Errorf("%d frames in %d writes", after.Deliveries-before.Deliveries, after.Writes-before.Writes)
		}
		c.close()
	})
}

func TestTopicThatOutrunsItsShard(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		book := s.feed.owner("", "book:okx:BTCUSDT:5")
		orders := s.feed.owner("alice", "orders")
		reader, trader := s.login("bob"), s.login("alice")
		r := follow(t, reader, book)
		trader.subscribe("orders")
		trader.next()
		synctest.Wait()
		release := s.hub.Hold()
		for range stream.InboxEventsMax + 100 {
			book.publish()
		}
		orders.publish() // finds no place either
		release()
		for !r.current() {
			r.must(t, reader)
		}
		if r.snapshots != 2 {
			t.Errorf("%d snapshots", r.snapshots)
		}
		trader.wantClosed(4009)
		synctest.Wait() // a round is counted when all of it is written
		if got := s.hub.Stats(); got.Overruns != 2 {
			t.Errorf("got %+v", got)
		}
		reader.close()
	})
}

func TestPanicOfTheFeedCostsTheConnectionsOnly(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		first := s.login("alice")
		follow(t, first, o)
		o.publish()
		o.fail()
		second := s.login("bob")
		second.send(`{"op":"subscribe","channels":["book:okx:BTCUSDT:5"]}`) // asks for a snapshot
		second.wantClosed(1011)
		if m := first.next(); m.Type != "delta" {
			t.Fatalf("got %s", m.text)
		}
		first.wantClosed(1011)
		first.close()
		second.close()
		synctest.Wait()
		if got := s.hub.Stats(); got.Connections != 0 || got.Topics != 0 || got.Closes[1011] != 2 {
			t.Errorf("got %+v", got)
		}
		third := s.login("alice") // the shard lives
		third.subscribe("orders")
		third.wantOnly("alice")
		third.close()
	})
}
