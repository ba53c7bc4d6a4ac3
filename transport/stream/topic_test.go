package stream_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/transport/stream"
)

// subscribeBook subscribes a client to a book and returns its reader, which has read the
// first snapshot.
func subscribeBook(t testing.TB, c *client, o *owner) *bookReader {
	t.Helper()
	if m := c.subscribe(o.topic.String()); len(m.Channels) != 1 {
		t.Fatalf("reply = %s, want one topic", m.text)
	}
	r := &bookReader{owner: o}
	r.readNext(t, c)
	return r
}

// readNext reads the next message of the client.
func (r *bookReader) readNext(t testing.TB, c *client) {
	t.Helper()
	if err := r.take(c.next()); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsOfAShardShareOneUpstreamSubscription(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		first := s.login("alice")
		a := subscribeBook(t, first, o)
		second := s.login("bob")
		b := subscribeBook(t, second, o)
		if o.sinkCount() != 1 || o.resyncCount() != 0 {
			t.Fatalf("%d upstream subscriptions, %d resyncs, want 1 and 0: the newest snapshot serves a new subscriber", o.sinkCount(), o.resyncCount())
		}
		o.publish()
		a.readNext(t, first)
		b.readNext(t, second)
		third := s.login("carol")
		c := subscribeBook(t, third, o)
		if o.sinkCount() != 1 || o.resyncCount() != 1 {
			t.Fatalf("%d upstream subscriptions, %d resyncs, want 1 and 1", o.sinkCount(), o.resyncCount())
		}
		o.publish()
		for reader, client := range map[*bookReader]*client{a: first, b: second, c: third} {
			reader.readNext(t, client)
			if !reader.current() || reader.snapshots != 1 {
				t.Errorf("reader = %+v, want it current with one snapshot: a resent snapshot is not for live subscribers", reader)
			}
		}
		first.close()
		second.close()
		third.close()
		synctest.Wait()
		if o.sinkCount() != 0 {
			t.Errorf("%d upstream subscriptions after the last session, want none", o.sinkCount())
		}
	})
}

func TestEveryShardHasItsOwnUpstreamSubscription(t *testing.T) {
	inMemory(t, stream.Options{Shards: 3}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		for range 9 {
			subscribeBook(t, s.login("alice"), o)
		}
		if o.sinkCount() != 3 {
			t.Errorf("%d upstream subscriptions, want 3", o.sinkCount())
		}
		if got := s.hub.Stats(); got.Topics != 3 || got.Subscriptions != 9 {
			t.Errorf("stats = %+v, want 3 topics and 9 subscriptions", got)
		}
	})
}

func TestBookRestartsFromASnapshot(t *testing.T) {
	for name, change := range map[string]func(o *owner){
		"stale, then a snapshot":    func(o *owner) { o.markStale(); o.refresh() },
		"a new epoch":               func(o *owner) { o.restart() },
		"a gap in the feed":         func(o *owner) { o.skip(3); o.publish() },
		"a gap, then a new epoch":   func(o *owner) { o.skip(1); o.publish(); o.restart() },
		"a snapshot after a gap":    func(o *owner) { o.skip(2); o.refresh() },
		"stale, gap, then snapshot": func(o *owner) { o.markStale(); o.skip(2); o.refresh() },
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
				o := s.feed.owner("", "book:okx:BTCUSDT:5")
				c := s.login("alice")
				r := subscribeBook(t, c, o)
				synctest.Wait()
				resume := s.hub.Pause() // so that the shard receives all changes at once
				o.publish()
				change(o)
				o.publish()
				resume()
				for !r.current() {
					r.readNext(t, c)
				}
				if r.snapshots != 2 {
					t.Errorf("%d snapshots, want 2", r.snapshots)
				}
				c.close()
			})
		})
	}
}

func TestStaleIsSentImmediately(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := subscribeBook(t, c, o)
		o.markStale()
		r.readNext(t, c)
		if r.stales != 1 || r.seq != 2 {
			t.Fatalf("reader = %+v, want stale with seq 2", r)
		}
		late := s.login("bob") // a new subscriber gets no stale book
		late.subscribe("book:okx:BTCUSDT:5")
		late.send(`{"op":"ping"}`)
		if m := late.next(); m.Op != "pong" {
			t.Fatalf("message = %s, want pong", m.text)
		}
		o.refresh()
		r.readNext(t, c)
		b := &bookReader{owner: o}
		b.readNext(t, late)
		if !r.current() || !b.current() {
			t.Errorf("current: %v and %v, want both", r.current(), b.current())
		}
		c.close()
		late.close()
	})
}

// A frame that the owner delivers twice is sent once.
func TestRepeatedFrameIsSentOnce(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		book, trades, orders := s.feed.owner("", "book:okx:BTCUSDT:5"), s.feed.owner("", "trades:okx:BTCUSDT"), s.feed.owner("alice", "orders")
		c := s.login("alice")
		subscribeBook(t, c, book)
		c.subscribe("trades:okx:BTCUSDT")
		c.subscribe("orders")
		c.next() // the snapshot of the orders
		for _, o := range []*owner{book, trades, orders} {
			for range 2 {
				o.publish()
				o.repeat()
				if m := c.next(); m.Seq != o.position().seq || m.Type != "delta" && m.Type != "update" {
					t.Errorf("message = %s, want update %d", m.text, o.position().seq)
				}
			}
		}
		c.send(`{"op":"ping"}`)
		if m := c.next(); m.Op != "pong" {
			t.Errorf("message = %s, want pong", m.text)
		}
		c.close()
	})
}

func TestTradesReportGaps(t *testing.T) {
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
			t.Errorf("reader = %+v, want 4 trades and one gap of 4", r)
		}
		o.restart()
		if m := c.next(); m.Type != "gap" || m.Missed != nil || m.Seq != 0 {
			t.Fatalf("message = %s, want a gap of unknown size with seq 0", m.text)
		}
		if m := c.next(); m.Type != "update" || m.Seq != 1 {
			t.Fatalf("message = %s, want update 1", m.text)
		}
		c.close()
	})
}

func TestPrivateTopicsAreSeparatePerCustomer(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		alice, bob := s.login("alice"), s.login("bob")
		for _, topic := range []string{"orders", "positions", "account"} {
			alice.subscribe(topic)
			alice.wantOnly("alice")
			bob.subscribe(topic)
			bob.wantOnly("bob")
			s.feed.owner("alice", topic).publish()
			s.feed.owner("bob", topic).publish()
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
		r := subscribeBook(t, c, o)
		synctest.Wait()
		before := s.hub.Stats()
		resume := s.hub.Pause()
		for range 20 {
			o.publish()
		}
		resume()
		for range 20 {
			r.readNext(t, c)
		}
		synctest.Wait()
		after := s.hub.Stats()
		if after.Writes-before.Writes != 1 || after.Deliveries-before.Deliveries != 20 {
			t.Errorf("%d frames in %d writes, want 20 in 1", after.Deliveries-before.Deliveries, after.Writes-before.Writes)
		}
		c.close()
	})
}

func TestInboxOverflow(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		book := s.feed.owner("", "book:okx:BTCUSDT:5")
		orders := s.feed.owner("alice", "orders")
		reader, trader := s.login("bob"), s.login("alice")
		r := subscribeBook(t, reader, book)
		trader.subscribe("orders")
		trader.next()
		synctest.Wait()
		resume := s.hub.Pause()
		for range stream.InboxEventsMax + 100 {
			book.publish()
		}
		orders.publish() // does not fit either
		resume()
		for !r.current() {
			r.readNext(t, reader)
		}
		if r.snapshots != 2 {
			t.Errorf("%d snapshots, want 2", r.snapshots)
		}
		trader.wantClosed(4009)
		synctest.Wait() // until the round is counted
		if got := s.hub.Stats(); got.Overruns != 2 {
			t.Errorf("stats = %+v, want 2 overruns", got)
		}
		reader.close()
	})
}

func TestPanicOfTheFeedClosesTheConnectionsOfTheShard(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		first := s.login("alice")
		subscribeBook(t, first, o)
		o.publish()
		o.panicOnResync()
		second := s.login("bob")
		second.send(`{"op":"subscribe","channels":["book:okx:BTCUSDT:5"]}`) // requests a snapshot
		second.wantClosed(1011)
		if m := first.next(); m.Type != "delta" {
			t.Fatalf("message = %s, want a delta", m.text)
		}
		first.wantClosed(1011)
		first.close()
		second.close()
		synctest.Wait()
		if got := s.hub.Stats(); got.Connections != 0 || got.Topics != 0 || got.Closes[1011] != 2 {
			t.Errorf("stats = %+v, want two closes with 1011 and nothing left", got)
		}
		third := s.login("alice") // the shard still works
		third.subscribe("orders")
		third.wantOnly("alice")
		third.close()
	})
}

// While the shard cannot write, market data gets old: trades become one gap and a book a new
// snapshot, private records are delivered all the same.
func TestLateMarketDataIsDropped(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		book, trades := s.feed.owner("", "book:okx:BTCUSDT:5"), s.feed.owner("", "trades:okx:BTCUSDT")
		orders := s.feed.owner("alice", "orders")
		trades.publish()
		reader, trader, tape := s.login("bob"), s.login("alice"), s.login("bob")
		r := subscribeBook(t, reader, book)
		trader.subscribe("orders")
		trader.next()
		tape.subscribe("trades:okx:BTCUSDT")
		read := &tradesReader{seq: trades.position().seq}
		synctest.Wait()
		before := s.hub.Stats()
		for _, last := range []int{2, 0} { // trades that are not late follow, or none
			resume := s.hub.Pause()
			for range 7 {
				book.publish()
				trades.publish()
			}
			orders.publish()
			time.Sleep(stream.AgeMaxDefault + time.Millisecond)
			for range last {
				trades.publish()
			}
			resume()
			for range 1 + last {
				if err := read.take(tape.next()); err != nil {
					t.Fatal(err)
				}
			}
			for !r.current() {
				r.readNext(t, reader)
			}
			if m := trader.next(); m.Channel != "orders" {
				t.Errorf("message = %s, want the order", m.text)
			}
			synctest.Wait()
		}
		if read.trades != 2 || read.missed != 14 || read.gaps != 2 || read.seq != trades.position().seq {
			t.Errorf("reader = %+v, want 2 trades and two gaps of 7, up to %d", read, trades.position().seq)
		}
		if late := s.hub.Stats().Late - before.Late; late != 28 {
			t.Errorf("%d frames were late, want 28", late)
		}
		if r.snapshots != 3 {
			t.Errorf("%d snapshots, want one at the start and one after each pause", r.snapshots)
		}
		for _, c := range []*client{reader, trader, tape} {
			c.close()
		}
	})
}
