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
	// superseded: a newer list replaces all of it.
	superseded bool
	// crossed: a snapshot arrived meanwhile. Which of the two is newer is unknown.
	crossed bool
}

// Read reads the list of all open positions and adopts it.
func (t *Tracker) Read(list func() ([]venues.Position, error)) ([]venues.Position, error) {
	r := t.begin()
	positions, err := list()
	t.end(r, positions, err)
	return positions, err
}

func (t *Tracker) begin() *pendingRead {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads++
	r := &pendingRead{number: t.reads, changed: make(map[string]bool)}
	if t.pending == nil {
		t.pending = make(map[*pendingRead]struct{})
	}
	t.pending[r] = struct{}{}
	return r
}

func (t *Tracker) end(r *pendingRead, positions []venues.Position, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pending, r)
	if err != nil || r.superseded {
		return
	}
	if !r.crossed {
		maps.DeleteFunc(t.open, func(_ string, p venues.Position) bool { return !r.changed[p.Symbol] })
	}
	for _, p := range positions {
		if _, known := t.open[p.Key()]; r.changed[p.Symbol] || r.crossed && known {
			continue
		}
		t.keep(p)
	}
	t.listed = true
	for other := range t.pending {
		other.superseded = other.superseded || other.number < r.number
	}
}

func (t *Tracker) keep(p venues.Position) {
	if t.open == nil {
		t.open = make(map[string]venues.Position)
	}
	t.open[p.Key()] = p
}

// Replace adopts a complete snapshot from the stream. It returns, as closed, the
// positions that were open before and are not part of it.
func (t *Tracker) Replace(all []venues.Position) []venues.Position {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.pending {
		r.crossed = true
	}
	before := t.open
	t.open, t.listed = nil, true
	for _, p := range all {
		t.keep(p)
	}
	var gone []venues.Position
	for key, p := range before {
		if _, still := t.open[key]; !still {
			gone = append(gone, closed(p, venues.Time{}))
		}
	}
	slices.SortFunc(gone, func(a, b venues.Position) int { return strings.Compare(a.Key(), b.Key()) })
	return gone
}

// Update adopts the new state of one position and returns the states to report: the sides
// that are closed now, and the position itself if it is open. A position in one-way mode
// has one side at a time; its Side is meaningless if it is flat.
func (t *Tracker) Update(p venues.Position, oneWay bool) []venues.Position {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.pending {
		r.changed[p.Symbol] = true
	}
	var states []venues.Position
	for _, side := range t.closedSides(p, oneWay) {
		ended := p
		ended.Side = side
		delete(t.open, ended.Key())
		states = append(states, closed(ended, p.UpdatedAt))
	}
	if p.Qty.IsPositive() {
		t.keep(p)
		states = append(states, p)
	}
	return states
}

// closedSides returns the sides that are known to be open and that the new state closes.
// If the position is flat and was not known to be open, but a list being read may contain
// it, all of its sides may have been open.
func (t *Tracker) closedSides(p venues.Position, oneWay bool) []venues.PositionSide {
	sides, isOpen := Sides(p.Side, oneWay), p.Qty.IsPositive()
	known := slices.DeleteFunc(slices.Clone(sides), func(side venues.PositionSide) bool {
		key := venues.Position{Symbol: p.Symbol, Side: side}
		_, known := t.open[key.Key()]
		return !known || isOpen && side == p.Side
	})
	if len(known) == 0 && !isOpen && len(t.pending) > 0 {
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
func (t *Tracker) Listed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.listed
}

// Open returns the open positions of an instrument.
func (t *Tracker) Open(symbol string) []venues.Position {
	t.mu.Lock()
	defer t.mu.Unlock()
	var open []venues.Position
	for _, side := range []venues.PositionSide{venues.Long, venues.Short} {
		key := venues.Position{Symbol: symbol, Side: side}
		if p, isOpen := t.open[key.Key()]; isOpen {
			open = append(open, p)
		}
	}
	return open
}
