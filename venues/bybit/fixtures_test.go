package bybit

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// fixture reads a recorded payload.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return fixturetest.Read(t, venues.Bybit, name)
}

// recording is one line of a file of recordings.
type recording struct {
	Name string          `json:"name"`
	Page string          `json:"page"` // of documentation samples
	Note string          `json:"note"`
	Msg  json.RawMessage `json:"msg"`
}

// recordings reads a file of recordings.
func recordings(t testing.TB, name string) []recording {
	t.Helper()
	return fixturetest.Objects[recording](t, venues.Bybit, name)
}

// resultOf decodes the result of a recorded answer, which may be recorded without
// its envelope.
func resultOf[T any](t testing.TB, r recording) T {
	t.Helper()
	body := r.Msg
	if _, e, ok := parseEnvelope(body); ok {
		body = e.Result
	}
	var out T
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	return out
}

// rowsOf decodes the rows of a recorded list, which may be a single row.
func rowsOf[T any](t testing.TB, r recording) []T {
	t.Helper()
	if list := resultOf[page[T]](t, r).List; list != nil {
		return list
	}
	return []T{resultOf[T](t, r)}
}

// heard is a sink of both kinds that keeps what it hears.
type heard struct {
	mu          sync.Mutex
	books       []*venues.BookUpdate
	trades      []venues.Trade
	candles     []venues.Candle
	marks       []venues.MarkPrice
	interrupted []venues.FeedChannel
	resumed     []venues.FeedChannel
	reports     []venues.ExecutionReport
	positions   []venues.Position
	balances    int
	connected   int
	lost        []error
}

func (h *heard) with(note func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	note()
}

// await looks until done likes what was heard; done runs under the lock.
func (h *heard) await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		ok := false
		h.with(func() { ok = done() })
		if ok {
			return
		}
		select {
		case <-look.C:
		case <-deadline:
			h.with(func() { t.Fatalf("%s did not come: %+v", what, h) })
		}
	}
}

func (h *heard) Book(u *venues.BookUpdate) { h.with(func() { h.books = append(h.books, u) }) }
func (h *heard) Trade(t venues.Trade)      { h.with(func() { h.trades = append(h.trades, t) }) }

func (h *heard) Candle(c venues.Candle)     { h.with(func() { h.candles = append(h.candles, c) }) }
func (h *heard) Mark(m venues.MarkPrice)    { h.with(func() { h.marks = append(h.marks, m) }) }
func (h *heard) Position(p venues.Position) { h.with(func() { h.positions = append(h.positions, p) }) }
func (h *heard) BalancesChanged()           { h.with(func() { h.balances++ }) }
func (h *heard) Connected()                 { h.with(func() { h.connected++ }) }
func (h *heard) Lost(cause error)           { h.with(func() { h.lost = append(h.lost, cause) }) }

func (h *heard) Report(r venues.ExecutionReport) { h.with(func() { h.reports = append(h.reports, r) }) }

func (h *heard) Resumed(c []venues.FeedChannel) {
	h.with(func() { h.resumed = append(h.resumed, c...) })
}

func (h *heard) Interrupted(c []venues.FeedChannel, _ error) {
	h.with(func() { h.interrupted = append(h.interrupted, c...) })
}

func dec(text string) venues.Optional {
	if text == "" {
		return venues.Optional{}
	}
	d, err := venues.ParseVenueDecimal(text)
	if err != nil {
		panic(err)
	}
	return venues.Some(d)
}
