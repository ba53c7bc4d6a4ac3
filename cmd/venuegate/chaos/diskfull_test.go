//go:build chaos

package chaos

import (
	"maps"
	"net/http"
	"net/url"
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
	// fullStarts is how often the service is killed and started on a full disk.
	fullStarts = 3
	// increasingQty is larger than any position of the load, so that an order of it
	// increases exposure; smallQty is that of orders that are to be taken.
	increasingQty = "3"
	smallQty      = "0.01"
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
// completely. The service rejects orders that increase exposure, takes cancels and closing
// orders, serves reads, also after a kill, and resumes when there is space again.
func TestDiskFull(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfFullBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	w.loadFor(2 * time.Second)
	resting := w.rest(fullStarts + 1)
	w.fill(d)
	w.loadOnFullDisk(5 * time.Second)
	w.reduceOnFullDisk(resting[0])
	for n := range fullStarts {
		if !w.service.running() {
			t.Fatalf("the service ended on a full disk:\n%s", w.service.tail())
		}
		w.service.kill()
		d.fill("more", 0)
		w.mustStart()
		w.reduceOnFullDisk(resting[n+1])
		w.awaitEach(noticeMax, increasingQty, answer.refusedForFullDisk)
	}
	d.remove("more")
	d.remove("ballast")
	freed := time.Now()
	w.awaitEach(recoverMax, smallQty, answer.taken)
	t.Logf("orders resumed %s after there was space", time.Since(freed).Round(time.Millisecond))
	w.loadFor(2 * time.Second)
	judgeWorld(t, w)
}

// TestStopOnFullDisk stops the service on a full disk, starts it again, and frees space,
// at first too little.
func TestStopOnFullDisk(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfFullBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	w.loadFor(2 * time.Second)
	resting := w.rest(1)
	w.fill(d)
	if err := w.service.stop(stopMax); err != nil {
		t.Fatal(err)
	}
	d.fill("more", 0)
	w.mustStart()
	w.reduceOnFullDisk(resting[0])
	d.remove("more") // enough space to open the store, not for all commits
	w.loadFor(2 * time.Second)
	w.awaitEach(noticeMax, increasingQty, answer.refusedForFullDisk)
	d.remove("ballast")
	w.awaitEach(recoverMax, smallQty, answer.taken)
	w.loadFor(2 * time.Second)
	judgeWorld(t, w)
}

// fill fills the disk of the service, first to the limit of the service, then
// completely.
func (w *world) fill(d *disk) {
	w.t.Helper()
	d.fill("ballast", diskSize(w.t, d.dir)/guardFraction-margin)
	total.inject("disk full", 1)
	w.awaitEach(noticeMax, increasingQty, answer.refusedForFullDisk)
	d.fill("more", 0)
}

// loadOnFullDisk runs load while orders that increase exposure must be rejected.
func (w *world) loadOnFullDisk(d time.Duration) {
	w.t.Helper()
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		w.loadFor(d)
	}()
	for done := false; !done; {
		select {
		case <-loaded:
			done = true
		case <-time.After(settlePause):
		}
		for venue, a := range w.orderEach(increasingQty) {
			if a.taken() {
				w.t.Errorf("order at %s on a full disk: %d %s, want a rejection", venue, a.status, a.text)
			}
		}
	}
}

// rest places orders that rest, one for each venue, several times.
func (w *world) rest(times int) (resting []map[venues.Venue]string) {
	w.t.Helper()
	for range times {
		ids := map[venues.Venue]string{}
		for venue, a := range w.orderEach(smallQty) {
			if !a.taken() {
				w.t.Fatalf("order at %s: %d %s, want it to rest", venue, a.status, a.text)
			}
			ids[venue] = a.orderID
		}
		resting = append(resting, ids)
	}
	return resting
}

// reduceOnFullDisk cancels resting orders and closes positions, which a full disk does not
// prevent, and reads.
func (w *world) reduceOnFullDisk(resting map[venues.Venue]string) {
	w.t.Helper()
	for venue, id := range resting {
		var a answer
		ended := eventually(noticeMax, func() bool {
			a = w.do(w.key(w.random.Uint64()), sent{method: http.MethodDelete, path: "/v1/orders/" + id})
			time.Sleep(settlePause)
			return a.taken() || a.code == string(venues.CodeNotFound) // the load may have ended it
		})
		if !ended {
			w.t.Errorf("cancel at %s with %d bytes free: %d %s, want 200\n%s", venue, free(w.t, w.dir), a.status, a.text, w.service.tail())
		}
		requestID := "x" + strconv.FormatUint(w.requests.Add(1), 10)
		s := sent{http.MethodPost, "/v1/positions/close", encode(map[string]any{"exchange": venue, "symbol": "BTCUSDT", "requestId": requestID})}
		w.history.register(requestID, s)
		if a := w.place(w.key(w.random.Uint64()), requestID, s); !a.taken() && a.status != http.StatusUnprocessableEntity {
			w.t.Errorf("close at %s with %d bytes free: %d %s, want 201, or 422 without a position", venue, free(w.t, w.dir), a.status, a.text)
		}
	}
	page[orderView](w, "/v1/orders", url.Values{"status": {"all"}, "limit": {"500"}})
}

// taken reports whether the response states that the order exists; refusedForFullDisk
// whether it asks to retry later because nothing was placed, and names the disk.
func (a answer) taken() bool { return a.outcome == outcomeOK }

func (a answer) refusedForFullDisk() bool {
	return a.outcome == outcomeRefused && a.status == http.StatusServiceUnavailable && a.code == string(venues.CodeMaintenance) &&
		strings.Contains(a.text, venues.ReasonDiskFull)
}

// awaitEach waits until an order at each venue gets such a response.
func (w *world) awaitEach(within time.Duration, qty string, is func(answer) bool) {
	w.t.Helper()
	var answers map[venues.Venue]answer
	so := eventually(within, func() bool {
		time.Sleep(settlePause)
		answers = w.orderEach(qty)
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

// orderEach places an order that rests at each venue.
func (w *world) orderEach(qty string) map[venues.Venue]answer {
	answers := map[venues.Venue]answer{}
	for _, exchange := range venues.All() {
		id := "d" + strconv.FormatUint(w.requests.Add(1), 10)
		s := sent{http.MethodPost, "/v1/orders", encode(map[string]any{
			"exchange": exchange, "symbol": "BTCUSDT", "side": "buy", "type": "limit", "qty": qty, "price": "60000", "requestId": id,
		})}
		w.history.register(id, s)
		answers[exchange] = w.place(w.key(w.random.Uint64()), id, s)
	}
	return answers
}

// ordersTaken returns how many venues accept an order now.
func (w *world) ordersTaken() int {
	taken := 0
	for _, a := range w.orderEach(smallQty) {
		if a.taken() {
			taken++
		}
	}
	return taken
}
