package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"venuegate/actors"
	"venuegate/actors/book"
	"venuegate/actors/market"
	"venuegate/actors/venue"
	"venuegate/transport/api"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// readSeries parses the series of /metrics about the venues' connections and books.
func readSeries(t *testing.T, text string) map[string]float64 {
	t.Helper()
	series := map[string]float64{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(name, "venuegate_venue_") && !strings.HasPrefix(name, "venuegate_book_") {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		series[name] = number
	}
	return series
}

// knownStats are the fixed statistics of a venue.
type knownStats struct {
	connection market.Stats
	books      book.Summary
}

func (knownStats) Stats() venue.Stats          { return venue.Stats{} }
func (k knownStats) Connection() market.Stats  { return k.connection }
func (k knownStats) BookSummary() book.Summary { return k.books }
func (knownStats) Books() []book.Stats         { return nil }

// TestBookMetrics checks that each figure of a venue's connection and books has its
// series, and that no series is labelled with a book.
func TestBookMetrics(t *testing.T) {
	metrics := prometheus.NewPedanticRegistry()
	metrics.MustRegister(engineMetrics{
		ready: func() api.Readiness { return api.Readiness{} }, hub: func() stream.Stats { return stream.Stats{} }, actors: func() actors.Stats { return actors.Stats{} },
		venues: map[venues.Venue]venueStats{venues.OKX: knownStats{
			market.Stats{Health: market.Health{Topics: 33, Interrupted: 34}, Interruptions: 31, Unrouted: 32},
			book.Summary{
				Counts: book.Counts{
					Updates: 1, Duplicates: 2, Gaps: 3, Crossings: 4, Overruns: 5,
					Resyncs: 6, Snapshots: 7, SnapshotsTooOld: 8, SnapshotErrors: 9,
					ChecksMatched: 10, ChecksMismatched: 11, ChecksAbandoned: 12,
					Trades: 13, Candles: 14, Frames: 15,
				},
				Phases: [...]int{21, 22, 23, 24}, StaleFor: 1500 * time.Millisecond,
			},
		}},
	})
	scrape := httptest.NewRecorder()
	promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}).ServeHTTP(scrape, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	want := map[string]float64{
		`venuegate_venue_status{exchange="okx",status="up"}`:                      0,
		`venuegate_venue_status{exchange="okx",status="degraded"}`:                0,
		`venuegate_venue_status{exchange="okx",status="down"}`:                    0,
		`venuegate_venue_clock_offset_seconds{exchange="okx"}`:                    0,
		`venuegate_venue_instruments{exchange="okx"}`:                             0,
		`venuegate_venue_books{exchange="okx",phase="waiting"}`:                   21,
		`venuegate_venue_books{exchange="okx",phase="syncing"}`:                   22,
		`venuegate_venue_books{exchange="okx",phase="live"}`:                      23,
		`venuegate_venue_books{exchange="okx",phase="stale"}`:                     24,
		`venuegate_venue_channels{exchange="okx"}`:                                33,
		`venuegate_venue_channels_interrupted{exchange="okx"}`:                    34,
		`venuegate_venue_channel_interruptions_total{exchange="okx"}`:             31,
		`venuegate_venue_unrouted_messages_total{exchange="okx"}`:                 32,
		`venuegate_book_stale_seconds{exchange="okx"}`:                            1.5,
		`venuegate_book_updates_total{exchange="okx"}`:                            1,
		`venuegate_book_duplicates_total{exchange="okx"}`:                         2,
		`venuegate_book_gaps_total{exchange="okx"}`:                               3,
		`venuegate_book_crossings_total{exchange="okx"}`:                          4,
		`venuegate_book_overruns_total{exchange="okx"}`:                           5,
		`venuegate_book_resyncs_total{exchange="okx"}`:                            6,
		`venuegate_book_snapshots_total{exchange="okx"}`:                          7,
		`venuegate_book_snapshot_failures_total{exchange="okx",reason="too_old"}`: 8,
		`venuegate_book_snapshot_failures_total{exchange="okx",reason="error"}`:   9,
		`venuegate_book_checks_total{exchange="okx",result="matched"}`:            10,
		`venuegate_book_checks_total{exchange="okx",result="mismatched"}`:         11,
		`venuegate_book_checks_total{exchange="okx",result="abandoned"}`:          12,
		`venuegate_book_trades_total{exchange="okx"}`:                             13,
		`venuegate_book_candles_total{exchange="okx"}`:                            14,
		`venuegate_book_frames_total{exchange="okx"}`:                             15,
	}
	if got := readSeries(t, scrape.Body.String()); !maps.Equal(got, want) {
		t.Errorf("series = %v, want %v", got, want)
	}
}

// TestMetricsShowGaps checks that a lost message is counted at /metrics, and that the
// count stays when the book has no subscriber and when one returns.
func TestMetricsShowGaps(t *testing.T) {
	t.Parallel()
	const (
		channel = "book:binance:LTCUSDT:5"
		gaps    = `venuegate_book_gaps_total{exchange="binance"}`
		resyncs = `venuegate_book_resyncs_total{exchange="binance"}`
	)
	s := startService(t, t.TempDir())
	last := map[string]float64{}
	scrape := func() map[string]float64 {
		_, text := get(t, s.demo.AdminURL+"/metrics")
		next := readSeries(t, text)
		for name, value := range next {
			if strings.Contains(name, "_total{") && value < last[name] {
				t.Errorf("%s = %v, want at least the last value %v", name, value, last[name])
			}
		}
		last = next
		return next
	}
	books := func(phase string) float64 {
		return scrape()[fmt.Sprintf(`venuegate_venue_books{exchange="binance",phase=%q}`, phase)]
	}
	if value, there := scrape()[gaps]; !there || value != 0 {
		t.Fatalf("gaps at the start = %v, present %t, want 0 and true", value, there)
	}
	shown := func(kind string) func(record) bool {
		return func(m record) bool { return m.text("channel") == channel && m.text("type") == kind }
	}
	k := s.subscribe(channel)
	k.until("the book", shown("snapshot"))
	post(t, s.demo.Sim[venues.Binance].ControlURL+"/faults", `{"match":{"op":"ltcusdt@depth"},"do":"gap","times":1}`)
	k.until("the stale message", shown("stale"))
	k.until("the new snapshot", shown("snapshot"))
	if seen := scrape(); seen[gaps] != 1 || seen[resyncs] < 1 {
		t.Errorf("gaps and resyncs after the gap = %v, %v, want 1 and at least 1", seen[gaps], seen[resyncs])
	}
	eventually(t, "a live book", func() bool { return books("live") == 1 && books("stale") == 0 })
	k.conn.Close()
	eventually(t, "the end of the book", func() bool {
		return books("waiting")+books("syncing")+books("live")+books("stale") == 0
	})
	s.subscribe(channel).until("the book of a new subscriber", shown("snapshot"))
	eventually(t, "another live book", func() bool { return books("live") == 1 })
	if seen := scrape(); seen[gaps] != 1 || seen[resyncs] < 1 {
		t.Errorf("gaps and resyncs of the new book = %v, %v, want 1 and at least 1", seen[gaps], seen[resyncs])
	}
}
