//go:build chaos

package chaos

import (
	"fmt"
	"strings"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// killPoint is a step in the life of an order at which the process kills itself. A
// build for these tests adds a call of killPoint or killSoon to the source there.
type killPoint struct {
	name string
	// where describes what has happened and what has not.
	where string
	// hitsMax bounds the number of the hit at which the process dies.
	hitsMax uint64
	edits   []overlay.Edit
}

// Files that have kill points.
const (
	fileAccount   = "actors/account/actor.go"
	fileDelivery  = "actors/delivery/effects.go"
	fileChannel   = "actors/channel/state.go"
	filePlan      = "actors/channel/plan.go"
	fileEffects   = "actors/account/effects.go"
	filePlace     = "actors/account/place.go"
	fileStore     = "persistence/badgerstore/store.go"
	fileWriter    = "persistence/badgerstore/writer.go"
	fileViews     = "persistence/badgerstore/views.go"
	fileFlusher   = "persistence/badgerstore/flusher.go"
	fileBadgerLog = "persistence/badgerstore/logger.go"
	fileOptions   = "persistence/badgerstore/options.go"
	fileReading   = "actors/account/reading.go"
	fileREST      = "venues/internal/restclient/client.go"
	fileAnswer    = "venues/internal/exchange/answer.go"
)

// before inserts a statement before a text, which must occur once.
func before(name, file, text, statement string) overlay.Edit {
	return overlay.Edit{Name: name, File: file, Old: text, New: statement + "\n" + text}
}

// behind inserts a statement after a text.
func behind(name, file, text, statement string) overlay.Edit {
	return overlay.Edit{Name: name, File: file, Old: text, New: text + statement + "\n"}
}

// killPoints are sorted by the life of an order, of an event, of a start and of a
// signal.
var killPoints = []killPoint{
	{"K1", "before the intent is committed", 20, []overlay.Edit{
		behind("K1", fileAccount, "\tout := a.state.finish(a.context)\n", `if out.Creates != "" { killPoint("K1") }`),
	}},
	{"K2", "while the intent is committed", 20, append(markCommits,
		before("K2", fileWriter, "\tat, err := w.log.Append(w.record)\n", `if committingIntent.Swap(false) { killSoon("K2") } else if committingChange.Swap(false) { killSoon("K8") }`),
	)},
	{"K3", "the intent is durable, no effect has run", 20, []overlay.Edit{
		behind("K3", filePlace, "func (s *state) intentStored(orderID string) {\n", `killPoint("K3")`),
	}},
	{"K4", "before the first byte to the venue", 20, []overlay.Edit{
		before("K4", fileEffects, "\t\treport, err := a.deps.Venue.Place(c, e.request)\n", `killPoint("K4")`),
	}},
	{"K5", "half of the request is written", 20, []overlay.Edit{
		{Name: "K5", File: fileREST, Old: "(&net.Dialer{Timeout: dialTimeout}).DialContext", New: "cutDialer((&net.Dialer{Timeout: dialTimeout}).DialContext)"},
	}},
	{"K6", "the venue has responded, the body is not read", 20, []overlay.Edit{
		before("K6", fileAnswer, "\tbody, err := x.decodeBody(h, bodyBytesMax)\n", `killPoint("K6")`),
	}},
	{"K7", "the response is read, not committed", 20, []overlay.Edit{
		behind("K7", filePlace, "func (s *state) placed(step stepContext, in placeDone) {\n", `killPoint("K7")`),
	}},
	{"K8", "while the new state and its events are committed", 40, nil}, // the edits of K2
	{"K9", "a change is durable, its event not posted", 20, []overlay.Edit{
		before("K9", fileDelivery, "\t\t\tout.attempt = d.attempt(life, event, e.attempt, out.began)\n", `killPoint("K9")`),
	}},
	{"K10", "an event is posted, the result not stored", 20, []overlay.Edit{
		behind("K10", fileDelivery, "\t\t\tout.attempt = d.attempt(life, event, e.attempt, out.began)\n", `killPoint("K10")`),
	}},
	{"K11", "while the store flushes or compacts", 2, []overlay.Edit{
		// Each opening flushes the log, and sometimes compacts.
		before("K11-open", fileStore, "\tfound, err := s.inspect()\n", `killSoon("K11")`),
		{
			Name: "K11", File: fileBadgerLog, Old: "func (l badgerLogger) Debugf(string, ...any) {}",
			New: `func (l badgerLogger) Debugf(format string, _ ...any) {
	if strings.Contains(format, "Flushing memtable") || strings.Contains(format, "LOG Compact") { killSoon("K11") }
}`,
		},
		// Small tables, so that there is something to flush.
		{Name: "K11-tables", File: fileOptions, Old: "MemTableBytesDefault = 16 << 20", New: "MemTableBytesDefault = memTableBytesMin"},
	}},
	{"K15", "a group is in the log, not synced", 40, []overlay.Edit{
		before("K15", fileWriter, "\tif err := w.log.Sync(); err != nil {", `killPoint("K15")`),
	}},
	{"K16", "while rows are written to the database", 10, []overlay.Edit{
		before("K16", fileViews, "\t\terr = txn.CommitAt(version, nil)\n", `killSoon("K16")`),
	}},
	{"K17", "rows are in the database, the log is not trimmed", 10, []overlay.Edit{
		before("K17", fileFlusher, "\tif err := f.log.Prepare(); err != nil {", `killPoint("K17")`),
	}},
	{"K12", "while the start compares with the venues", 6, []overlay.Edit{
		before("K12", fileReading, "\tif err := a.fetchEachFills(ctx, fillsFrom, into); err != nil {\n", `if e.kind == reconcileStart { killPoint("K12") }`),
		before("K12-fills", fileReading, "\tfills, err := a.deps.Venue.Fills(ctx,", `killPoint("K12")`),
	}},
	{"K13", "a signal is durable, not acknowledged", 5, []overlay.Edit{
		behind("K13", fileChannel, "func (s *state) durable(id string) {\n", `killPoint("K13")`),
	}},
	{"K14", "a signal's order is placed, the signal not final", 5, []overlay.Edit{
		behind("K14", filePlan, "func (s *state) stepDone(m step.Context, in stepDone) {\n", `killPoint("K14")`),
	}},
}

// markCommits marks transactions with an intent or a change for the writer.
var markCommits = []overlay.Edit{{
	Name: "mark", File: fileStore,
	Old: "s.writer.submit(request{op: commit.Apply,",
	New: "s.writer.submit(request{op: markCommit(b, commit.Apply),",
}}

// killSource is added to each package that has a kill point. CHAOS_KILL is
// NAME:N: the process dies at the Nth hit of that point.
const killSource = `package %s

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	killName, killAt = killPlan()
	killPassed       atomic.Uint64
)

func killPlan() (string, uint64) {
	name, text, _ := strings.Cut(os.Getenv("CHAOS_KILL"), ":")
	n, _ := strconv.ParseUint(text, 10, 64)
	return name, n
}

// killSignal returns SIGSTOP instead of SIGKILL if the test cuts the power.
func killSignal() syscall.Signal {
	if os.Getenv("CHAOS_FREEZE") != "" {
		return syscall.SIGSTOP
	}
	return syscall.SIGKILL
}

func killHits(name string) bool { return name == killName && killPassed.Add(1) == killAt }

func killPoint(name string) {
	if killHits(name) {
		_ = syscall.Kill(os.Getpid(), killSignal())
		select {}
	}
}

// killSoon kills the process within two milliseconds, during what follows.
func killSoon(name string) {
	if killHits(name) {
		time.AfterFunc(time.Duration(time.Now().UnixNano()%%int64(2*time.Millisecond)), func() { _ = syscall.Kill(os.Getpid(), killSignal()) })
	}
}

var _, _ = killPoint, killSoon
`

const commitSource = `package badgerstore

import (
	"sync/atomic"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// The contents of the current transaction; only the writer sets and reads them.
var committingIntent, committingChange atomic.Bool

func markCommit(b persistence.Batch, apply rows.Operation) rows.Operation {
	intent, change := len(b.Absent) > 0, len(b.Events) > 0
	return func(tx rows.Tx, generation uint64) error {
		if intent { committingIntent.Store(true) }
		if change { committingChange.Store(true) }
		return apply(tx, generation)
	}
}
`

const cutSource = `package restclient

import (
	"bytes"
	"context"
	"net"
)

// cutDialer returns connections on which half of a POST may be the last write.
func cutDialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return cutConn{conn}, err
	}
}

type cutConn struct{ net.Conn }

func (c cutConn) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("POST ")) && killHits("K5") {
		_, _ = c.Conn.Write(p[:len(p)/2])
		killPassed.Store(killAt - 1)
		killPoint("K5")
	}
	return c.Conn.Write(p)
}
`

// withKillPoints returns the program with every kill point.
func withKillPoints() overlay.Variant {
	v := overlay.Variant{Added: map[string]string{
		"persistence/badgerstore/kill_commit.go": commitSource,
		"venues/internal/restclient/kill_cut.go": cutSource,
	}}
	for _, dir := range []string{"actors/account", "actors/channel", "actors/delivery", "persistence/badgerstore", "venues/internal/exchange", "venues/internal/restclient"} {
		v.Added[dir+"/kill_point.go"] = fmt.Sprintf(killSource, dir[strings.LastIndexByte(dir, '/')+1:])
	}
	for _, p := range killPoints {
		v.Edits = append(v.Edits, p.edits...)
	}
	return v
}
