package okx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"venuegate/venues"
	"venuegate/venues/internal/openpositions"
)

// eventTypeSnapshot is an event type of the channel positions.
const eventTypeSnapshot = "snapshot"

// errPageMissing is returned for an incomplete snapshot, which is discarded: otherwise the
// positions of the missing page would be reported as closed.
var errPageMissing = errors.New("a page of the snapshot is missing")

// positionSnapshot is a complete list of open positions, which comes in pages.
type positionSnapshot struct {
	pages    int
	complete bool
	// broken: a page is missing. The error was returned, and the remaining pages are
	// skipped.
	broken bool
	open   map[string]venues.Position // by venues.Position.Key
	// changed are the positions that were reported between the pages; their rows in the
	// pages are older.
	changed map[string]bool
}

// page begins a page. accepted is false if its rows must be skipped. The first page begins a
// snapshot; the others must be consecutive.
func (s *positionSnapshot) page(page int) (accepted bool, err error) {
	switch {
	case page <= 1:
		*s = positionSnapshot{pages: 1, open: make(map[string]venues.Position), changed: make(map[string]bool)}
	case page == s.pages+1 && !s.complete && !s.broken:
		s.pages = page
	case s.broken:
		return false, nil
	default:
		err = fmt.Errorf("page %d after page %d: %w", page, s.pages, errPageMissing)
		*s = positionSnapshot{broken: true}
		return false, err
	}
	return true, nil
}

// add adds a row of a page.
func (s *positionSnapshot) add(p venues.Position) {
	if p.Qty.IsPositive() && !s.changed[p.Key()] {
		s.open[p.Key()] = p
	}
}

// apply applies an event that came between the pages. It does nothing while no snapshot is
// being read.
func (s *positionSnapshot) apply(p venues.Position, oneWay bool) {
	if s.complete || s.pages == 0 {
		return
	}
	for _, side := range openpositions.Sides(p.Side, oneWay) {
		key := venues.Position{Symbol: p.Symbol, Side: side}
		s.changed[key.Key()] = true
		delete(s.open, key.Key())
	}
	if p.Qty.IsPositive() {
		s.open[p.Key()] = p
	}
}

// finish completes the last page and returns all open positions.
func (s *positionSnapshot) finish() []venues.Position {
	s.complete = true
	return slices.SortedFunc(maps.Values(s.open), func(a, b venues.Position) int { return strings.Compare(a.Key(), b.Key()) })
}

// positions reports the new states of positions. A snapshot comes in pages; a position
// that it does not contain is closed.
func (f *privateFeed) positions(m privateMessage) error {
	if m.EventType != eventTypeSnapshot || m.LastPage == nil {
		return f.eachPosition(m, func(p venues.Position, posSide venues.PositionSide) {
			f.snapshot.apply(p, posSide == "")
			f.report(f.account.positions.Update(p, posSide == ""))
		})
	}
	if accepted, err := f.snapshot.page(m.CurPage); err != nil || !accepted {
		return err
	}
	err := f.eachPosition(m, func(p venues.Position, _ venues.PositionSide) { f.snapshot.add(p) })
	if err != nil || !*m.LastPage {
		return err
	}
	open := f.snapshot.finish()
	closed := f.account.positions.Replace(open)
	f.report(closed)
	f.report(open)
	return nil
}

// eachPosition decodes the rows of supported instruments.
func (f *privateFeed) eachPosition(m privateMessage, take func(venues.Position, venues.PositionSide)) error {
	return eachRow(m.Data, func(row *positionRecord) error {
		k, err := f.account.c.cachedByVenueSymbol(row.InstID)
		if err != nil || k == nil {
			return err
		}
		p, posSide, err := row.position(k)
		if err != nil {
			return err
		}
		p.AccountType = f.account.mode.AccountType()
		take(p, posSide)
		return nil
	})
}

func (f *privateFeed) report(positions []venues.Position) {
	for _, p := range positions {
		f.sink.Position(p)
	}
}
