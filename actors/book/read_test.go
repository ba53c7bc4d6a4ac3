package book_test

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/book"
	"venuegate/venues"
)

// read returns the snapshot of a depth or its error, as text.
func read(k *actortest.Kit, c *book.Client, depth int) string {
	k.T.Helper()
	f, err := c.Snapshot(k.T.Context(), depth)
	if e, ok := errors.AsType[*venues.Error](err); ok && e.Code == venues.CodeExchangeUnavailable {
		return "reason " + e.Details["reason"].(string)
	}
	if err != nil {
		k.T.Fatalf("snapshot: %v", err)
	}
	return string(f.Bytes)
}

func TestReadOpensTheBook(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		first := make(chan string)
		go func() { first <- read(k, c, 5) }()
		k.Settle()
		expect(t, "topics", v.takeChannels(), "+1 +2 +4")
		c.Update(update(0, 10, true, 100, 101))
		expect(t, "waiting read", <-first, "snapshot #1 [{100 10}] [{101 10}]")
		expect(t, "next read", read(k, c, 5), "snapshot #2 [{100 10}] [{101 10}]")
		expect(t, "other depth", read(k, c, 1), "snapshot #1 [{100 10}] [{101 10}]")
		k.Advance(book.WatchFor - time.Second)
		read(k, c, 5)
		k.Advance(book.WatchFor - time.Second)
		expect(t, "topics while it is read", v.takeChannels(), "")
		k.Advance(time.Minute)
		expect(t, "topics without reads", v.takeChannels(), "-1 -2 -4")
		if _, err := c.Snapshot(k.T.Context(), 5); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("read of an ended book: error %v, want ErrStopped", err)
		}
	})
}

// A read beside subscribers has the sequence number of the topic, so that it is a point in
// their stream of messages.
func TestReadBesideSubscribers(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{})
		read5 := func() string { return read(k, c, 5) }
		go read5()
		k.Settle()
		c.Update(update(0, 10, true, 100, 101))
		s, sub := subscribe(k, c, "book:binance:BTCUSDT:5")
		expect(t, "first message", s.take(), "snapshot #2 [{100 10}] [{101 10}]")
		expect(t, "read", read5(), "snapshot #2 [{100 10}] [{101 10}]")
		c.Update(update(10, 11, false, 100, 101))
		k.Settle()
		expect(t, "delta", s.take(), "delta #3 [{100 11}] [{101 11}]")
		expect(t, "read after the delta", read5(), "snapshot #3 [{100 11}] [{101 11}]")
		sub.Close()
		k.Settle()
		expect(t, "read after the subscription", read5(), "snapshot #4 [{100 11}] [{101 11}]")
		expect(t, "after the reads", s.take(), "")
	})
}

func TestReadOfAStaleBookFails(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{})
		begun := time.Now()
		expect(t, "without a message", read(k, c, 5), "reason stale")
		if waited := time.Since(begun); waited != book.FirstSnapshotWait {
			t.Errorf("waited %s, want %s", waited, book.FirstSnapshotWait)
		}
		c.Update(update(0, 10, true, 100, 101))
		k.Settle()
		c.Interrupted(venues.FeedTopic{Kind: venues.FeedBook, Symbol: "BTCUSDT"}, errors.New("reset"))
		k.Settle()
		begun = time.Now()
		expect(t, "interrupted", read(k, c, 5), "reason stale")
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("waited %s for a stale book, want no wait", waited)
		}
		c.Update(update(0, 20, true, 100, 101))
		expect(t, "live again", read(k, c, 5), "snapshot #1 [{100 20}] [{101 20}]")
	})
}

func TestReadOfAnUnknownDepthFails(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		_, err := start(k, &venue{}).Snapshot(k.T.Context(), 7)
		if e, ok := errors.AsType[*venues.Error](err); !ok || e.Code != venues.CodeNotFound {
			t.Errorf("error = %v, want not_found", err)
		}
	})
}
