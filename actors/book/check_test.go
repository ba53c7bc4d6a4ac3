package book

import (
	"fmt"
	"strings"
	"testing"
)

// Updates from before a check are not kept for it.
func TestBookIsCheckedAfterManyUpdates(t *testing.T) {
	m := newMachine(true, true)
	m.state.start(m.now)
	run := func(line string) {
		words := strings.Fields(line)
		m.run(t, words[0], words[1:])
		m.step()
	}
	run("resumed book")
	run("book 90 91 95 b 100:1")
	run("rest 2 95 b 100:1 a 101:1")
	seq := 95
	for range backlogMax {
		run(fmt.Sprint("book ", seq, seq+1, seq+1, " b 100:1"))
		seq++
	}
	run("compare")
	run("led 1")
	run(fmt.Sprint("book ", seq, seq+1, seq+1, " b 100:2"))
	run(fmt.Sprint("check 1 ", seq+1, " b 100:2 a 101:1"))
	if got := m.state.count.checksMatched.Load(); got != 1 {
		t.Errorf("%d checks matched, want 1", got)
	}
}

// A snapshot that was cut off is fetched again once few of its levels are left, but not more often
// than every refillEvery.
func TestThinBookIsRefilled(t *testing.T) {
	m := newMachine(true, false)
	m.state.start(m.now)
	step := func(line string) string {
		t.Helper()
		words := strings.Fields(line)
		m.said.Reset()
		m.run(t, words[0], words[1:])
		m.step()
		return m.said.String()
	}
	bids, asks := "b", "a"
	for n := range DepthMax {
		bids, asks = fmt.Sprint(bids, " ", 1000-n, ":1"), fmt.Sprint(asks, " ", 1001+n, ":1")
	}
	step("sub A book:binance:BTCUSDT:5")
	step("resumed book")
	step("book 90 91 95 b 1000:1")
	step("rest 2 95 " + bids + " " + asks)
	for _, c := range []struct {
		line     string
		refilled bool
	}{
		{"book 95 96 96 b 999:2", false},
		{"book 96 97 97 b 999:0", true},
		{"check 1 error", false},
		{"wait 9999ms", false},
		{"book 97 98 98 b 998:0", false},
		{"wait 1ms", true},
		{"book 98 99 99 b 997:0", false}, // the check is running
	} {
		if got := strings.Contains(step(c.line), "> check timer"); got != c.refilled || m.state.book.phase != PhaseLive {
			t.Errorf("%s: refilled = %t, phase = %s, want %t, %s", c.line, got, m.state.book.phase, c.refilled, PhaseLive)
		}
	}
	step("compare")
	if got := m.state.count.checksAbandoned.Load(); got != 2 {
		t.Errorf("%d abandoned checks, want 2: the failed one, and the one that another has replaced", got)
	}
}
