//go:build chaos

package chaos

import (
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/venues"
)

const (
	// diskOfFullBytes is the size of the disk; the service refuses orders below a tenth
	// of it.
	diskOfFullBytes = 300 << 20
	guardFraction   = 10
	// noticeMax bounds the time until the accounts reject orders.
	noticeMax = 2 * time.Minute
	// recoverMax bounds the time until trading resumes once there is space: a check of
	// the disk and the start of each account, several seconds on a slow machine.
	recoverMax = 2 * time.Minute
	// startedAfter is the time after which a starting service makes its first commits.
	startedAfter = 3 * time.Second
	// margin is the space that filling leaves free.
	margin = 8 << 20
)

func free(t testing.TB, dir string) int64 {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	return int64(fs.Bavail) * fs.Bsize
}

// TestDiskFull fills the disk under load, first to the limit of the service, then
// completely. The service rejects orders before the store fails, serves reads, and
// resumes when there is space again.
func TestDiskFull(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfFullBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	w.loadFor(2 * time.Second)
	w.fill(d)
	w.loadOnFullDisk(5 * time.Second)
	if !w.service.running() {
		t.Fatalf("the service ended on a full disk:\n%s", w.service.tail())
	}
	d.remove("more")
	d.remove("ballast")
	freed := time.Now()
	w.awaitEach(recoverMax, answer.taken)
	t.Logf("orders resumed %s after there was space", time.Since(freed).Round(time.Millisecond))
	w.loadFor(2 * time.Second)
	judgeWorld(t, w)
}

// TestStopOnFullDisk stops the service on a full disk, tries to start it again, and
// frees space, at first too little.
func TestStopOnFullDisk(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfFullBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	w.loadFor(2 * time.Second)
	w.fill(d)
	if err := w.service.stop(stopMax); err != nil {
		t.Fatal(err)
	}
	if w.start() {
		t.Error("the service started on a full disk")
	}
	if says := w.service.output(); !strings.Contains(says, "bytes are free on the disk") || strings.Contains(says, "fatal error") {
		t.Errorf("log of a start on a full disk:\n%s", w.service.tail())
	}
	d.remove("more") // enough space to open the store, not to write
	room := time.AfterFunc(startedAfter, func() {
		if err := os.Remove(filepath.Join(d.dir, "ballast")); err != nil {
			t.Error(err)
		}
	})
	defer room.Stop()
	w.mustStart()
	w.loadFor(2 * time.Second)
	judgeWorld(t, w)
}

// fill fills the disk of the service, first to the limit of the service, then
// completely.
func (w *world) fill(d *disk) {
	w.t.Helper()
	d.fill("ballast", diskSize(w.t, d.dir)/guardFraction-margin)
	total.inject("disk full", 1)
	w.awaitEach(noticeMax, answer.refusedForMaintenance)
	d.fill("more", 0)
}

// loadOnFullDisk runs load of which nothing may be accepted. Repeats of earlier
// requests still return their orders, even if the first response was lost.
func (w *world) loadOnFullDisk(d time.Duration) {
	w.t.Helper()
	before := w.orderIDs()
	since := w.history.now()
	w.loadFor(d)
	if after := w.orderIDs(); !maps.Equal(after, before) {
		w.t.Errorf("orders on a full disk: %d before, %d after", len(before), len(after))
	}
	for _, o := range w.history.since(since) {
		if o.outcome == outcomeOK || (o.outcome == outcomeDuplicate && !before[o.orderID]) {
			w.t.Errorf("acknowledged on a full disk: %s of %s", o.text, w.history.requests[o.requestID].body)
		}
	}
}

// orderIDs returns the ids of the orders that the service lists.
func (w *world) orderIDs() map[string]bool {
	w.t.Helper()
	ids := map[string]bool{}
	for _, o := range page[orderView](w, "/v1/orders", url.Values{"status": {"all"}, "limit": {"500"}}) {
		ids[o.OrderID] = true
	}
	return ids
}

// taken reports whether the response states that the order exists;
// refusedForMaintenance whether it asks to retry later because nothing was placed.
func (a answer) taken() bool { return a.outcome == outcomeOK }

func (a answer) refusedForMaintenance() bool {
	return a.outcome == outcomeRefused && a.status == http.StatusServiceUnavailable && a.code == string(venues.CodeMaintenance)
}

// awaitEach waits until an order at each venue gets such a response.
func (w *world) awaitEach(within time.Duration, is func(answer) bool) {
	w.t.Helper()
	var answers map[venues.Venue]answer
	so := eventually(within, func() bool {
		time.Sleep(settlePause)
		answers = w.orderEach()
		return !slices.ContainsFunc(slices.Collect(maps.Values(answers)), func(a answer) bool { return !is(a) })
	})
	if !so {
		w.t.Fatalf("after %s, with %d bytes free, the responses to orders are %+v\n%s", within, free(w.t, w.dir), answers, w.service.tail())
	}
}

func diskSize(t testing.TB, dir string) int64 {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	return int64(fs.Blocks) * fs.Bsize
}

// orderEach places an order at each venue.
func (w *world) orderEach() map[venues.Venue]answer {
	answers := map[venues.Venue]answer{}
	for _, exchange := range venues.All() {
		id := "d" + strconv.FormatUint(w.requests.Add(1), 10)
		s := sent{http.MethodPost, "/v1/orders", encode(map[string]any{
			"exchange": exchange, "symbol": "BTCUSDT", "side": "buy", "type": "limit", "qty": "0.01", "price": "60000", "requestId": id,
		})}
		w.history.register(id, s)
		answers[exchange] = w.place(w.key(w.random.Uint64()), id, s)
	}
	return answers
}

// ordersTaken returns how many venues accept an order now.
func (w *world) ordersTaken() int {
	taken := 0
	for _, a := range w.orderEach() {
		if a.taken() {
			taken++
		}
	}
	return taken
}
