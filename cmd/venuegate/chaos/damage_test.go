//go:build chaos

package chaos

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDamage starts the service on copies of a data directory in which one file has a
// flipped bit, is truncated or missing. The service must not start, or must report that
// it does not trade, or nothing that was acknowledged may be missing.
func TestDamage(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := newWorld(t, shipped, t.TempDir()+"/data")
	w.loadFor(2 * time.Second)
	if err := w.service.stop(stopMax); err != nil { // writes tables
		t.Fatal(err)
	}
	w.mustStart()
	w.loadFor(2 * time.Second)
	w.service.kill() // leaves an unflushed log
	verdicts := map[string]int{}
	for range sized.damages {
		damage, verdict := w.startDamaged(t.TempDir() + "/data")
		verdicts[verdict]++
		total.inject("damaged file: "+verdict, 1)
		if verdict == damageSilent {
			t.Errorf("%s: not detected\n%s", damage, w.service.tail())
			total.violated(ruleDamaged, 1)
		}
	}
	t.Logf("%v", verdicts)
}

// Outcomes of a start on a damaged directory.
const (
	damageStops    = "does not start"
	damageNoticed  = "starts and does not trade"
	damageHarmless = "nothing is missing"
	damageSilent   = "trades without the lost data"
)

// startDamaged damages a copy of the world's data and starts the service on it.
func (w *world) startDamaged(dir string) (damage, verdict string) {
	w.t.Helper()
	content, err := os.ReadFile(w.dir + ".key")
	if err == nil {
		err = os.WriteFile(dir+".key", content, 0o600)
	}
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(w.dir))
	}
	if err == nil {
		damage, err = damageOne(filepath.Join(dir, "store"), w.random)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if w.t.Failed() {
			w.t.Logf("damage: %s", damage)
		}
	}()
	w.service = w.launchOn(dir)
	defer w.service.kill()
	defer os.RemoveAll(dir) //nolint:errcheck // a directory for temporary files
	verdict = w.examineDamaged()
	return damage, verdict
}

// examineDamaged waits until the service serves or ends.
func (w *world) examineDamaged() string {
	verdict := ""
	decided := eventually(startMax, func() bool {
		if !w.service.running() {
			verdict = damageStops
			return true
		}
		public, admin, serves := servingAt(w.service.output())
		if !serves {
			return false
		}
		w.base.Store(&public)
		status, body := w.get(admin + "/readyz")
		switch {
		case strings.Contains(body, "integrity"):
			verdict = damageNoticed
		case status == http.StatusOK:
			verdict = damageHarmless
		}
		return verdict != ""
	})
	switch {
	case !decided:
		w.t.Fatalf("the service neither serves nor ends:\n%s", w.service.stacks())
	case verdict == damageNoticed && w.ordersTaken() > 0:
		return damageSilent
	case verdict == damageHarmless && w.lacksAcknowledged():
		return damageSilent
	}
	return verdict
}

// servingAt returns the address that the service logs.
func servingAt(log string) (public, admin string, serves bool) {
	for line := range strings.Lines(log) {
		var entry struct {
			Msg    string `json:"msg"`
			Listen string `json:"listen"`
			Admin  string `json:"admin_listen"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
			return "http://" + entry.Listen, "http://" + entry.Admin, true
		}
	}
	return "", "", false
}

func (w *world) get(url string) (status int, body string) {
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	status, content, err := exchange(w.observer, request)
	if err != nil {
		return 0, err.Error()
	}
	return status, string(content)
}

// lacksAcknowledged reports whether an acknowledged order is missing.
func (w *world) lacksAcknowledged() bool {
	for orderID := range w.history.acknowledged() {
		a := w.doAs(w.observer, w.key(w.random.Uint64()), sent{method: http.MethodGet, path: "/v1/orders/" + orderID})
		if a.status != http.StatusOK {
			w.t.Logf("order %s: %d %s", orderID, a.status, a.text)
			return true
		}
	}
	return false
}

// damageOne damages one file below a directory.
func damageOne(dir string, random *rand.Rand) (string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != "LOCK" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	path := files[random.IntN(len(files))]
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	name, used := filepath.Base(path), len(strings.TrimRight(string(content), "\x00"))
	switch kind := random.IntN(6); {
	case kind == 0 || used == 0:
		return "delete " + name, os.Remove(path)
	case kind == 1:
		at := random.IntN(used)
		return fmt.Sprintf("cut %s at %d of %d", name, at, used), os.Truncate(path, int64(at))
	default:
		at, bit := random.IntN(used), random.IntN(8)
		content[at] ^= 1 << bit
		return fmt.Sprintf("flip bit %d of byte %d of %d in %s", bit, at, used, name), os.WriteFile(path, content, 0o600)
	}
}
