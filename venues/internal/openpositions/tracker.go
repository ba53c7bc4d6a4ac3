package openpositions

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Tracker tracks the open positions of an account. The zero value knows none yet. It is
// safe for concurrent use.
type Tracker struct {
	mu     sync.Mutex
	open   map[string]venues.Position // by venues.Position.Key
	listed bool
	reads  int // number of lists requested so far
	// pending are the lists being read.
	pending map[*pendingRead]struct{}
}

// pendingRead is a list that was requested. Events since then are newer than it.
type pendingRead struct {
	number  int
	changed map[string]bool // symbols
	// superseded: a newer list or snapshot replaces all of it.
	superseded bool
}

// Read reads the list of all open positions and adopts it.
func (m *Tracker) Read(list func() ([]venues.Position, error)) ([]venues.Position, error) {
	r := m.begin()
	positions, err := list()
	m.end(r, positions, err)
	return positions, err
}

func (m *Tracker) begin() *pendingRead {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	r := &pendingRead{number: m.reads, changed: make(map[string]bool)}
	if m.pending == nil {
		m.pending = make(map[*pendingRead]struct{})
	}
	m.pending[r] = struct{}{}
	return r
}

func (m *Tracker) end(r *pendingRead, positions []venues.Position, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pending, r)
	if err != nil || r.superseded {
		return
	}
	maps.DeleteFunc(m.open, func(_ string, p venues.Position) bool { return !r.changed[p.Symbol] })
	for _, p := range positions {
		if !r.changed[p.Symbol] {
			m.keep(p)
		}
	}
	m.listed = true
	for other := range m.pending {
		other.superseded = other.superseded || other.number < r.number
	}
}

func (m *Tracker) keep(p venues.Position) {
	if m.open == nil {
		m.open = make(map[string]venues.Position)
	}
	m.open[p.Key()] = p
}

// Replace adopts a complete snapshot from the stream. It returns, as closed, the
// positions that were open before and are not part of it.
func (m *Tracker) Replace(all []venues.Position) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.pending {
		r.superseded = true
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

// Update adopts the new state of one position and returns the states to report: the sides
// that are closed now, and the position itself if it is open. A position in one-way mode
// has one side at a time; its Side is meaningless if it is flat.
func (m *Tracker) Update(p venues.Position, oneWay bool) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.pending {
		r.changed[p.Symbol] = true
	}
	var states []venues.Position
	for _, side := range m.closedSides(p, oneWay) {
		ended := p
		ended.Side = side
		delete(m.open, ended.Key())
		states = append(states, closed(ended, p.UpdatedAt))
	}
	if p.Qty.IsPositive() {
		m.keep(p)
		states = append(states, p)
	}
	return states
}

// closedSides returns the sides that are known to be open and that the new state closes.
// If the position is flat and was not known to be open, but a list being read may contain
// it, all of its sides may have been open.
func (m *Tracker) closedSides(p venues.Position, oneWay bool) []venues.PositionSide {
	sides, isOpen := Sides(p.Side, oneWay), p.Qty.IsPositive()
	known := slices.DeleteFunc(slices.Clone(sides), func(side venues.PositionSide) bool {
		of := venues.Position{Symbol: p.Symbol, Side: side}
		_, known := m.open[of.Key()]
		return !known || isOpen && side == p.Side
	})
	if len(known) == 0 && !isOpen && len(m.pending) > 0 {
		return sides
	}
	return known
}

// Sides returns the sides that a state of a position with the given side applies to.
func Sides(side venues.PositionSide, oneWay bool) []venues.PositionSide {
	if oneWay {
		return []venues.PositionSide{venues.Long, venues.Short}
	}
	return []venues.PositionSide{side}
}

// closed returns the final state of a position.
func closed(p venues.Position, at venues.Time) venues.Position {
	return venues.Position{
		Exchange: p.Exchange, Symbol: p.Symbol, Side: p.Side, Qty: decimal.Zero,
		AccountType: p.AccountType, MarginMode: p.MarginMode, UpdatedAt: at,
	}
}

// Listed reports whether a complete list of positions was ever adopted.
func (m *Tracker) Listed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listed
}

// Open returns the open positions of an instrument.
func (m *Tracker) Open(symbol string) []venues.Position {
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
