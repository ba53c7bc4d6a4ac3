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

func told(positions []venues.Position) string {
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

// step is an event and what it must tell.
type step struct {
	p      venues.Position
	oneWay bool
	want   string
}

func play(t *testing.T, m *Memory, steps ...step) {
	t.Helper()
	for n, s := range steps {
		if got := told(m.Update(s.p, s.oneWay)); got != s.want {
			t.Errorf("step %d: told %q, want %q", n, got, s.want)
		}
	}
}

// The end of each side is told once, and of no side that was not open.
func TestEndsAreToldOnce(t *testing.T) {
	var m Memory
	play(t, &m,
		step{at("", "0"), oneWay, ""}, // opened and closed between two messages
		step{at(venues.Long, "1"), oneWay, "long 1"},
		step{at(venues.Long, "2"), oneWay, "long 2"},
		step{at(venues.Short, "3"), oneWay, "long 0, short 3"}, // turned over
		step{at("", "0"), oneWay, "short 0"},
		step{at("", "0"), oneWay, ""}, // told again
		step{at(venues.Long, "1"), hedge, "long 1"},
		step{at(venues.Short, "1"), hedge, "short 1"},
		step{at(venues.Long, "0"), hedge, "long 0"},
		step{at(venues.Long, "0"), hedge, ""},
	)
	if got := told(m.Replace([]venues.Position{at(venues.Long, "5")})); got != "short 0" {
		t.Errorf("after all of them: told %q", got)
	}
	if got := told(m.Of("BTCUSDT")); got != "long 5" {
		t.Errorf("open: %s", got)
	}
}

// read is a list that is answered while do happens.
func read(t *testing.T, m *Memory, list []venues.Position, do func()) {
	t.Helper()
	_, _ = m.Read(func() ([]venues.Position, error) {
		do()
		return list, nil
	})
}

// A list teaches which side it was.
func TestListTeachesTheSide(t *testing.T) {
	var m Memory
	if m.Listed() {
		t.Error("listed before anything was read")
	}
	read(t, &m, []venues.Position{at(venues.Short, "1")}, func() {})
	if !m.Listed() {
		t.Error("not listed")
	}
	play(t, &m, step{at("", "0"), oneWay, "short 0"}, step{at("", "0"), oneWay, ""})
}

// A list that is under way may name what has ended meanwhile: the end is told, of
// both sides if nobody knows which, and the list does not make it open again.
func TestEndsOvertakeALateList(t *testing.T) {
	var m Memory
	read(t, &m, []venues.Position{at(venues.Long, "1")}, func() {
		play(t, &m, step{at("", "0"), oneWay, "long 0, short 0"})
	})
	play(t, &m, step{at("", "0"), oneWay, ""})
	read(t, &m, []venues.Position{at(venues.Short, "1")}, func() {
		play(t, &m, step{at(venues.Short, "0"), hedge, "short 0"})
	})
	play(t, &m, step{at(venues.Short, "0"), hedge, ""})
}

// A list that is older than the beginning of a position does not lose its end.
func TestPositionsOvertakeALateList(t *testing.T) {
	var m Memory
	read(t, &m, nil, func() { play(t, &m, step{at(venues.Long, "1"), oneWay, "long 1"}) })
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
	read(t, &m, nil, func() { m.Replace([]venues.Position{at(venues.Long, "1")}) })
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
	read(t, &m, nil, func() { read(t, &m, []venues.Position{at(venues.Long, "1")}, func() {}) })
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
}

// A list that fails changes nothing.
func TestFailedList(t *testing.T) {
	var m Memory
	m.Update(at(venues.Long, "1"), oneWay)
	errDown := errors.New("down")
	if _, err := m.Read(func() ([]venues.Position, error) { return nil, errDown }); !errors.Is(err, errDown) || m.Listed() {
		t.Errorf("%v, listed %v", err, m.Listed())
	}
	play(t, &m, step{at("", "0"), oneWay, "long 0"})
}
