package connectortest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"venuegate/venues"
)

// awaitMax is how long a test waits for an event. Only a failing test waits that long, so
// it is enough for the slowest machine.
const awaitMax = time.Minute

const pollInterval = time.Millisecond

// Recorder is a sink of public and private streams that records every call in order. Its
// fields are read in With or Await, or after the stream has been closed.
type Recorder struct {
	mu sync.Mutex

	Books         []*venues.BookUpdate
	Trades        []venues.Trade
	Candles       []venues.Candle
	Marks         []venues.MarkPrice
	Interruptions []venues.FeedTopic // one for each topic
	Resumptions   []venues.FeedTopic

	Reports     []venues.ExecutionReport
	Positions   []venues.Position
	Balances    int // number of changes
	Connections int
	Losses      []error
}

// With runs note while nothing is recorded.
func (h *Recorder) With(note func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	note()
}

// Await waits until done returns true. done runs as in With.
func (h *Recorder) Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	await(t, what, func() (ok bool) {
		h.With(func() { ok = done() })
		return ok
	}, func() (text string) {
		h.With(func() { text = "; recorded " + h.summary() })
		return text
	})
}

// Await waits until done returns true.
func Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	await(t, what, done, func() string { return "" })
}

func await(t testing.TB, what string, done func() bool, summary func() string) {
	t.Helper()
	late := time.After(awaitMax)
	look := time.NewTicker(pollInterval)
	defer look.Stop()
	for !done() {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("no %s%s", what, summary())
		}
	}
}

// summary describes what was recorded, without the contents of books.
func (h *Recorder) summary() string {
	return fmt.Sprintf("%d books, %d trades, %d candles, %d marks, interrupted %v, resumed %v, reports %+v, positions %+v, balances %d, connected %d, lost %v",
		len(h.Books), len(h.Trades), len(h.Candles), len(h.Marks), h.Interruptions, h.Resumptions, h.Reports, h.Positions, h.Balances, h.Connections, h.Losses)
}

var (
	_ venues.FeedSink    = (*Recorder)(nil)
	_ venues.PrivateSink = (*Recorder)(nil)
)

// Book records an update, which is never released.
func (h *Recorder) Book(u *venues.BookUpdate) { h.With(func() { h.Books = append(h.Books, u) }) }

// Trade records a public trade.
func (h *Recorder) Trade(t venues.Trade) { h.With(func() { h.Trades = append(h.Trades, t) }) }

// Candle records a state of a candle.
func (h *Recorder) Candle(c venues.Candle) { h.With(func() { h.Candles = append(h.Candles, c) }) }

// Mark records a mark price.
func (h *Recorder) Mark(m venues.MarkPrice) { h.With(func() { h.Marks = append(h.Marks, m) }) }

// Interrupted records the topics and not the cause.
func (h *Recorder) Interrupted(c []venues.FeedTopic, _ error) {
	h.With(func() { h.Interruptions = append(h.Interruptions, c...) })
}

// Resumed records the topics.
func (h *Recorder) Resumed(c []venues.FeedTopic) {
	h.With(func() { h.Resumptions = append(h.Resumptions, c...) })
}

// Report records a report of an order.
func (h *Recorder) Report(r venues.ExecutionReport) {
	h.With(func() { h.Reports = append(h.Reports, r) })
}

// Position records a state of a position.
func (h *Recorder) Position(p venues.Position) {
	h.With(func() { h.Positions = append(h.Positions, p) })
}

// BalancesChanged counts the calls.
func (h *Recorder) BalancesChanged() { h.With(func() { h.Balances++ }) }

// Connected counts the calls.
func (h *Recorder) Connected() { h.With(func() { h.Connections++ }) }

// Lost records the cause.
func (h *Recorder) Lost(cause error) { h.With(func() { h.Losses = append(h.Losses, cause) }) }
