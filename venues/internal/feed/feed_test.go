package feed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
)

func TestMessagesReachTheSink(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "trades.A", "candles.A", "mark.A")
		b.sink.take()
		deep, light := 1+slices.Index(b.paths, "/deep"), 1+slices.Index(b.paths, "/light")
		b.send(deep, "# book.A 5")
		b.send(light, "# trades.A 7", "# candles.A 1", "# mark.A 1", "pong", "# trades.NOBODYS 1")
		b.expect("book A 5", "trade A 7", "candle A", "mark A")
	})
}

// A connection carries a limited number of topics, and so does a request.
func TestTopicsAreDistributedOverConnections(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B", "book.C", "book.D", "book.A")
		b.subscribe("book.C") // nothing new
		got := b.requests()
		slices.Sort(got)
		if want := []string{"1: sub 1 book.A,book.B", "1: sub 2 book.C", "2: sub 1 book.D"}; !slices.Equal(swapped(got), want) {
			b.Errorf("requests %q, want slices.Equal(swapped(got), want)", got)
		}
		b.unsubscribe("book.D", "book.NEVER") // its connection has no topics any more
		b.subscribe("book.E")
		if b.connections() != 3 {
			b.Errorf("%d connections, want 3", b.connections())
		}
	})
}

// swapped names the connections of a test by their topics, because they dial at the same
// time.
func swapped(requests []string) []string {
	if slices.Contains(requests, "1: sub 1 book.D") {
		for n := range requests {
			requests[n] = map[byte]string{'1': "2", '2': "1"}[requests[n][0]] + requests[n][1:]
		}
	}
	slices.Sort(requests)
	return requests
}

// The owner requests a new book by unsubscribing and subscribing.
func TestSubscribesAgain(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.requests()
		b.sink.take()
		b.feed.Unsubscribe(channelsOf([]string{"book.A"})...)
		b.subscribe("book.A")
		b.expectRequests("1: unsub 2 book.A", "1: sub 3 book.A")
		b.expect("resumed book.A")
	})
}

func TestClosedFeedIgnoresSubscriptions(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.feed.Close()
		b.sink.take()
		b.requests()
		b.subscribe("book.B")
		b.unsubscribe("book.A")
		b.feed.Close()
		b.expectRequests()
		b.expect()
	})
}

// What a connection brings after its last topic was unsubscribed is dropped, however long
// it takes to close.
func TestNoMessagesAfterUnsubscribe(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.sink.take()
		b.sink.onBook = func() { b.feed.Unsubscribe(channelsOf([]string{"book.A"})...) }
		b.send(1, "# book.A 1", "# book.A 2", "# book.A 3")
		b.feed.Close()
		b.expect("book A 1")
	})
}

func TestReconnects(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.send(1, "# book.A 5")
		b.sink.take()
		b.requests()
		b.cut(1)
		if got := b.sink.take(); len(got) != 1 || !strings.HasPrefix(got[0], "interrupted book.A,book.B: ") {
			b.Errorf("sink calls %q, want one that begins with \"interrupted book.A,book.B: \"", got)
		}
		b.settle()
		b.expect("resumed book.A,book.B")
		b.send(2, "# book.A 5") // the same number, in a new sequence
		b.expect("book A 5")
	})
}

// What both connections of a renewal bring is passed on once. A snapshot starts a book
// from scratch.
func TestRenewalPassesMessagesOnOnce(t *testing.T) {
	for name, renew := range map[string]func(*bench){
		"at its Lifetime":     func(*bench) { time.Sleep(time.Hour) },
		"at an Ending answer": func(b *bench) { b.send(1, "ending") },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(o *feed.Options, v *venue) { v.lifetime, o.BookSilenceMax = time.Hour, 0 }, func(b *bench) {
				b.subscribe("book.A", "book.B", "book.C")
				b.send(1, "# book.A 5", "# book.B 100")
				b.sink.take()
				renew(b)
				time.Sleep(time.Second) // the successor is up, the old one is read
				b.send(1, "# book.A 6")
				b.settle()
				b.send(2, "# book.A 5", "# book.A 6", "# book.A 7", "# book.A 7", "# book.B snapshot 3", "# book.B 4", "# book.C 1")
				b.expect("book A 6", "book A 7", "book A 7", "book B 3", "book B 4", "book C 1")
				b.send(2, "# book.A restarts")
				b.expect("candle 2")
			})
		})
	}
}

// One bad name affects no other, and is requested again less and less often.
func TestRejectionAffectsOneTopic(t *testing.T) {
	play(t, func(o *feed.Options, v *venue) {
		o.TopicsPerRequestMax = 10
		v.answer = func(words []string) string {
			switch {
			case strings.Contains(words[2], "trades.BAD"):
				return "rejected " + words[1] + " unknown"
			case words[2] == "trades.HELD":
				return "repeated " + words[1]
			}
			return "confirmed " + words[1]
		}
	}, func(b *bench) {
		b.subscribe("trades.OLD", "trades.BAD", "trades.HELD")
		got := b.sink.take()
		slices.Sort(got)
		if want := []string{"interrupted trades.BAD: subscription was rejected: unknown", "resumed trades.HELD", "resumed trades.OLD"}; !slices.Equal(got, want) {
			b.Errorf("sink calls %q, want %v", got, want)
		}
		time.Sleep(12 * time.Minute)
		checkGaps(b.T, b.subTimes("trades.BAD"), time.Minute, 2*time.Minute, 4*time.Minute, 4*time.Minute)
		b.sink.take()
		b.answering(func(words []string) string { return "confirmed " + words[1] })
		time.Sleep(5 * time.Minute)
		b.expect("resumed trades.BAD")
	})
}

// checkGaps compares the times between events with what they should be, within a few
// ticks.
func checkGaps(t *testing.T, times []time.Time, want ...time.Duration) {
	t.Helper()
	if len(times) != len(want)+1 {
		t.Fatalf("%d times, want %d: %v", len(times), len(want)+1, times)
	}
	for n, gap := range want {
		if got := times[n+1].Sub(times[n]); got < gap || got > gap+3*time.Second {
			t.Errorf("gap %d is %v, want %v", n, got, gap)
		}
	}
}

// A topic that was unsubscribed before its rejection is not requested again.
func TestRejectionAfterUnsubscribe(t *testing.T) {
	play(t, func(_ *feed.Options, v *venue) {
		v.answer = func([]string) string { return "" }
	}, func(b *bench) {
		b.subscribe("mark.A", "mark.B")
		b.unsubscribe("mark.A")
		b.requests()
		b.send(1, "rejected 1 unknown")
		b.settle()
		b.expectRequests()
		b.expect("interrupted mark.B: subscription was rejected: unknown")
	})
}

// A venue may confirm each topic separately.
func TestConfirmsTopicByTopic(t *testing.T) {
	play(t, func(_ *feed.Options, v *venue) {
		v.answer = func([]string) string { return "" }
	}, func(b *bench) {
		b.subscribe("trades.A", "trades.B")
		b.send(1, "confirmed 1 trades.B", "confirmed 1 trades.NOBODYS")
		b.expect("resumed trades.B")
		b.send(1, "confirmed 0 trades.A", "confirmed 0 trades.A")
		b.expect("resumed trades.A")
		time.Sleep(time.Minute)
		b.expect() // no answer is pending
	})
}

func TestUnconfirmedSubscriptionReplacesTheConnection(t *testing.T) {
	play(t, func(_ *feed.Options, v *venue) {
		v.answer = func([]string) string { return "" }
	}, func(b *bench) {
		b.subscribe("trades.A")
		b.answering(func(words []string) string { return "confirmed " + words[1] })
		time.Sleep(5 * time.Second)
		b.expect()
		time.Sleep(15 * time.Second)
		b.expect("resumed trades.A")
		if b.connections() != 2 {
			b.Errorf("%d connections, want 2", b.connections())
		}
	})
}

// An unknown message may have been data of any stream.
func TestFailureReplacesTheConnection(t *testing.T) {
	for message, cause := range map[string]string{
		"failed 0 overload": "subscription was rejected: overload", "what?": "message of an unknown kind: no answer",
	} {
		play(t, nil, func(b *bench) {
			b.subscribe("trades.A")
			b.sink.take()
			b.send(1, message)
			b.settle()
			b.expect("interrupted trades.A: "+cause, "resumed trades.A")
		})
	}
}

func TestReplay(t *testing.T) {
	s := &sink{}
	r := feed.NewReplay(feed.Options{Protocol: protocol{&venue{}}, Sink: s, TopicsPerRequestMax: 1}, channelsOf([]string{"book.A"})...)
	for _, message := range []string{"# book.A 1", "# book.B 1", "ending", "confirmed 1", "failed 0 overload", "what?"} {
		r.Message([]byte(message))
	}
	if got := fmt.Sprint(s.take()); got != "[book A 1]" {
		t.Errorf("sink calls %s, want [book A 1]", got)
	}
}

// discard is a sink and a decoder without effect, which leaves the way of a message
// through the feed.
type discard struct{ protocol }

func (discard) Decoders() func(venues.FeedTopic, string) feed.Decoder {
	return func(venues.FeedTopic, string) feed.Decoder { return nothing{} }
}

type nothing struct{}

func (nothing) Restart()                                     {}
func (nothing) Decode([]byte, time.Time, *feed.Stream) error { return nil }

func TestMessagesAllocateNothing(t *testing.T) {
	r := feed.NewReplay(feed.Options{Protocol: discard{}, Sink: &sink{}, TopicsPerRequestMax: 1}, channelsOf([]string{"book.A"})...)
	message := []byte("# book.A 1")
	if n := testing.AllocsPerRun(1000, func() { r.Message(message) }); n != 0 {
		t.Errorf("%v allocations per message, want 0", n)
	}
}
