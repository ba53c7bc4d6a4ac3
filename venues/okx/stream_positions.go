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

// Event types of the channel positions.
const positionsSnapshot = "snapshot"

// errPageMissing is a snapshot that would leave out what its lost page holds, and
// have it taken for closed.
var errPageMissing = errors.New("a page of the snapshot is missing")

// snapshot is a complete list of open positions that comes in pages.
type snapshot struct {
	pages int
	whole bool
	// broken snapshots miss a page; that was told, and the rest of them is left out.
	broken bool
	open   map[string]venues.Position // by venues.Position.Key
	// changed are the positions that were told anew between the pages: what a page
	// says of them is older.
	changed map[string]bool
}

// turn opens a page; false if its rows mean nothing. The first begins a snapshot; the
// others must follow one another.
func (s *snapshot) turn(page int) (opened bool, err error) {
	switch {
	case page <= 1:
		*s = snapshot{pages: 1, open: make(map[string]venues.Position), changed: make(map[string]bool)}
	case page == s.pages+1 && !s.whole && !s.broken:
		s.pages = page
	case s.broken:
		return false, nil
	default:
		err = fmt.Errorf("page %d after page %d: %w", page, s.pages, errPageMissing)
		*s = snapshot{broken: true}
		return false, err
	}
	return true, nil
}

// add takes a row of a page.
func (s *snapshot) add(p venues.Position) {
	if p.Qty.IsPositive() && !s.changed[p.Key()] {
		s.open[p.Key()] = p
	}
}

// overtake takes what was told while pages are still to come.
func (s *snapshot) overtake(p venues.Position, oneWay bool) {
	if s.whole || s.pages == 0 {
		return
	}
	for _, side := range openpositions.Sides(p.Side, oneWay) {
		of := venues.Position{Symbol: p.Symbol, Side: side}
		s.changed[of.Key()] = true
		delete(s.open, of.Key())
	}
	if p.Qty.IsPositive() {
		s.open[p.Key()] = p
	}
}

// end closes the last page: these are all open positions.
func (s *snapshot) end() []venues.Position {
	s.whole = true
	return slices.SortedFunc(maps.Values(s.open), func(a, b venues.Position) int { return strings.Compare(a.Key(), b.Key()) })
}

// positions tells the new states. A snapshot comes in pages; what it does not name
// is closed.
func (f *privateFeed) positions(m privateMessage) error {
	if m.EventType != positionsSnapshot || m.LastPage == nil {
		return f.eachPosition(m, func(p venues.Position, book positionBook) {
			f.snapshot.overtake(p, book == bookNet)
			f.tell(f.account.positions.Update(p, book == bookNet))
		})
	}
	if opened, err := f.snapshot.turn(m.CurPage); err != nil || !opened {
		return err
	}
	err := f.eachPosition(m, func(p venues.Position, _ positionBook) { f.snapshot.add(p) })
	if err != nil || !*m.LastPage {
		return err
	}
	open := f.snapshot.end()
	f.tell(f.account.positions.Replace(open))
	f.tell(open)
	return nil
}

// eachPosition reads the rows that are of the service's instruments.
func (f *privateFeed) eachPosition(m privateMessage, take func(venues.Position, positionBook)) error {
	return eachRow(m.Data, func(row *positionRecord) error {
		k, err := f.account.c.knownName(row.InstID)
		if err != nil || k == nil {
			return err
		}
		p, book, err := row.position(k)
		if err != nil {
			return err
		}
		p.AccountType = f.account.accountType()
		take(p, book)
		return nil
	})
}

func (f *privateFeed) tell(positions []venues.Position) {
	for _, p := range positions {
		f.sink.Position(p)
	}
}
