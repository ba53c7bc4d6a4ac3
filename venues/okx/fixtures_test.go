package okx

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
	return fixturetest.Read(t, venues.OKX, name)
}

// dataOf reads the data of an answer.
func dataOf[T any](t testing.TB, body []byte) []T {
	t.Helper()
	e, code, ok := parseEnvelope(body)
	if !ok || code != 0 {
		t.Fatalf("envelope %.200s", body)
	}
	var rows []T
	if err := json.Unmarshal(e.Data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// pushesOf reads the rows of every push of a channel in a recording.
func pushesOf[T any](t testing.TB, name, channel string) []T {
	t.Helper()
	var all []T
	for _, line := range fixturetest.Lines(fixture(t, name)) {
		var m privateMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.Event != "" || m.Arg.Channel != channel {
			continue
		}
		var rows []T
		if err := json.Unmarshal(m.Data, &rows); err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// contractOf makes an instrument of the given contract size, tick and lot.
func contractOf(t testing.TB, instID, size, tick, lot string) *contract {
	t.Helper()
	record := instrumentRecord{
		InstType: instTypeSwap, InstID: instID, CtType: "linear", CtVal: number{dec(size)}, CtMult: number{dec("1")},
		CtValCcy: "BTC", SettleCcy: "USDT", Uly: "BTC-USDT", TickSz: number{dec(tick)}, LotSz: number{dec(lot)}, MinSz: number{dec(lot)},
		MaxLmtSz: number{dec("100000000")}, MaxMktSz: number{dec("35000")}, Lever: number{dec("100")}, State: "live",
	}
	k, err := record.contract(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func btcSwap(t testing.TB) *contract { return contractOf(t, "BTC-USDT-SWAP", "0.01", "0.1", "0.01") }

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
			h.with(func() {
				t.Fatalf("%s did not come: %d books, %d trades, interrupted %v, resumed %v, reports %+v, positions %+v, connected %d, lost %v",
					what, len(h.books), len(h.trades), h.interrupted, h.resumed, h.reports, h.positions, h.connected, h.lost)
			})
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
