package book

import (
	"errors"
	"testing"

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
