package book

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// openReply sends a request for a watch to a book and returns the error of the reply.
func openReply(t *testing.T, b *book, w *priceWatch) error {
	t.Helper()
	answered, reply := false, error(nil)
	b.openWatch(epochStart, &openWatch{watch: w, Reply: actors.ReplyFunc(func(_ struct{}, err error) {
		answered, reply = true, err
	})})
	if !answered {
		t.Fatal("no reply, want one")
	}
	return reply
}

// A subscription that was closed while its request waited is not added.
func TestClosedSubscriptionIsNotAdded(t *testing.T) {
	s := newMachine(false, true).state
	b := &book{client: &Client{subscriptions: s.subscriptions}, state: s}
	sub := &subscription{topic: venues.Topic{Kind: venues.TopicBook, Depth: 5}, index: detached}
	sub.closed.Store(true)
	var rejected error
	b.open(epochStart, &openTopic{subscription: sub, Reply: actors.ReplyFunc(func(_ struct{}, err error) { rejected = err })})
	if got := s.subscriptions.subscribers; !errors.Is(rejected, actors.ErrStopped) || got != 0 {
		t.Errorf("error %v with %d subscribers, want %v, none", rejected, got, actors.ErrStopped)
	}
}

// Callers that wait for a quote are bounded, and forgotten after the time that the longest of them
// waits.
func TestQuoteWaitersAreBounded(t *testing.T) {
	s := newMachine(false, true).state
	s.start(epochStart)
	b := &book{client: &Client{subscriptions: s.subscriptions}, state: s}
	await := func(now time.Time) (rejected error) {
		b.await(now, &awaitQuote{Reply: actors.ReplyFunc(func(_ venues.Quote, err error) { rejected = err })})
		return rejected
	}
	for n := range quoteWaitersMax {
		if err := await(epochStart.Add(time.Duration(min(n, 1)))); err != nil { // the first one is older
			t.Fatalf("waiter %d: error %v, want none", n, err)
		}
	}
	b.linger(epochStart.Add(quoteWaitMax - 1))
	if err := await(epochStart); !errors.Is(err, actors.ErrBusy) {
		t.Errorf("too many waiters: error %v, want %v", err, actors.ErrBusy)
	}
	b.linger(epochStart.Add(quoteWaitMax))
	if got, want := len(b.waiters), quoteWaitersMax-1; got != want {
		t.Errorf("%d waiters after the first has given up, want %d", got, want)
	}
}

// A watch that is rejected is not added, and its caller gets the reason.
func TestRejectedWatchIsNotAdded(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*book, *priceWatch)
		want    error
	}{
		"retired book":   {func(b *book, _ *priceWatch) { b.state.retired = true }, actors.ErrStopped},
		"abandoned wait": {func(_ *book, w *priceWatch) { w.closed.Store(true) }, actors.ErrStopped},
		"full": {func(b *book, _ *priceWatch) {
			w := &b.state.subscriptions.watches
			w.last, w.mark = make([]*priceWatch, watchesMax-1), make([]*priceWatch, 1)
		}, actors.ErrBusy},
		"one left": {func(b *book, _ *priceWatch) {
			b.state.subscriptions.watches.mark = make([]*priceWatch, watchesMax-1)
		}, nil},
	} {
		s := newMachine(false, false).state
		b := &book{client: &Client{subscriptions: s.subscriptions}, state: s}
		w := &priceWatch{condition: venues.PriceCondition{Field: venues.FieldLast, Op: venues.OpAbove, Value: venues.MustDecimal("100")}}
		c.prepare(b, w)
		want := s.subscriptions.watches.count()
		if c.want == nil {
			want++
		}
		if err := openReply(t, b, w); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if got := s.subscriptions.watches.count(); got != want {
			t.Errorf("%s: %d watches, want %d", name, got, want)
		}
	}
}
