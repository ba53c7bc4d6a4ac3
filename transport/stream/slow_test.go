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

// A pipe holds nothing, so a client that does not read stalls the next write.

func TestSlowBookReaderIsConflated(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := follow(t, c, o)
		for range 2000 {
			o.publish()
			synctest.Wait()
		}
		for !r.current() {
			r.must(t, c)
		}
		synctest.Wait()
		got := s.hub.Stats()
		if got.Conflations == 0 || r.snapshots != 1+int(got.Conflations) || r.messages+int(got.Dropped) != 2000+r.snapshots {
			t.Errorf("%d messages, %d snapshots, %+v", r.messages, r.snapshots, got)
		}
		if r.messages > 600 {
			t.Errorf("%d messages were kept for a reader that did not read", r.messages)
		}
		if got.QueuedBytes != 0 {
			t.Errorf("%d bytes queued", got.QueuedBytes)
		}
		c.close()
	})
}

// Whatever happens to a book while its reader is slow, the reader must never
// hold a wrong one that it believes in.
func TestSlowBookReaderNeverSeesAHole(t *testing.T) {
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
			r := follow(t, c, o)
			random := rand.New(rand.NewPCG(seed, 1))
			for _, n := range steps {
				o.wander(random, n)
				synctest.Wait()
				for range random.IntN(6) {
					if r.current() {
						break
					}
					r.must(t, c)
				}
			}
			o.refresh()
			for !r.current() {
				r.must(t, c)
			}
		})
	})
}

func TestSlowReaderHearsAtOnceThatItsBookIsStale(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, MarketQueueFramesMax: 4}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		r := follow(t, c, o)
		for range 20 {
			o.publish()
			synctest.Wait()
		}
		o.stale()
		for r.stales == 0 {
			r.must(t, c)
		}
		o.refresh()
		for !r.current() {
			r.must(t, c)
		}
		c.close()
	})
}

func TestSlowTradesReaderIsToldHowManyItMissed(t *testing.T) {
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
				t.Errorf("%d trades and %d missed are not %d", r.trades, r.missed, r.seq-first)
			}
		})
	})
}

func TestPrivateChannelsNeverDrop(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, MarketQueueFramesMax: 4}, func(t *testing.T, s *server) {
		book, orders := s.feed.owner("", "book:okx:BTCUSDT:5"), s.feed.owner("alice", "orders")
		c := s.login("alice")
		r := follow(t, c, book)
		c.subscribe("orders")
		c.next()
		for range 500 { // together far beyond what the market may take
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
				t.Fatalf("order message %d instead of %d", m.Seq, seq)
			}
			seq++
		}
		if s.hub.Stats().Conflations == 0 {
			t.Error("the market was not conflated")
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
					t.Fatalf("got %v", err)
				}
				break
			}
			if m.Seq != seq {
				t.Fatalf("order message %d instead of %d", m.Seq, seq)
			}
			seq++
		}
		c.close()
		synctest.Wait()
		if got := s.hub.Stats(); got.Closes[4009] != 1 || got.QueuedBytes != 0 || s.feed.open() != 0 {
			t.Errorf("got %+v, %d upstream subscriptions", got, s.feed.open())
		}
	})
}

func TestStalledReaderIsCutOff(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:5")
		c := s.login("alice")
		follow(t, c, o)
		o.publish()
		synctest.Wait()
		time.Sleep(stream.WriteStallMax - time.Millisecond)
		if s.hub.Stats().Connections != 1 {
			t.Error("cut off too early")
		}
		time.Sleep(2 * time.Second) // the reading side lingers
		if got := s.hub.Stats(); got.Connections != 0 || got.Closes[4009] != 1 || s.feed.open() != 0 {
			t.Errorf("got %+v", got)
		}
		if _, err := c.read(); err == nil {
			t.Error("half a frame was taken for a whole one")
		}
	})
}

// Over TCP: sockets that are written without waiting, until they are full.

// stall subscribes and then never reads again.
func (s *server) stall(channels ...string) *client {
	s.t.Helper()
	c := s.login("stalled")
	c.subscribe(channels...)
	return c
}

func TestStalledSocketsDelayNobody(t *testing.T) {
	const fast, stalled, messages = 10, 5, 100
	s := newServer(t, stream.Options{Shards: 1, SendBufferBytes: 4096}, true)
	o := s.feed.owner("", "book:okx:BTCUSDT:200")
	o.widen(200)
	start := time.Now()
	for range stalled {
		c := s.stall("book:okx:BTCUSDT:200")
		shrink(t, c.ws.NetConn())
	}
	var readers sync.WaitGroup
	taken := make(chan struct{}, fast)
	for range fast {
		c := s.login("alice")
		r := follow(t, c, o)
		readers.Add(1)
		go func() {
			defer readers.Done()
			for range messages {
				m, err := c.read()
				if err == nil {
					err = r.take(m)
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken <- struct{}{}
			}
			if !r.current() || r.snapshots != 1 {
				t.Errorf("a fast reader was held up: %d snapshots", r.snapshots)
			}
		}()
	}
	for range messages {
		o.republish()
		for range fast { // on whatever machine, they are not outrun
			select {
			case <-taken:
			case <-time.After(patience):
				t.Fatal("the fast readers wait for the stalled ones")
			}
		}
	}
	readers.Wait()
	if took := time.Since(start); took >= stream.WriteStallMax {
		t.Skipf("took %v: this machine is too slow to tell", took)
	}
	got := s.hub.Stats()
	if got.Connections != fast+stalled || got.Conflations < stalled || got.SlowWrites < stalled {
		t.Errorf("the stalled readers were not: %+v", got)
	}
	if most := int64(stalled * (300 << 10)); got.QueuedBytes > most {
		t.Errorf("%d bytes queued for %d stalled readers", got.QueuedBytes, stalled)
	}
}

// shrink makes a client's kernel take little.
func shrink(t testing.TB, conn net.Conn) {
	t.Helper()
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("%T is no TCP connection", conn)
	}
	if err := tcp.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
}

// A slow reader over TCP catches up, whatever was half written when it stopped.
func TestSlowSocketCatchesUp(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 1, SendBufferBytes: 4096}, true)
	o := s.feed.owner("", "book:okx:BTCUSDT:200")
	o.widen(400)
	c := s.login("alice")
	shrink(t, c.ws.NetConn())
	r := follow(t, c, o)
	for round := range 3 {
		before := s.hub.Stats().Conflations
		eventually(t, "a conflation", func() bool {
			o.republish()
			return s.hub.Stats().Conflations > before
		})
		for !r.current() {
			r.must(t, c)
		}
		if r.snapshots < 2+round {
			t.Fatalf("round %d: %d snapshots", round, r.snapshots)
		}
	}
	eventually(t, "an empty queue", func() bool { return s.hub.Stats().QueuedBytes == 0 })
}

func TestBehindAConnectionLimitSocketsAreStillWrittenDirectly(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 1}, true, func(app *fiber.App) {
		app.Server().MaxConnsPerIP = 10 // puts a wrapper around every connection
	})
	o := s.feed.owner("", "book:okx:BTCUSDT:5")
	c := s.login("alice")
	r := follow(t, c, o)
	for range 100 {
		o.publish()
		r.must(t, c)
	}
	eventually(t, "all deliveries are counted", func() bool { return s.hub.Stats().Deliveries >= 103 })
	if got := s.hub.Stats(); got.SlowWrites != 0 {
		t.Errorf("%d of %d writes were made in the background", got.SlowWrites, got.Writes)
	}
}

func TestLostConnectionIsNoticedWhileWriting(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 1}, true)
	o := s.feed.owner("", "book:okx:BTCUSDT:5")
	c := s.login("alice")
	follow(t, c, o)
	tcp, _ := c.ws.NetConn().(*net.TCPConn)
	if err := tcp.SetLinger(0); err != nil { // a reset instead of an orderly end
		t.Fatal(err)
	}
	c.close()
	eventually(t, "the session is gone", func() bool {
		o.publish()
		return s.hub.Stats().Connections == 0
	})
	if got := s.hub.Stats(); got.Closes[1006] != 1 {
		t.Errorf("got %+v", got)
	}
	if _, err := c.ws.NetConn().Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}
