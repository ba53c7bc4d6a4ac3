//go:build chaos

package chaos

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/venues"
)

const (
	// diskOfFullBytes: a tenth of it is where the guard refuses.
	diskOfFullBytes = 300 << 20
	guardFraction   = 10
	// noticeMax is how long the guard may take to look again.
	noticeMax = 20 * time.Second
	// recoverMax is how long trading may take to come back after there is room: a
	// look at the disk and the start of each account, of which a slow machine makes
	// several seconds.
	recoverMax = 20 * time.Second
	// margin keeps the filling away from what it must not touch itself.
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

// TestDiskFull fills the disk under load, first to the guard's mark, then to the
// last byte. The service refuses before the store could die of it, answers
// reads, and goes on where there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfFullBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	w.loadFor(2 * time.Second)
	mark := diskSize(t, d.dir) / guardFraction
	d.fill("ballast", mark-margin)
	total.inject("disk full", 1)
	if !eventually(noticeMax, func() bool { return w.ordersTaken() == 0 }) {
		t.Fatalf("orders are taken with %d bytes free, the mark is %d", free(t, d.dir), mark)
	}
	d.fill("more", 0)
	before := len(w.history.acknowledged())
	w.loadFor(5 * time.Second)
	if after := len(w.history.acknowledged()); after != before {
		t.Errorf("%d orders were acknowledged on a full disk", after-before)
	}
	if !w.service.running() {
		t.Fatalf("the service died of a full disk:\n%s", w.service.tail())
	}
	if a := w.do(w.key(0), sent{method: http.MethodGet, path: "/v1/orders?status=all"}); a.status != http.StatusOK {
		t.Errorf("reading on a full disk: %d %s", a.status, a.text)
	}
	d.remove("more")
	d.remove("ballast")
	freed := time.Now()
	if !eventually(recoverMax, func() bool {
		time.Sleep(settlePause)
		return w.ordersTaken() == len(venues.All())
	}) {
		t.Fatalf("no orders %s after there was room again:\n%s", recoverMax, w.service.tail())
	}
	t.Logf("orders again %s after there was room", time.Since(freed).Round(time.Millisecond))
	w.loadFor(2 * time.Second)
	judgeWorld(t, w)
}

func diskSize(t testing.TB, dir string) int64 {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	return int64(fs.Blocks) * fs.Bsize
}

// ordersTaken is how many of the venues take an order now.
func (w *world) ordersTaken() int {
	taken := 0
	for _, exchange := range venues.All() {
		id := "d" + strconv.FormatUint(w.requests.Add(1), 10)
		s := sent{http.MethodPost, "/v1/orders", encode(map[string]any{
			"exchange": exchange, "symbol": "BTCUSDT", "side": "buy", "type": "limit", "qty": "0.01", "price": "60000", "requestId": id,
		})}
		w.history.register(id, s)
		before := len(w.history.acknowledged())
		w.place(w.key(w.random.Uint64()), id, s)
		if len(w.history.acknowledged()) > before {
			taken++
		}
	}
	return taken
}
