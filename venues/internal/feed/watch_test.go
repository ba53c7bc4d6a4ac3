package feed_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/venues/internal/feed"
)

// speak lets a connection say something every second.
func (b *bench) speak(times int, messages ...string) {
	for range times {
		b.say(1, messages...)
		time.Sleep(time.Second)
	}
}

// One quiet book among busy ones is asked for again, ever more rarely; the others
// are left in peace.
func TestLoneSilentStream(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B", "book.C") // C in a request of its own
		b.requests()
		b.speak(7*60+10, "# book.A 1", "# book.B 1")
		checkGaps(b.T, b.subTimes("book.C"), time.Minute, 2*time.Minute, 4*time.Minute)
		for _, one := range b.requests() {
			if !strings.HasSuffix(one, " book.C") {
				b.Errorf("the venue was asked %s", one)
			}
		}
		story := b.sink.story()
		if want := "resumed book.C; interrupted book.C: stream fell silent; resumed book.C"; !strings.HasSuffix(strings.Join(story, "; "), want) {
			b.Errorf("heard %q", story)
		}
		if b.connections() != 1 {
			b.Errorf("%d connections", b.connections())
		}
	})
}

// The venue may confirm a stream anew before its silence is told. The sink hears of the
// silence first all the same: it would take the stream for interrupted for ever.
func TestSilenceIsToldBeforeItsEnd(t *testing.T) {
	core, _ := observer.New(zap.WarnLevel)
	slowly := zap.Hooks(func(zapcore.Entry) error {
		for range 1000 {
			runtime.Gosched() // to whoever reads the confirmation
		}
		return nil
	})
	play(t, func(o *feed.Options, _ *venue) { o.Log = zap.New(core, slowly) }, func(b *bench) {
		b.subscribe("book.A", "book.B", "book.C")
		b.sink.heard()
		b.speak(65, "# book.A 1", "# book.B 1")
		if got := b.sink.story(); !slices.Equal(got, []string{"interrupted book.C: stream fell silent", "resumed book.C"}) {
			b.Errorf("heard %q", got)
		}
	})
}

// A second silence of most of what is watched is the connection's fault.
func TestMuteConnectionIsReplaced(t *testing.T) {
	play(t, func(o *feed.Options, _ *venue) { o.BookSilenceMax = 30 * time.Second }, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.sink.heard()
		time.Sleep(32 * time.Second)
		b.hears("interrupted book.A,book.B: stream fell silent", "resumed book.A,book.B")
		time.Sleep(70 * time.Second)
		if b.connections() != 2 {
			b.Errorf("%d connections", b.connections())
		}
	})
}

// Trades and candles come when they come; an instrument that does not trade is
// silent; a word of an older subscription is no sign of life.
func TestWhatIsWatched(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("trades.A", "candles.A", "mark.HALTED", "mark.A")
		b.sink.heard()
		b.speak(25, "# mark.A stale")
		b.hears("interrupted mark.A: stream fell silent", "resumed mark.A")
	})
}

// An undecodable message breaks its channel alone.
func TestBrokenStreamIsSubscribedAnew(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.requests()
		b.sink.heard()
		b.say(1, "# book.A nonsense", "# book.A 2", "# book.B 1")
		b.hears("interrupted book.A: stream book.A: garbled", "book B 1")
		b.settle()
		b.hears("resumed book.A")
		b.asks("1: unsub 2 book.A", "1: sub 3 book.A")
		b.say(1, "# book.A snapshot 9")
		b.hears("book A 9")
	})
}

// The confirmation of a subscription mends nothing that broke after it was asked for:
// the beginning that came with it was dropped.
func TestBrokenAgainBeforeItIsConfirmed(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.answering(func([]string) string { return "" })
		b.say(1, "# book.A nonsense")
		b.settle()
		b.requests()
		b.sink.heard()
		b.say(1, "# book.A 5", "# book.A nonsense", "# book.A snapshot 7", "confirmed 3")
		b.hears("book A 5", "interrupted book.A: stream book.A: garbled")
		b.answering(func(words []string) string { return "confirmed " + words[1] })
		b.settle()
		b.asks("1: unsub 4 book.A", "1: sub 5 book.A")
		b.hears("resumed book.A")
	})
}

// Where the venue's books have no beginning there is none to ask for.
func TestBrokenStreamGoesOn(t *testing.T) {
	play(t, func(o *feed.Options, _ *venue) { o.StreamSnapshots = false }, func(b *bench) {
		b.subscribe("book.A")
		b.requests()
		b.sink.heard()
		b.say(1, "# book.A nonsense", "# book.A 2")
		b.settle()
		b.say(1, "# book.A 3")
		b.asks()
		b.hears("interrupted book.A: stream book.A: garbled", "resumed book.A", "book A 3")
	})
}

// What stays undecodable is mended ever more rarely.
func TestMendingTakesItsTime(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.speak(100, "# book.A nonsense")
		checkGaps(b.T, b.subTimes("book.A")[1:], time.Second, 2*time.Second, 4*time.Second, 8*time.Second, 16*time.Second, 32*time.Second)
		time.Sleep(30 * time.Second)
		b.say(1, "# book.A 1")
		b.sink.heard()
		b.say(1, "# book.A nonsense")
		b.settle() // a good message makes the next fault a first one
		b.hears("interrupted book.A: stream book.A: garbled", "resumed book.A")
	})
}

// A loss forgets what was held against the streams.
func TestLossWhileBroken(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.say(1, "# book.A nonsense")
		b.sink.heard()
		b.cut(1)
		time.Sleep(10 * time.Second)
		b.say(2, "# book.A 1")
		b.hears("resumed book.A", "book A 1")
	})
}
