package openpositions

import (
	"errors"
	"strings"
	"testing"

	"venuegate/venues"
)

func at(side venues.PositionSide, qty string) venues.Position {
	return venues.Position{Symbol: "BTCUSDT", Side: side, Qty: venues.MustDecimal(qty)}
}

func textOf(positions []venues.Position) string {
	all := make([]string, len(positions))
	for n, p := range positions {
		all[n] = string(p.Side) + " " + p.Qty.String()
	}
	return strings.Join(all, ", ")
}

const (
	oneWay = true
	hedge  = false
)

// step is an event and the states that it must report.
type step struct {
	p      venues.Position
	oneWay bool
	want   string
}

func play(t *testing.T, m *Tracker, steps ...step) {
	t.Helper()
	for n, s := range steps {
		if got := textOf(m.Update(s.p, s.oneWay)); got != s.want {
			t.Errorf("step %d: states %q, want %q", n, got, s.want)
		}
	}
}

// The end of each side is reported once, and only for sides that were open.
func TestEndIsReportedOnce(t *testing.T) {
	var m Tracker
	play(t, &m,
		step{at("", "0"), oneWay, ""}, // opened and closed between two messages
		step{at(venues.Long, "1"), oneWay, "long 1"},
		step{at(venues.Long, "2"), oneWay, "long 2"},
		step{at(venues.Short, "3"), oneWay, "long 0, short 3"}, // reversed
		step{at("", "0"), oneWay, "short 0"},
		step{at("", "0"), oneWay, ""}, // repeated
		step{at(venues.Long, "1"), hedge, "long 1"},
		step{at(venues.Short, "1"), hedge, "short 1"},
		step{at(venues.Long, "0"), hedge, "long 0"},
		step{at(venues.Long, "0"), hedge, ""},
	)
	if got := textOf(m.Replace([]venues.Position{at(venues.Long, "5")})); got != "short 0" {
		t.Errorf("states after the end = %q, want none", got)
	}
	if got := textOf(m.Open("BTCUSDT")); got != "long 5" {
		t.Errorf("open positions = %s, want none", got)
	}
}

// read reads a list during which do is called.
func read(t *testing.T, m *Tracker, list []venues.Position, do func()) {
	t.Helper()
	_, _ = m.Read(func() ([]venues.Position, error) {
		do()
		return list, nil
	})
}

// A list contains the side of a position.
func TestListReportsTheSide(t *testing.T) {
	var m Tracker
	if m.Listed() {
		t.Error("Listed = true before a list was read")
	}
	read(t, &m, []venues.Position{at(venues.Short, "1")}, func() {})
	if !m.Listed() {
		t.Error("Listed = false after a list was read")
	}
	play(t, &m, step{at("", "0"), oneWay, "short 0"}, step{at("", "0"), oneWay, ""})
}

// A list being read may contain a position that has ended in the meantime: the end is
// reported, of both sides if the side is unknown, and the list does not open the position
// again.
func TestEndDuringListIsNotReopened(t *testing.T) {
	var m Tracker
	read(t, &m, []venues.Position{at(venues.Long, "1")}, func() {
		play(t, &m, step{at("", "0"), oneWay, "long 0, short 0"})
	})
	play(t, &m, step{at("", "0"), oneWay, ""})
	read(t, &m, []venues.Position{at(venues.Short, "1")}, func() {
		play(t, &m, step{at(venues.Short, "0"), hedge, "short 0"})
	})
	play(t, &m, step{at(venues.Short, "0"), hedge, ""})
}

// A list that was requested before a position was opened does not lose the end of that
// position.
func TestPositionOpenedDuringListIsKept(t *testing.T) {
	var m Tracker
	read(t, &m, nil, func() { play(t, &m, step{at(venues.Long, "1"), oneWay, "long 1"}) })
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
	read(t, &m, nil, func() { m.Replace([]venues.Position{at(venues.Long, "1")}) })
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
	read(t, &m, nil, func() { read(t, &m, []venues.Position{at(venues.Long, "1")}, func() {}) })
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
}

// Of a list and a snapshot that cross, either may be the older one: the end of each position
// that one of them contains is reported, by the next event or the next snapshot.
func TestListThatCrossesASnapshot(t *testing.T) {
	for _, next := range []struct {
		name string
		ends func(m *Tracker) []venues.Position
	}{
		{"event", func(m *Tracker) []venues.Position { return m.Update(at("", "0"), oneWay) }},
		{"snapshot", func(m *Tracker) []venues.Position { return m.Replace(nil) }},
	} {
		t.Run(next.name, func(t *testing.T) {
			var m Tracker
			read(t, &m, []venues.Position{at(venues.Long, "1")}, func() { m.Replace(nil) })
			if got, want := textOf(next.ends(&m)), "long 0"; got != want {
				t.Errorf("states = %q, want %q", got, want)
			}
			read(t, &m, []venues.Position{at(venues.Long, "1")}, func() { m.Replace([]venues.Position{at(venues.Long, "2")}) })
			if got, want := textOf(m.Open("BTCUSDT")), "long 2"; got != want {
				t.Errorf("open positions = %q, want %q, as in the snapshot", got, want)
			}
		})
	}
}

// A failed list changes nothing.
func TestFailedListChangesNothing(t *testing.T) {
	var m Tracker
	m.Update(at(venues.Long, "1"), oneWay)
	errDown := errors.New("down")
	if _, err := m.Read(func() ([]venues.Position, error) { return nil, errDown }); !errors.Is(err, errDown) || m.Listed() {
		t.Errorf("error %v, listed %v, want the error and false", err, m.Listed())
	}
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
}
