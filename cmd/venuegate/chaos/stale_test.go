//go:build chaos

package chaos

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

const (
	// staleAge is how old a signal of this test may be: a stop that is longer
	// stands for five minutes and the usual age.
	staleAge = 2 * time.Second
	// staleSignals is the number of concurrent signals for one account and symbol, which
	// are executed one after the other; staleDelayMs is the venue's delay of an order.
	staleSignals = 40
	staleDelayMs = 300
)

// TestStaleSignals stops the service with accepted signals that are still queued, until
// they have expired. Afterwards each is expired, also in the journal, and nothing
// reaches a venue.
func TestStaleSignals(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := newWorld(t, shipped, t.TempDir()+"/data")
	for range sized.staleStops {
		h := w.makeHook(w.customer, "webhook", map[string]any{"maxAgeSec": int(staleAge.Seconds())})
		stopped := w.leaveStale(&h)
		w.settle(settleMax)
		expired := len(administered[persistence.JournalEntry](w, "journal", url.Values{
			"customer": {w.customer}, "channel": {h.ID}, "kind": {"signal.expired"}, "limit": {strconv.Itoa(administeredMax)},
		}))
		total.inject("signal stale after a stop", expired)
		if expired < staleSignals/2 {
			t.Errorf("only %d of %d signals were queued at the stop", expired, staleSignals)
		}
		w.expectNoOrdersSince(stopped.Add(transitMax))
	}
	judgeWorld(t, w)
}

// leaveStale stops the service with queued signals, and starts it when they have
// expired and the orders in progress at the venue have ended.
func (w *world) leaveStale(h *hook) (stopped time.Time) {
	w.t.Helper()
	w.sim.fault(venues.Binance, simcore.FaultRequest{
		Match: simcore.FaultMatch{Path: tradePaths[venues.Binance], Op: http.MethodPost},
		Do:    simcore.FaultDelay, Args: simcore.FaultArgs{DelayMs: staleDelayMs * millisecond},
	})
	w.fireAtOnce(h)
	w.service.kill()
	stopped = time.Now()
	w.sim.clearFaults(venues.Binance)
	time.Sleep(staleAge + transitMax)
	w.mustStart()
	return stopped
}

// fireAtOnce sends signals to one hook concurrently and waits for the responses.
func (w *world) fireAtOnce(h *hook) {
	var wait sync.WaitGroup
	for range staleSignals {
		s := &signal{hook: h, name: "s" + strconv.FormatUint(w.requests.Add(1), 10), implied: true, at: time.Now()}
		s.body = fmt.Sprintf(`{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","qty":"0.01","comment":%q}`, s.name)
		w.signals.add(s)
		wait.Go(func() { w.fire(s) })
	}
	wait.Wait()
}

func (w *world) expectNoOrdersSince(start time.Time) {
	w.t.Helper()
	for _, row := range w.sim.orders() {
		if accepted, err := time.Parse(venues.TimeFormat, row.AcceptedAt); err != nil || accepted.After(start) {
			w.t.Errorf("%s: %s accepted an order of a signal from before the stop: %+v", ruleLate, row.Venue, row)
			total.violated(ruleLate, 1)
		}
	}
}
