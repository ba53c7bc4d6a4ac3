package account

import (
	"cmp"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// quietSymbolsMax bounds the symbols without an open order whose fills one
	// reconciliation reads. Those that were read longest ago come first.
	quietSymbolsMax = 10
	// fillsOverlap is how long before the end of the last reading of fills the next one
	// begins: venues list fills late. Fills that are read twice count once.
	fillsOverlap = time.Minute
	// tradedOverlap is the same for the reading of the instruments that were traded.
	tradedOverlap = 5 * time.Minute
)

// fillMarks has the time up to which the fills of each symbol were read, for every symbol
// that was ever traded through the account.
type fillMarks struct {
	customer string
	exchange venues.Venue
	// until has the fill marks by symbol.
	until map[string]time.Time
	// tradedUntil is the time up to which the venue was queried for the instruments that
	// were traded; zero before the first reconciliation of the account.
	tradedUntil time.Time
	// unlisted are symbols of until that the venue does not list any more.
	unlisted map[string]bool
	// lookups counts the running lookups of orders of fills, by symbol.
	lookups map[string]*lookups
}

// lookups counts the running lookups of the orders of one symbol's fills. The mark moves to
// readAt once all of them have ended and their fills are recorded.
type lookups struct {
	running int
	failed  bool
	readAt  time.Time
}

func newFillMarks(customer string, exchange venues.Venue) fillMarks {
	return fillMarks{customer: customer, exchange: exchange, until: map[string]time.Time{}, unlisted: map[string]bool{}, lookups: map[string]*lookups{}}
}

// restore loads the stored marks.
func (f *fillMarks) restore(r *persistence.AccountState) {
	for symbol, until := range r.FillsUntil {
		f.until[symbol] = until.Time
	}
	f.tradedUntil = r.TradedUntil.Time
}

func (f *fillMarks) record() persistence.AccountState {
	r := persistence.AccountState{
		Customer: f.customer, Exchange: f.exchange, FillsUntil: make(map[string]venues.Time, len(f.until)),
		TradedUntil: venues.At(f.tradedUntil),
	}
	for symbol, until := range f.until {
		r.FillsUntil[symbol] = venues.At(until)
	}
	return r
}

// count returns the number of marks, with that of the traded instruments.
func (f *fillMarks) count() int {
	if f.tradedUntil.IsZero() {
		return len(f.until)
	}
	return len(f.until) + 1
}

// begin sets the mark of a symbol that has none, and reports whether it had none.
func (f *fillMarks) begin(symbol string, from time.Time) bool {
	if _, known := f.until[symbol]; known {
		return false
	}
	f.until[symbol] = from
	return true
}

// from returns the start of the next reading of fills of a symbol with an order that was
// created at createdAt.
func (f *fillMarks) from(symbol string, createdAt time.Time) time.Time {
	from := createdAt.Add(-fillsOverlap)
	if until := f.until[symbol]; until.After(from) {
		from = until.Add(-fillsOverlap)
	}
	return from
}

// tradedFrom returns the start of the next reading of the traded instruments. It is zero, for
// none, before the first reconciliation of the account: earlier trades are not followed.
func (f *fillMarks) tradedFrom() time.Time {
	if f.tradedUntil.IsZero() {
		return time.Time{}
	}
	return f.tradedUntil.Add(-tradedOverlap)
}

// quiet returns the symbols, other than those in busy, whose fills were read longest ago.
func (f *fillMarks) quiet(busy map[string]time.Time) []string {
	var quiet []string
	for symbol := range f.until {
		if _, isBusy := busy[symbol]; !isBusy && !f.unlisted[symbol] {
			quiet = append(quiet, symbol)
		}
	}
	slices.SortFunc(quiet, func(a, b string) int {
		return cmp.Or(f.until[a].Compare(f.until[b]), cmp.Compare(a, b))
	})
	return quiet[:min(len(quiet), quietSymbolsMax)]
}

// advance moves the marks to the start of a reconciliation. The mark of a symbol with running
// lookups stays until they have ended.
func (f *fillMarks) advance(in *reconcileDone) {
	for _, symbol := range in.unlisted {
		f.unlisted[symbol] = true
	}
	for symbol := range in.fillsRead {
		delete(f.unlisted, symbol)
		if l := f.lookups[symbol]; l != nil {
			l.readAt = in.startedAt
			f.begin(symbol, f.tradedUntil.Add(-tradedOverlap)) // it was traded elsewhere
			continue
		}
		f.until[symbol] = in.startedAt
	}
	if in.kind != reconcileStart {
		f.tradedUntil = in.startedAt
	}
}

// beginLookup counts a lookup of the order of a fill.
func (f *fillMarks) beginLookup(symbol string) {
	if f.lookups[symbol] == nil {
		f.lookups[symbol] = &lookups{}
	}
	f.lookups[symbol].running++
}

// endLookup ends a lookup and reports whether the mark has moved.
func (f *fillMarks) endLookup(symbol string, failed bool) bool {
	l := f.lookups[symbol]
	l.running--
	l.failed = l.failed || failed
	if l.running > 0 {
		return false
	}
	delete(f.lookups, symbol)
	if l.failed || l.readAt.IsZero() {
		return false
	}
	f.until[symbol] = l.readAt
	return true
}

// moveMarks moves the marks to a reconciliation, and begins those of the listed positions.
func (s *state) moveMarks(step stepContext, in *reconcileDone) {
	known, opened := s.fillMarks.count(), s.openedAfter(in)
	for _, p := range s.positions.Listed() {
		s.fillMarks.begin(p.Symbol, opened)
	}
	if s.fillMarks.advance(in); s.fillMarks.count() > known {
		s.storeMarks()
	} else {
		s.storeMovedMarks(step)
	}
}

// openedAfter returns the time after which a position was opened that the reconciliation before
// this one did not list. Before the first one of the account fills are not followed.
func (s *state) openedAfter(in *reconcileDone) time.Time {
	switch {
	case !s.recon.completeAt.IsZero():
		return s.recon.completeAt
	case !s.fillMarks.tradedUntil.IsZero(): // before the start
		return s.fillMarks.tradedFrom()
	}
	return in.startedAt
}

// storeMarks adds the fill marks to the step's commit.
func (s *state) storeMarks() { s.out.Batch.Puts = append(s.out.Batch.Puts, s.fillMarks.record()) }

// storeMovedMarks stores marks of which none is new. It stores nothing on a full disk, whose
// reserve is for what reduces risk: the next start then reads more fills.
func (s *state) storeMovedMarks(step stepContext) {
	if step.full() == nil {
		s.storeMarks()
	}
}
