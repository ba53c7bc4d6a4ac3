package openpositions

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Memory is the open positions of an account. The zero value knows nothing yet. It
// is safe for concurrent use.
type Memory struct {
	mu     sync.Mutex
	open   map[string]venues.Position // by venues.Position.Key
	listed bool
	asked  int // lists so far
	// readings are the lists that are under way.
	readings map[*reading]struct{}
}

// reading is a list that was asked for. What was told since is newer than it.
type reading struct {
	number  int
	changed map[string]bool // symbols
	// overtaken says that all of it is older than what is known.
	overtaken bool
}

// Read reads the list of all open positions and adopts it.
func (m *Memory) Read(list func() ([]venues.Position, error)) ([]venues.Position, error) {
	r := m.begin()
	positions, err := list()
	m.end(r, positions, err)
	return positions, err
}

func (m *Memory) begin() *reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	r := &reading{number: m.asked, changed: make(map[string]bool)}
	if m.readings == nil {
		m.readings = make(map[*reading]struct{})
	}
	m.readings[r] = struct{}{}
	return r
}

func (m *Memory) end(r *reading, positions []venues.Position, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.readings, r)
	if err != nil || r.overtaken {
		return
	}
	maps.DeleteFunc(m.open, func(_ string, p venues.Position) bool { return !r.changed[p.Symbol] })
	for _, p := range positions {
		if !r.changed[p.Symbol] {
			m.keep(p)
		}
	}
	m.listed = true
	for other := range m.readings {
		other.overtaken = other.overtaken || other.number < r.number
	}
}

func (m *Memory) keep(p venues.Position) {
	if m.open == nil {
		m.open = make(map[string]venues.Position)
	}
	m.open[p.Key()] = p
}

// Replace adopts all open positions as the stream has told them and returns, closed,
// those that were open before and are not among them.
func (m *Memory) Replace(all []venues.Position) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.readings {
		r.overtaken = true
	}
	before := m.open
	m.open, m.listed = nil, true
	for _, p := range all {
		m.keep(p)
	}
	var gone []venues.Position
	for key, p := range before {
		if _, still := m.open[key]; !still {
			gone = append(gone, closed(p, venues.Time{}))
		}
	}
	slices.SortFunc(gone, func(a, b venues.Position) int { return strings.Compare(a.Key(), b.Key()) })
	return gone
}

// Update adopts the new state of one position and returns what to tell: the sides
// that are over, and itself if it is open. A one-way position has one side at a
// time; its Side means nothing if it is flat.
func (m *Memory) Update(p venues.Position, oneWay bool) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.readings {
		r.changed[p.Symbol] = true
	}
	var tell []venues.Position
	for _, side := range m.over(p, oneWay) {
		ended := p
		ended.Side = side
		delete(m.open, ended.Key())
		tell = append(tell, closed(ended, p.UpdatedAt))
	}
	if p.Qty.IsPositive() {
		m.keep(p)
		tell = append(tell, p)
	}
	return tell
}

// over is the sides that are known to be open and end with the new state of a
// position. If a flat one is not known, and a list is under way that may name it,
// any side may have been.
func (m *Memory) over(p venues.Position, oneWay bool) []venues.PositionSide {
	sides, isOpen := Sides(p.Side, oneWay), p.Qty.IsPositive()
	known := slices.DeleteFunc(slices.Clone(sides), func(side venues.PositionSide) bool {
		of := venues.Position{Symbol: p.Symbol, Side: side}
		_, known := m.open[of.Key()]
		return !known || isOpen && side == p.Side
	})
	if len(known) == 0 && !isOpen && len(m.readings) > 0 {
		return sides
	}
	return known
}

// Sides are those that the state of a position on side is told for.
func Sides(side venues.PositionSide, oneWay bool) []venues.PositionSide {
	if oneWay {
		return []venues.PositionSide{venues.Long, venues.Short}
	}
	return []venues.PositionSide{side}
}

// closed is the last word on a position.
func closed(p venues.Position, at venues.Time) venues.Position {
	return venues.Position{
		Exchange: p.Exchange, Symbol: p.Symbol, Side: p.Side, Qty: decimal.Zero,
		AccountType: p.AccountType, MarginMode: p.MarginMode, UpdatedAt: at,
	}
}

// Listed says whether all open positions have ever been told.
func (m *Memory) Listed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listed
}

// Of is the open positions of an instrument.
func (m *Memory) Of(symbol string) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	var open []venues.Position
	for _, side := range []venues.PositionSide{venues.Long, venues.Short} {
		of := venues.Position{Symbol: symbol, Side: side}
		if p, isOpen := m.open[of.Key()]; isOpen {
			open = append(open, p)
		}
	}
	return open
}
