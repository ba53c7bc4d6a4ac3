package account

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// doubtRetry is the wait before the venue is compared again after its
// positions have disagreed with the executions.
const doubtRetry = 2 * time.Second

// doubtPositions compares the venue's list with the executions. A difference that
// outlives a reconciliation is settled by the list.
func (s *state) doubtPositions(m moment, readAt time.Time) {
	for _, p := range s.positions() {
		s.book(p.Symbol)
	}
	for _, b := range s.booksInOrder() {
		if b.agrees(s.funds.positions) {
			b.doubtSince = time.Time{}
			continue
		}
		if !s.ready || b.heardAt.Add(positionLag).After(readAt) {
			if len(b.over) > 0 { // an end waits for them
				s.recon.due = earlier(s.recon.due, m.now.Add(doubtRetry))
			}
			continue // they are on their way
		}
		if b.doubtSince.IsZero() {
			b.doubtSince = m.now
		}
		s.recon.due = earlier(s.recon.due, m.now.Add(doubtRetry))
	}
}

// agrees says whether the open quantities are those of the venue's list.
func (b *book) agrees(listed map[string]venues.Position) bool {
	for _, side := range positionSides() {
		p := listed[(&venues.Position{Symbol: b.symbol, Side: side}).Key()]
		if !p.Qty.Equal(openQty(b.now.of(side))) {
			return false
		}
	}
	return true
}

// resolveDoubts takes the venue's list for the truth where a reconciliation has
// not brought the executions that would explain it. At the first one after a
// start that goes for every position that was never heard of.
func (s *state) resolveDoubts(m moment, in reconcileDone) {
	for _, b := range s.booksInOrder() {
		isNew := b.cut.at.IsZero() && b.knownSince.IsZero() && len(b.recent) == 0
		outlived := !b.doubtSince.IsZero() && b.doubtSince.Before(in.startedAt) && in.fillsRead[b.symbol]
		if (!isNew || s.ready) && !outlived {
			continue
		}
		if s.lookups[b.symbol] != nil || s.holdsReports(b.symbol) || b.agrees(s.funds.positions) {
			continue
		}
		s.adoptListed(m, b, in.funds.ReadAt)
	}
}

// adoptListed brings a book to the quantities of the venue's list.
func (s *state) adoptListed(m moment, b *book, readAt time.Time) {
	b.doubtSince = time.Time{}
	s.touchBook(b)
	for _, side := range positionSides() {
		p := s.funds.positions[(&venues.Position{Symbol: b.symbol, Side: side}).Key()]
		if _, waiting := b.told.first(side); waiting || p.Qty.Equal(openQty(b.now.of(side))) {
			continue
		}
		for _, over := range b.adjust(len(b.recent), side, p.Qty, p.EntryPrice, readAt) {
			s.positionClosed(m, b, over)
		}
		s.journalPosition(m, "adopted", b.symbol,
			persistence.JournalField{Name: "side", Value: string(side)},
			persistence.JournalField{Name: "qty", Value: venues.FormatDecimal(p.Qty)})
	}
}

func (s *state) holdsReports(symbol string) bool {
	for _, o := range s.watched {
		if o.Symbol == symbol && o.held != nil {
			return true
		}
	}
	return false
}

// doubtfulFrom adds the instruments in doubt to those whose executions are read.
func (s *state) doubtfulFrom(from map[string]time.Time) {
	for _, b := range s.ledger.books {
		if b.doubtSince.IsZero() {
			continue
		}
		since, known := s.fillsUntil[b.symbol]
		if !known {
			since = b.doubtSince
			if !s.recon.begunAt.IsZero() {
				since = s.recon.begunAt
			}
		}
		if earliest, asked := from[b.symbol]; !asked || since.Add(-fillsOverlap).Before(earliest) {
			from[b.symbol] = since.Add(-fillsOverlap)
		}
	}
}
