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
	// reconciliation reads: those that were read longest ago.
	quietSymbolsMax = 10
	// fillsOverlap is how far back each reading of fills begins before the end of the
	// last one: venues list executions late. Repeated executions are recognized.
	fillsOverlap = time.Minute
	// tradedOverlap is the same for the reading of the instruments that were traded.
	tradedOverlap = 5 * time.Minute
)

// fillMarks record up to when the fills of each symbol were read, for every symbol that
// was ever traded through the account.
type fillMarks struct {
	customer string
	exchange venues.Venue
	until    map[string]time.Time
	// tradedUntil is up to when the venue was queried for the instruments that were
	// traded; zero before the first reconciliation of the account.
	tradedUntil time.Time
	// unlisted are symbols of until that the venue does not list any more.
	unlisted map[string]bool
	// lookups are the orders of fills that are being looked up, by symbol.
	lookups map[string]*lookups
}

// lookups are the orders of one symbol's fills that are being looked up. What was read at
// readAt counts as read once the fills of all of them are recorded.
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

// begin starts the mark of a symbol, and reports whether there was none.
func (f *fillMarks) begin(symbol string, from time.Time) bool {
	if _, known := f.until[symbol]; known {
		return false
	}
	f.until[symbol] = from
	return true
}

// from returns where the reading of fills begins for a symbol with an order that was
// created at a time.
func (f *fillMarks) from(symbol string, createdAt time.Time) time.Time {
	from := createdAt.Add(-fillsOverlap)
	if until := f.until[symbol]; until.After(from) {
		from = until.Add(-fillsOverlap)
	}
	return from
}

// tradedFrom returns where the reading of the traded instruments begins; zero for none.
// What was traded before the account was first reconciled is not followed.
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

// advance moves the marks to a reconciliation. Where the orders of some fills are still
// being looked up, the mark stays until they are recorded.
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
	f.tradedUntil = in.startedAt
}

// lookupBegins notes that the order of a fill is being looked up.
func (f *fillMarks) lookupBegins(symbol string) {
	if f.lookups[symbol] == nil {
		f.lookups[symbol] = &lookups{}
	}
	f.lookups[symbol].running++
}

// lookupEnds notes the end of a lookup, and reports whether the mark has moved.
func (f *fillMarks) lookupEnds(symbol string, failed bool) bool {
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
