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

func TestDelivers(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "trades.A", "candles.A", "mark.A")
		b.sink.heard()
		deep, light := 1+slices.Index(b.paths, "/deep"), 1+slices.Index(b.paths, "/light")
		b.say(deep, "# book.A 5")
		b.say(light, "# trades.A 7", "# candles.A 1", "# mark.A 1", "pong", "# trades.NOBODYS 1")
		b.hears("book A 5", "trade A 7", "candle A", "mark A")
	})
}

// A connection carries so many channels and no more; a request so many topics.
func TestSpreadsOverConnections(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B", "book.C", "book.D", "book.A")
		b.subscribe("book.C") // nothing new
		got := b.requests()
		slices.Sort(got)
		if want := []string{"1: sub 1 book.A,book.B", "1: sub 2 book.C", "2: sub 1 book.D"}; !slices.Equal(swapped(got), want) {
			b.Errorf("the venue was asked %q", got)
		}
		b.unsubscribe("book.D", "book.NEVER") // its connection carries nothing any more
		b.subscribe("book.E")
		if b.connections() != 3 {
			b.Errorf("%d connections", b.connections())
		}
	})
}

// swapped names the connections of a test by what they carry: they dial at the same
// time.
func swapped(told []string) []string {
	if slices.Contains(told, "1: sub 1 book.D") {
		for n := range told {
			told[n] = map[byte]string{'1': "2", '2': "1"}[told[n][0]] + told[n][1:]
		}
	}
	slices.Sort(told)
	return told
}

// The owner asks for a book anew by leaving it and coming back.
func TestSubscribesAgain(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.requests()
		b.sink.heard()
		b.feed.Unsubscribe(channelsOf([]string{"book.A"})...)
		b.subscribe("book.A")
		b.asks("1: unsub 2 book.A", "1: sub 3 book.A")
		b.hears("resumed book.A")
	})
}

func TestClosedFeedIsDeaf(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.feed.Close()
		b.sink.heard()
		b.requests()
		b.subscribe("book.B")
		b.unsubscribe("book.A")
		b.feed.Close()
		b.asks()
		b.hears()
	})
}

// What a connection brings after its last channel left reaches nobody, however long
// it takes to close.
func TestSilentOnceUnsubscribed(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.sink.heard()
		b.sink.onBook = func() { b.feed.Unsubscribe(channelsOf([]string{"book.A"})...) }
		b.say(1, "# book.A 1", "# book.A 2", "# book.A 3")
		b.feed.Close()
		b.hears("book A 1")
	})
}

func TestReconnects(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.say(1, "# book.A 5")
		b.sink.heard()
		b.requests()
		b.cut(1)
		if got := b.sink.heard(); len(got) != 1 || !strings.HasPrefix(got[0], "interrupted book.A,book.B: ") {
			b.Errorf("heard %q", got)
		}
		b.settle()
		b.hears("resumed book.A,book.B")
		b.say(2, "# book.A 5") // the same number, of another life
		b.hears("book A 5")
	})
}

// What both connections of a renewal bring is told once. A snapshot begins a book
// anew.
func TestRenewalTellsOnce(t *testing.T) {
	for name, renew := range map[string]func(*bench){
		"at the end of its life": func(*bench) { time.Sleep(time.Hour) },
		"as the venue wishes":    func(b *bench) { b.say(1, "ending") },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(o *feed.Options, v *venue) { v.lifetime, o.BookSilenceMax = time.Hour, 0 }, func(b *bench) {
				b.subscribe("book.A", "book.B", "book.C")
				b.say(1, "# book.A 5", "# book.B 100")
				b.sink.heard()
				renew(b)
				time.Sleep(time.Second) // the successor is up, the old one is read
				b.say(1, "# book.A 6")
				b.settle()
				b.say(2, "# book.A 5", "# book.A 6", "# book.A 7", "# book.A 7", "# book.B snapshot 3", "# book.B 4", "# book.C 1")
				b.hears("book A 6", "book A 7", "book A 7", "book B 3", "book B 4", "book C 1")
				b.say(2, "# book.A restarts")
				b.hears("candle 2")
			})
		})
	}
}

// One bad name spoils nothing but itself, and is asked for again ever more rarely.
func TestRefusalsAreIsolated(t *testing.T) {
	play(t, func(o *feed.Options, v *venue) {
		o.TopicsPerRequestMax = 10
		v.answer = func(words []string) string {
			switch {
			case strings.Contains(words[2], "trades.BAD"):
				return "refused " + words[1] + " unknown"
			case words[2] == "trades.HELD":
				return "repeated " + words[1]
			}
			return "confirmed " + words[1]
		}
	}, func(b *bench) {
		b.subscribe("trades.OLD", "trades.BAD", "trades.HELD")
		got := b.sink.heard()
		slices.Sort(got)
		if want := []string{"interrupted trades.BAD: subscription was refused: unknown", "resumed trades.HELD", "resumed trades.OLD"}; !slices.Equal(got, want) {
			b.Errorf("heard %q", got)
		}
		time.Sleep(12 * time.Minute)
		checkGaps(b.T, b.subTimes("trades.BAD"), time.Minute, 2*time.Minute, 4*time.Minute, 4*time.Minute)
		b.sink.heard()
		b.answering(func(words []string) string { return "confirmed " + words[1] })
		time.Sleep(5 * time.Minute)
		b.hears("resumed trades.BAD")
	})
}

// checkGaps holds the times between events against what they should be, give or take
// a few ticks.
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

// A channel that left before its refusal came is not asked for again.
func TestRefusalOfWhatLeft(t *testing.T) {
	play(t, func(_ *feed.Options, v *venue) {
		v.answer = func([]string) string { return "" }
	}, func(b *bench) {
		b.subscribe("mark.A", "mark.B")
		b.unsubscribe("mark.A")
		b.requests()
		b.say(1, "refused 1 unknown")
		b.settle()
		b.asks()
		b.hears("interrupted mark.B: subscription was refused: unknown")
	})
}

// A venue may confirm each topic by itself.
func TestConfirmsTopicByTopic(t *testing.T) {
	play(t, func(_ *feed.Options, v *venue) {
		v.answer = func([]string) string { return "" }
	}, func(b *bench) {
		b.subscribe("trades.A", "trades.B")
		b.say(1, "confirmed 1 trades.B", "confirmed 1 trades.NOBODYS")
		b.hears("resumed trades.B")
		b.say(1, "confirmed 0 trades.A", "confirmed 0 trades.A")
		b.hears("resumed trades.A")
		time.Sleep(time.Minute)
		b.hears() // nothing waits for an answer
	})
}

func TestUnconfirmedSubscriptionCostsTheConnection(t *testing.T) {
	play(t, func(_ *feed.Options, v *venue) {
		v.answer = func([]string) string { return "" }
	}, func(b *bench) {
		b.subscribe("trades.A")
		b.answering(func(words []string) string { return "confirmed " + words[1] })
		time.Sleep(5 * time.Second)
		b.hears()
		time.Sleep(15 * time.Second)
		b.hears("resumed trades.A")
		if b.connections() != 2 {
			b.Errorf("%d connections", b.connections())
		}
	})
}

func TestFailureCostsTheConnection(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("trades.A")
		b.sink.heard()
		b.say(1, "failed 0 overload")
		b.settle()
		b.hears("interrupted trades.A: subscription was refused: overload", "resumed trades.A")
	})
}

// What nobody understands may have been data of any stream.
func TestMessageOfUnknownKindCostsTheConnection(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("trades.A")
		b.sink.heard()
		b.say(1, "what?")
		b.settle()
		b.hears("interrupted trades.A: message of an unknown kind: no answer", "resumed trades.A")
	})
}

func TestReplay(t *testing.T) {
	s := &sink{}
	r := feed.NewReplay(feed.Options{Protocol: protocol{&venue{}}, Sink: s, TopicsPerRequestMax: 1}, channelsOf([]string{"book.A"})...)
	for _, message := range []string{"# book.A 1", "# book.B 1", "ending", "confirmed 1", "failed 0 overload", "what?"} {
		r.Message([]byte(message))
	}
	if got := fmt.Sprint(s.heard()); got != "[book A 1]" {
		t.Errorf("heard %s", got)
	}
}

// discard is a sink and a decoder that do nothing, so that what is left is the way
// of a message through the feed.
type discard struct{ protocol }

func (discard) Decoders() func(venues.FeedChannel, string) feed.Decoder {
	return func(venues.FeedChannel, string) feed.Decoder { return nothing{} }
}

type nothing struct{}

func (nothing) Restart()                                     {}
func (nothing) Decode([]byte, time.Time, *feed.Stream) error { return nil }

func TestMessagesAllocateNothing(t *testing.T) {
	r := feed.NewReplay(feed.Options{Protocol: discard{}, Sink: &sink{}, TopicsPerRequestMax: 1}, channelsOf([]string{"book.A"})...)
	message := []byte("# book.A 1")
	if n := testing.AllocsPerRun(1000, func() { r.Message(message) }); n != 0 {
		t.Errorf("a message allocates %v times", n)
	}
}
