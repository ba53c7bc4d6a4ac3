package feed_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/venues/internal/feed"
)

// repeat sends messages on a connection, once a second.
func (b *bench) repeat(times int, messages ...string) {
	for range times {
		b.send(1, messages...)
		time.Sleep(time.Second)
	}
}

// One silent book among active ones is requested again, less and less often; the others
// are not affected.
func TestSingleSilentTopic(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B", "book.C") // C in a request of its own
		b.requests()
		b.repeat(7*60+10, "# book.A 1", "# book.B 1")
		checkGaps(b.T, b.subTimes("book.C"), time.Minute, 2*time.Minute, 4*time.Minute)
		for _, one := range b.requests() {
			if !strings.HasSuffix(one, " book.C") {
				b.Errorf("requests %s, want each for book.C alone", one)
			}
		}
		story := b.sink.takeOthers()
		if want := "resumed book.C; interrupted book.C: no messages on the stream; resumed book.C"; !strings.HasSuffix(strings.Join(story, "; "), want) {
			b.Errorf("sink calls %q, want %s at the end", story, want)
		}
		if b.connections() != 1 {
			b.Errorf("%d connections, want 1", b.connections())
		}
	})
}

// The venue may confirm a stream again before its silence is reported. The sink is
// notified of the silence first nevertheless; otherwise it would consider the stream
// interrupted permanently.
func TestInterruptionIsReportedBeforeResumption(t *testing.T) {
	core, _ := observer.New(zap.WarnLevel)
	slowly := zap.Hooks(func(zapcore.Entry) error {
		for range 1000 {
			runtime.Gosched() // to the reader of the confirmation
		}
		return nil
	})
	play(t, func(o *feed.Options, _ *venue) { o.Log = zap.New(core, slowly) }, func(b *bench) {
		b.subscribe("book.A", "book.B", "book.C")
		b.sink.take()
		b.repeat(65, "# book.A 1", "# book.B 1")
		if got := b.sink.takeOthers(); !slices.Equal(got, []string{"interrupted book.C: no messages on the stream", "resumed book.C"}) {
			b.Errorf("sink calls %q, want book.C interrupted and resumed", got)
		}
	})
}

// A second silence of most monitored topics is a failure of the connection.
func TestSilentConnectionIsReplaced(t *testing.T) {
	play(t, func(o *feed.Options, _ *venue) { o.BookSilenceMax = 30 * time.Second }, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.sink.take()
		time.Sleep(32 * time.Second)
		b.expect("interrupted book.A,book.B: no messages on the stream", "resumed book.A,book.B")
		time.Sleep(70 * time.Second)
		if b.connections() != 2 {
			b.Errorf("%d connections, want 2", b.connections())
		}
	})
}

// Trades and candles may be silent, and so may an instrument that is not trading. A
// message of an earlier subscription does not count as activity.
func TestMonitoredTopics(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("trades.A", "candles.A", "mark.HALTED", "mark.A")
		b.sink.take()
		b.repeat(25, "# mark.A stale")
		b.expect("interrupted mark.A: no messages on the stream", "resumed mark.A")
	})
}

// An undecodable message breaks its topic only.
func TestBrokenTopicIsSubscribedAgain(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A", "book.B")
		b.requests()
		b.sink.take()
		b.send(1, "# book.A nonsense", "# book.A 2", "# book.B 1")
		b.expect("interrupted book.A: stream book.A: garbled", "book B 1")
		b.settle()
		b.expect("resumed book.A")
		b.expectRequests("1: unsub 2 book.A", "1: sub 3 book.A")
		b.send(1, "# book.A snapshot 9")
		b.expect("book A 9")
	})
}

// The confirmation of a subscription does not restore what broke after the request: the
// snapshot that came with it was dropped.
func TestTopicBrokenBeforeConfirmation(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.answering(func([]string) string { return "" })
		b.send(1, "# book.A nonsense")
		b.settle()
		b.requests()
		b.sink.take()
		b.send(1, "# book.A 5", "# book.A nonsense", "# book.A snapshot 7", "confirmed 3")
		b.expect("book A 5", "interrupted book.A: stream book.A: garbled")
		b.answering(func(words []string) string { return "confirmed " + words[1] })
		b.settle()
		b.expectRequests("1: unsub 4 book.A", "1: sub 5 book.A")
		b.expect("resumed book.A")
	})
}

// Where books have no snapshot there is none to request.
func TestBrokenTopicResumes(t *testing.T) {
	play(t, func(o *feed.Options, _ *venue) { o.StreamSnapshots = false }, func(b *bench) {
		b.subscribe("book.A")
		b.requests()
		b.sink.take()
		b.send(1, "# book.A nonsense", "# book.A 2")
		b.settle()
		b.send(1, "# book.A 3")
		b.expectRequests()
		b.expect("interrupted book.A: stream book.A: garbled", "resumed book.A", "book A 3")
	})
}

// A topic that was restored without a new subscription is interrupted again with its
// connection.
func TestRestoredTopicIsLostWithItsConnection(t *testing.T) {
	play(t, func(o *feed.Options, _ *venue) { o.StreamSnapshots = false }, func(b *bench) {
		b.subscribe("book.A")
		b.send(1, "# book.A nonsense")
		b.settle()
		b.sink.take()
		b.cut(1)
		if got := b.sink.take(); len(got) != 1 || !strings.HasPrefix(got[0], "interrupted book.A: ") {
			t.Errorf("sink calls %q, want one that begins with \"interrupted book.A: \"", got)
		}
		b.settle()
		b.expect("resumed book.A")
	})
}

// A topic that stays undecodable is restored less and less often.
func TestRestoringBacksOff(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.repeat(100, "# book.A nonsense")
		// From a request to the next failure and from the end of the wait to the next tick
		// it takes another second.
		checkGaps(b.T, b.subTimes("book.A")[1:], 2*time.Second, 3*time.Second, 5*time.Second, 9*time.Second, 17*time.Second, 33*time.Second)
		time.Sleep(30 * time.Second)
		b.send(1, "# book.A 1")
		b.sink.take()
		b.send(1, "# book.A nonsense")
		b.settle() // after a good message the next failure is a first one
		b.expect("interrupted book.A: stream book.A: garbled", "resumed book.A")
	})
}

// A loss resets the failure counts of the streams.
func TestLossWhileBroken(t *testing.T) {
	play(t, nil, func(b *bench) {
		b.subscribe("book.A")
		b.send(1, "# book.A nonsense")
		b.sink.take()
		b.cut(1)
		time.Sleep(10 * time.Second)
		b.send(2, "# book.A 1")
		b.expect("resumed book.A", "book A 1")
	})
}

// A broken topic is not restored while there is no connection.
func TestBrokenTopicWithoutAConnection(t *testing.T) {
	var down atomic.Bool
	refuse := func(o *feed.Options, v *venue) {
		o.StreamSnapshots = false
		dial := v.dial
		v.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if down.Load() {
				return nil, errors.New("refused")
			}
			return dial(ctx, network, address)
		}
	}
	play(t, refuse, func(b *bench) {
		b.subscribe("book.A")
		b.sink.take()
		b.send(1, "# book.A nonsense")
		down.Store(true)
		b.cut(1)
		b.settle()
		b.expect("interrupted book.A: stream book.A: garbled")
		down.Store(false)
		time.Sleep(time.Minute)
		b.expect("resumed book.A")
	})
}
