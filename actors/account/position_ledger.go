package account

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// ledger is the accounting of all positions, by instrument.
type ledger struct {
	books map[string]*book
	// touched are the books that this step has to look at, waiting those whose
	// ends wait for the venue or for executions.
	touched []*book
	waiting map[string]*book
	// strangers are the executions without an order that are counted in, by
	// strangerKey.
	strangers map[string]stranger
}

func newLedger() ledger {
	return ledger{books: map[string]*book{}, waiting: map[string]*book{}, strangers: map[string]stranger{}}
}

type closedEvent struct {
	Exchange    venues.Venue        `json:"exchange"`
	Symbol      string              `json:"symbol"`
	Side        venues.PositionSide `json:"side"`
	Qty         string              `json:"qty"`
	EntryPrice  *string             `json:"entryPrice"`
	ExitPrice   *string             `json:"exitPrice"`
	RealizedPnl *string             `json:"realizedPnl"`
	Fee         *string             `json:"fee"`
	Reason      venues.CloseReason  `json:"reason"`
	OpenedAt    venues.Time         `json:"openedAt"`
	Comment     string              `json:"comment"`
}

func (s *state) book(symbol string) *book {
	b, known := s.ledger.books[symbol]
	if !known {
		b = newBook(symbol)
		s.ledger.books[symbol] = b
	}
	return b
}

func (s *state) booksInOrder() []*book {
	list := make([]*book, 0, len(s.ledger.books))
	for _, b := range s.ledger.books {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *book) int { return cmp.Compare(a.symbol, b.symbol) })
	return list
}

// recordFill stores an execution and counts it in: for its position and for the
// day. Whoever calls has seen to it that none is recorded twice.
func (s *state) recordFill(m moment, f venues.Fill, why cause) persistence.FillRecord {
	b := s.book(f.Symbol)
	e := executionOf(&f, why, m.now)
	if !f.RealizedPnl.Valid {
		f.RealizedPnl = b.realized(e)
	}
	s.touchBook(b)
	record := persistence.FillRecord{Fill: f, Customer: s.customer}
	why.note(&record)
	record.FeeWorth = feeWorth(m, &f)
	s.out.batch.Puts = append(s.out.batch.Puts, record)
	s.beginDay(m)
	s.rebase(f.Symbol, e)
	s.countFill(m, &record)
	for _, over := range b.add(e) {
		s.positionClosed(m, b, over)
	}
	if len(b.over) > 0 {
		s.planFunds() // to hear the venue say so
	}
	for len(b.recent) > recentMax {
		s.settleBook(m, b, len(b.recent)/2)
	}
	return record
}

// positionEnded notes that the venue has told the end of a position. It is
// passed on when the executions agree, which makes both tell the same.
func (s *state) positionEnded(m moment, p venues.Position) {
	b := s.book(p.Symbol)
	s.touchBook(b)
	end := toldEnd{
		position: p, at: m.now, due: m.now.Add(endFillsMax), compareDue: m.now.Add(doubtRetry), isKnown: b.isFlat(p.Side),
	}
	if !end.isKnown {
		end.listed = b.listed[p.Side]
	}
	delete(b.listed, p.Side)
	b.told.add(p.Side, end)
}

// settlePositions tells the ends that are proven, and stores what changed.
func (s *state) settlePositions(m moment) {
	for _, b := range s.ledger.touched {
		b.touched = false
		if proven := s.proven(m, b); proven >= 0 {
			s.settleBook(m, b, proven)
		}
		s.endUntold(m, b)
		if b.dirty {
			b.dirty = false
			s.out.batch.Puts = append(s.out.batch.Puts, b.record(s.customer, s.exchange))
		}
		delete(s.ledger.waiting, b.symbol)
		if len(b.over) > 0 || len(b.told) > 0 {
			s.ledger.waiting[b.symbol] = b
		}
	}
	s.ledger.touched = s.ledger.touched[:0]
}

// touchBook makes the end of the step look at a book.
func (s *state) touchBook(b *book) {
	if !b.touched {
		b.touched = true
		s.ledger.touched = append(s.ledger.touched, b)
	}
}

// touchWaiting makes the end of the step look at the books for which time
// matters, and compares the account if an end waits for what it may find.
func (s *state) touchWaiting(m moment) {
	for _, symbol := range slices.Sorted(maps.Keys(s.ledger.waiting)) {
		b := s.ledger.waiting[symbol]
		s.touchBook(b)
		if b.told.compare(m.now) {
			s.recon.due = earlier(s.recon.due, m.now)
		}
	}
}

// settleBook counts executions in for good, with the ends that they made.
func (s *state) settleBook(m moment, b *book, through int) {
	for _, over := range b.over {
		if over.by <= through {
			s.positionClosed(m, b, over)
		}
	}
	b.settle(through)
}

// positionClosed tells the end of a position, once: in the commit that counts it
// in for good.
func (s *state) positionClosed(m moment, b *book, over ended) {
	p, told := s.takeEnd(m, b, over.side)
	if over.life.Reason == "" {
		over.life.Reason = s.closeReason(m, b, over.side, over.life.OpenedAt.Time)
	}
	l := &over.life
	qty := l.EntryQty.Add(l.UnpricedEntry)
	payload := closedEvent{
		Exchange: s.exchange, Symbol: b.symbol, Side: over.side, Qty: venues.FormatDecimal(qty),
		EntryPrice: average(l.EntryNotional, l.EntryQty), ExitPrice: average(l.ExitNotional, l.ExitQty),
		RealizedPnl: text(pnl(over.side, l)), Fee: text(l.Fee), Reason: l.Reason, OpenedAt: l.OpenedAt, Comment: l.Comment,
	}
	s.emit(m, persistence.EventPositionClosed, payload)
	s.journalPosition(m, "closed", b.symbol,
		persistence.JournalField{Name: "side", Value: string(over.side)},
		persistence.JournalField{Name: "qty", Value: payload.Qty},
		persistence.JournalField{Name: "reason", Value: string(l.Reason)})
	if told {
		p.Reason = l.Reason
		s.after(publishPosition{p})
	}
}

// takeEnd is the closed position for the stream; false if the stream has nothing
// to close. A position that the venue still lists from before its last execution
// is closed here.
func (s *state) takeEnd(m moment, b *book, side venues.PositionSide) (venues.Position, bool) {
	if end, waiting := b.told.first(side); waiting {
		b.told.drop(side)
		return end.position, true
	}
	key := (&venues.Position{Symbol: b.symbol, Side: side}).Key()
	p, listed := s.funds.positions[key]
	b.listed[side] = p.Qty
	if !listed || openQty(b.now.of(side)).IsPositive() || !p.UpdatedAt.Before(b.heardAt) {
		return p, false
	}
	s.funds.closedAt[key] = m.now
	delete(b.listed, side)
	return s.dropPosition(m, p, m.now.Add(endSkewMax)), true
}

func average(notional, qty decimal.Decimal) *string {
	if !qty.IsPositive() {
		return nil
	}
	return text(venues.Some(notional.DivRound(qty, avgPriceDecimals)))
}

// positionsDue is when settlePositions has something to tell.
func (s *state) positionsDue() time.Time {
	var due time.Time
	for _, b := range s.ledger.waiting {
		due = earlier(due, b.told.due())
		for _, over := range b.provable() {
			due = earlier(due, s.wordDue(b, &over))
		}
	}
	return due
}

// restorePositions takes the accounting as it was stored.
func (s *state) restorePositions(in []loadedPosition, heardAt time.Time) {
	for _, p := range in {
		b := s.book(p.record.Symbol)
		executions := make([]execution, 0, len(p.fills))
		for i := range p.fills {
			why := cause{reason: p.fills[i].Closes, comment: p.fills[i].Comment}
			if why.reason == "" {
				why.reason = venues.ClosedManual
			}
			executions = append(executions, executionOf(&p.fills[i].Fill, why, heardAt))
		}
		b.restore(p.record, executions)
		s.touchBook(b)
	}
}
