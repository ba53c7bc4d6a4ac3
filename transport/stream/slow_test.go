package stream_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"pgregory.net/rapid"

	"venuegate/transport/stream"
)

// The following tests use pipes, which have no buffer: a client that does not read
// stalls the next write.

func TestBookIsConflatedForASlowClient(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := subscribeBook(t, c, o)
		for range 2000 {
			o.publish()
			synctest.Wait()
		}
		for !r.current() {
			r.readNext(t, c)
		}
		synctest.Wait()
		got := s.hub.Stats()
		if got.Conflations == 0 || r.snapshots != 1+int(got.Conflations) || r.messages+int(got.Dropped) != 2000+r.snapshots {
			t.Errorf("%d messages, %d snapshots, stats %+v, want one snapshot per conflation and every frame received or dropped", r.messages, r.snapshots, got)
		}
		if r.messages > 600 {
			t.Errorf("%d messages queued for a client that did not read, want at most 600", r.messages)
		}
		if got.QueuedBytes != 0 {
			t.Errorf("%d bytes queued, want none", got.QueuedBytes)
		}
		c.close()
	})
}

// A slow client never has a wrong book that is not marked stale, whatever happens to the
// book.
func TestSlowClientNeverGetsAGapInABook(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		steps := rapid.SliceOfN(rapid.IntRange(0, 40), 10, 40).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			options := stream.Options{Shards: 1, MarketQueueFramesMax: 8, MarketQueueBytesMax: 4096}
			s := newServer(t, options, false)
			defer s.stop()
			o := s.feed.owner("", "book:okx:BTCUSDT:5")
			c := s.login("alice")
			defer c.close()
			r := subscribeBook(t, c, o)
			random := rand.New(rand.NewPCG(seed, 1))
			for _, n := range steps {
				o.changeRandomly(random, n)
				synctest.Wait()
				for range random.IntN(6) {
					if r.current() {
						break
					}
					r.readNext(t, c)
				}
			}
			o.refresh()
			for !r.current() {
				r.readNext(t, c)
			}
		})
	})
}

func TestSlowClientReceivesStale(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, MarketQueueFramesMax: 4}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := subscribeBook(t, c, o)
		for range 20 {
			o.publish()
			synctest.Wait()
		}
		o.markStale()
		for r.stales == 0 {
			r.readNext(t, c)
		}
		o.refresh()
		for !r.current() {
			r.readNext(t, c)
		}
		c.close()
	})
}

func TestSlowClientReceivesGapsOfTrades(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rounds := rapid.IntRange(2, 20).Draw(rt, "rounds")
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, stream.Options{Shards: 1, MarketQueueFramesMax: 8}, false)
			defer s.stop()
			o := s.feed.owner("", "trades:okx:BTCUSDT")
			c := s.login("alice")
			defer c.close()
			c.subscribe("trades:okx:BTCUSDT")
			first := o.position().seq
			r := &tradesReader{seq: first}
			random := rand.New(rand.NewPCG(seed, 2))
			for range rounds {
				for range random.IntN(40) {
					if random.IntN(10) == 0 && o.position().seq > first {
						o.skip(uint64(1 + random.IntN(3)))
					}
					o.publish()
				}
				synctest.Wait()
				for n := random.IntN(10); n > 0 && r.seq < o.position().seq; n-- {
					if err := r.take(c.next()); err != nil {
						t.Fatal(err)
					}
				}
			}
			o.publish()
			for r.seq < o.position().seq {
				if err := r.take(c.next()); err != nil {
					t.Fatal(err)
				}
			}
			if r.trades+r.missed != r.seq-first {
				t.Errorf("%d trades and %d missed, want %d together", r.trades, r.missed, r.seq-first)
			}
		})
	})
}

func TestPrivateTopicsNeverDrop(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, MarketQueueFramesMax: 4}, func(t *testing.T, s *server) {
		book, orders := s.feed.owner("", "book:okx:BTCUSDT:5"), s.feed.owner("alice", "orders")
		c := s.login("alice")
		r := subscribeBook(t, c, book)
		c.subscribe("orders")
		c.next()
		for range 500 { // together far beyond the limit of market data
			book.publish()
			orders.publish()
			synctest.Wait()
		}
		for seq := uint64(2); seq <= 501 || !r.current(); {
			m := c.next()
			if m.Channel != "orders" {
				if err := r.take(m); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if m.Seq != seq {
				t.Fatalf("seq of the orders message = %d, want %d", m.Seq, seq)
			}
			seq++
		}
		if s.hub.Stats().Conflations == 0 {
			t.Error("conflations = 0, want some")
		}
		c.close()
	})
}

func TestPrivateOverflowCloses(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, QueueBytesMax: 20_000}, func(t *testing.T, s *server) {
		orders := s.feed.owner("alice", "orders")
		c := s.login("alice")
		c.subscribe("orders")
		c.next()
		for range 100 {
			orders.publish()
			synctest.Wait()
		}
		seq := uint64(2)
		for {
			m, err := c.read()
			if err != nil {
				if e, ok := errors.AsType[*websocket.CloseError](err); !ok || e.Code != 4009 {
					t.Fatalf("error = %v, want close 4009", err)
				}
				break
			}
			if m.Seq != seq {
				t.Fatalf("seq of the orders message = %d, want %d", m.Seq, seq)
			}
			seq++
		}
		c.close()
		synctest.Wait()
		if got := s.hub.Stats(); got.Closes[4009] != 1 || got.QueuedBytes != 0 || s.feed.open() != 0 {
			t.Errorf("stats = %+v with %d upstream subscriptions, want one close with 4009 and nothing left", got, s.feed.open())
		}
	})
}

func TestStalledClientIsClosed(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		subscribeBook(t, c, o)
		o.publish()
		synctest.Wait()
		time.Sleep(stream.WriteStallMax - time.Millisecond)
		if s.hub.Stats().Connections != 1 {
			t.Errorf("connections before %v = %d, want 1", stream.WriteStallMax, s.hub.Stats().Connections)
		}
		time.Sleep(2 * time.Second) // until the reading side has lingered
		if got := s.hub.Stats(); got.Connections != 0 || got.Closes[4009] != 1 || s.feed.open() != 0 {
			t.Errorf("stats = %+v, want one close with 4009 and nothing left", got)
		}
		if _, err := c.read(); err == nil {
			t.Error("read of an incomplete frame: no error, want one")
		}
	})
}

// The following tests use TCP: sockets accept non-blocking writes until they are full.

// subscribeWithoutReading subscribes and then never reads again.
func (s *server) subscribeWithoutReading(topics ...string) *client {
	s.t.Helper()
	c := s.login("stalled")
	c.subscribe(topics...)
	return c
}

func TestStalledSocketsDoNotDelayOthers(t *testing.T) {
	const fast, stalled, messages = 10, 5, 100
	s := newServer(t, stream.Options{Shards: 1, SendBufferBytes: 4096}, true)
	o := s.feed.owner("", "book:okx:BTCUSDT:200")
	o.addLevels(200)
	start := time.Now()
	for range stalled {
		c := s.subscribeWithoutReading("book:okx:BTCUSDT:200")
		shrinkReadBuffer(t, c.ws.NetConn())
	}
	var readers sync.WaitGroup
	received := make(chan struct{}, fast)
	for range fast {
		c := s.login("alice")
		r := subscribeBook(t, c, o)
		readers.Go(func() {
			for range messages {
				m, err := c.read()
				if err == nil {
					err = r.take(m)
				}
				if err != nil {
					t.Error(err)
					return
				}
				received <- struct{}{}
			}
			if !r.current() || r.snapshots != 1 {
				t.Errorf("fast client: %d snapshots, current %v, want 1 and true", r.snapshots, r.current())
			}
		})
	}
	for range messages {
		o.republish()
		for range fast { // so that even on a slow machine they are not conflated
			select {
			case <-received:
			case <-time.After(testTimeout):
				t.Fatal("timeout, want the fast clients to receive everything")
			}
		}
	}
	readers.Wait()
	if took := time.Since(start); took >= stream.WriteStallMax {
		t.Skipf("took %v: this machine is too slow for the test", took)
	}
	got := s.hub.Stats()
	if got.Connections != fast+stalled || got.Conflations < stalled || got.SlowWrites < stalled {
		t.Errorf("stats = %+v, want the stalled clients connected and conflated", got)
	}
	if most := int64(stalled * (300 << 10)); got.QueuedBytes > most {
		t.Errorf("%d bytes queued for %d stalled clients, want at most %d", got.QueuedBytes, stalled, most)
	}
}

// shrinkReadBuffer makes the kernel of a client buffer little.
func shrinkReadBuffer(t testing.TB, conn net.Conn) {
	t.Helper()
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("connection is a %T, want TCP", conn)
	}
	if err := tcp.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
}

// A slow client over TCP catches up, even if a frame was written only in part.
func TestSlowSocketCatchesUp(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 1, SendBufferBytes: 4096}, true)
	o := s.feed.owner("", "book:okx:BTCUSDT:200")
	o.addLevels(400)
	c := s.login("alice")
	shrinkReadBuffer(t, c.ws.NetConn())
	r := subscribeBook(t, c, o)
	for round := range 3 {
		before := s.hub.Stats().Conflations
		eventually(t, "a conflation", func() bool {
			o.republish()
			return s.hub.Stats().Conflations > before
		})
		for !r.current() {
			r.readNext(t, c)
		}
		if r.snapshots < 2+round {
			t.Fatalf("round %d: %d snapshots, want at least %d", round, r.snapshots, 2+round)
		}
	}
	eventually(t, "an empty queue", func() bool { return s.hub.Stats().QueuedBytes == 0 })
}

func TestSocketsWithAPerIPLimitAreWrittenDirectly(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 1}, true, func(app *fiber.App) {
		app.Server().MaxConnsPerIP = 10 // wraps every connection
	})
	o := s.feed.owner("", "book:okx:BTCUSDT:5")
	c := s.login("alice")
	r := subscribeBook(t, c, o)
	for range 100 {
		o.publish()
		r.readNext(t, c)
	}
	eventually(t, "all deliveries are counted", func() bool { return s.hub.Stats().Deliveries >= 103 })
	if got := s.hub.Stats(); got.SlowWrites != 0 {
		t.Errorf("%d of %d writes were made in the background, want none", got.SlowWrites, got.Writes)
	}
}

func TestLostConnectionIsDetectedByWriting(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 1}, true)
	o := s.feed.owner("", "book:okx:BTCUSDT:5")
	c := s.login("alice")
	subscribeBook(t, c, o)
	tcp, _ := c.ws.NetConn().(*net.TCPConn)
	if err := tcp.SetLinger(0); err != nil { // a reset instead of a regular close
		t.Fatal(err)
	}
	c.close()
	eventually(t, "the session is gone", func() bool {
		o.publish()
		return s.hub.Stats().Connections == 0
	})
	if got := s.hub.Stats(); got.Closes[1006] != 1 {
		t.Errorf("stats = %+v, want one close with 1006", got)
	}
	if _, err := c.ws.NetConn().Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("read error = %v, want one other than EOF", err)
	}
}
