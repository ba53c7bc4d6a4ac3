package connectortest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"venuegate/venues"
)

// patience is how long a test waits for what must come. Only a test that fails
// spends it, so that it serves the slowest machine.
const patience = time.Minute

const lookInterval = time.Millisecond

// Heard is a sink of both kinds of stream that keeps what it hears, in the order
// in which it came. Its fields are read in With or Await, or once the stream has
// been closed.
type Heard struct {
	mu sync.Mutex

	Books         []*venues.BookUpdate
	Trades        []venues.Trade
	Candles       []venues.Candle
	Marks         []venues.MarkPrice
	Interruptions []venues.FeedChannel // one for each channel
	Resumptions   []venues.FeedChannel

	Reports     []venues.ExecutionReport
	Positions   []venues.Position
	Balances    int // changes
	Connections int
	Losses      []error
}

// With runs note while nothing is added.
func (h *Heard) With(note func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	note()
}

// Await looks until done likes what was heard; done runs as in With.
func (h *Heard) Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	await(t, what, func() (ok bool) {
		h.With(func() { ok = done() })
		return ok
	}, func() (story string) {
		h.With(func() { story = "; heard " + h.story() })
		return story
	})
}

// Await looks until done.
func Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	await(t, what, done, func() string { return "" })
}

func await(t testing.TB, what string, done func() bool, story func() string) {
	t.Helper()
	late := time.After(patience)
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for !done() {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("%s did not come%s", what, story())
		}
	}
}

// story is what was heard, without the contents of books.
func (h *Heard) story() string {
	return fmt.Sprintf("%d books, %d trades, %d candles, %d marks, interrupted %v, resumed %v, reports %+v, positions %+v, balances %d, connected %d, lost %v",
		len(h.Books), len(h.Trades), len(h.Candles), len(h.Marks), h.Interruptions, h.Resumptions, h.Reports, h.Positions, h.Balances, h.Connections, h.Losses)
}

var (
	_ venues.FeedSink    = (*Heard)(nil)
	_ venues.PrivateSink = (*Heard)(nil)
)

// Book keeps an update, which is never released.
func (h *Heard) Book(u *venues.BookUpdate) { h.With(func() { h.Books = append(h.Books, u) }) }

// Trade keeps a public trade.
func (h *Heard) Trade(t venues.Trade) { h.With(func() { h.Trades = append(h.Trades, t) }) }

// Candle keeps a candle, each of its states.
func (h *Heard) Candle(c venues.Candle) { h.With(func() { h.Candles = append(h.Candles, c) }) }

// Mark keeps a mark price.
func (h *Heard) Mark(m venues.MarkPrice) { h.With(func() { h.Marks = append(h.Marks, m) }) }

// Interrupted keeps the channels and not the cause.
func (h *Heard) Interrupted(c []venues.FeedChannel, _ error) {
	h.With(func() { h.Interruptions = append(h.Interruptions, c...) })
}

// Resumed keeps the channels.
func (h *Heard) Resumed(c []venues.FeedChannel) {
	h.With(func() { h.Resumptions = append(h.Resumptions, c...) })
}

// Report keeps a report of an order.
func (h *Heard) Report(r venues.ExecutionReport) { h.With(func() { h.Reports = append(h.Reports, r) }) }

// Position keeps a state of a position.
func (h *Heard) Position(p venues.Position) { h.With(func() { h.Positions = append(h.Positions, p) }) }

// BalancesChanged counts.
func (h *Heard) BalancesChanged() { h.With(func() { h.Balances++ }) }

// Connected counts.
func (h *Heard) Connected() { h.With(func() { h.Connections++ }) }

// Lost keeps the cause.
func (h *Heard) Lost(cause error) { h.With(func() { h.Losses = append(h.Losses, cause) }) }
