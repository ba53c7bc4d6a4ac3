package position

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

// ListLag is how long after a fill the venue's list of positions may not include it.
const ListLag = 2 * time.Second

// listed is the venue's list of open positions, by REST readings and the private stream. Its
// maps are keyed by Position.Key.
type listed struct {
	open map[string]venues.Position
	// closedAt has the time at which the stream reported the close of a position, until a
	// later reading confirms it.
	closedAt map[string]time.Time
	// asOf has the time of the newest information about each open position: when the reading
	// began, or the report arrived.
	asOf map[string]time.Time
	// venueAt has the venue's time in that information, if it has one.
	venueAt map[string]time.Time
	// readAt is when the newest successful reading began.
	readAt time.Time
}

// reportedAt returns when the venue last reported the positions of an instrument.
func (l *listed) reportedAt(symbol string) time.Time {
	at := l.readAt
	for _, side := range Sides() {
		k := key(symbol, side)
		at = deadline.Later(at, deadline.Later(l.asOf[k], l.closedAt[k]))
	}
	return at
}

// Listed returns the open positions on the venue's list, in the order of their keys.
func (s *State) Listed() []venues.Position { return inKeyOrder(s.listed.open) }

// ListedCount returns the number of open positions on the venue's list.
func (s *State) ListedCount() int { return len(s.listed.open) }

// Find returns the open position with a key on the venue's list.
func (s *State) Find(key string) (venues.Position, bool) {
	p, listed := s.listed.open[key]
	return p, listed
}

// SetTriggers replaces a listed position by one that differs in its triggers only. It does not
// count as newer information from the venue.
func (s *State) SetTriggers(p venues.Position) { s.listed.open[p.Key()] = p }

// ReadAt returns when the newest successful reading of the list began.
func (s *State) ReadAt() time.Time { return s.listed.readAt }

func inKeyOrder(positions map[string]venues.Position) []venues.Position {
	list := slices.Collect(maps.Values(positions))
	sort.Slice(list, func(i, j int) bool { return list[i].Key() < list[j].Key() })
	return list
}

// Update replaces the open positions by a list that was read at readAt; one that is not on it
// was closed. A reading that began before the newest report of the stream does not override
// that report. Update returns the keys of the list.
func (s *State) Update(a Account, list []venues.Position, readAt time.Time) map[string]bool {
	s.listed.readAt = readAt
	open := make(map[string]bool, len(list))
	for _, p := range list {
		k := p.Key()
		open[k] = true
		if closedAt, closed := s.listed.closedAt[k]; closed && !closedAt.Before(readAt) {
			continue
		}
		if before, known := s.listed.open[k]; !known || before.UpdatedAt.Before(readAt) {
			s.set(a, p)
			s.listed.asOf[k] = readAt
		}
	}
	for _, p := range s.Listed() {
		if !open[p.Key()] && p.UpdatedAt.Before(readAt) {
			s.reportClosed(a, s.drop(a, p, readAt.Add(-ListLag)))
		}
	}
	maps.DeleteFunc(s.listed.closedAt, func(_ string, closedAt time.Time) bool { return closedAt.Before(readAt) })
	return open
}

// Report applies an event of the private stream.
func (s *State) Report(a Account, p venues.Position) {
	k := p.Key()
	if p.Qty.IsPositive() {
		delete(s.listed.closedAt, k)
		s.set(a, merge(s.listed.open[k], p))
		s.listed.asOf[k] = a.Now()
		return
	}
	s.listed.closedAt[k] = a.Now()
	if before, known := s.listed.open[k]; known {
		flatAt := p.UpdatedAt.Time
		if flatAt.IsZero() {
			flatAt = a.Now()
		}
		s.reportClosed(a, s.drop(a, before, flatAt))
	}
}

// set lists a position, and publishes it if it has changed.
func (s *State) set(a Account, p venues.Position) {
	p.Exchange = s.exchange
	before, known := s.listed.open[p.Key()]
	switch {
	case known:
		p.OpenedAt = before.OpenedAt
	case a.Ready():
		p.OpenedAt = venues.At(a.Now()) // not known for a position from before the start
	}
	p = a.WithTriggers(p)
	s.listed.venueAt[p.Key()] = p.UpdatedAt.Time
	p.UpdatedAt = venues.At(a.Now()) // by this clock from here on, as Update compares it
	s.listed.open[p.Key()] = p
	l := s.ledger(p.Symbol)
	l.maxListed[p.Side] = decimal.Max(l.maxListed[p.Side], p.Qty)
	if l := s.pending[p.Symbol]; l != nil {
		s.checkAtFinish(l) // the report may confirm a close by reversal
	}
	if !known || !Equal(&before, &p) {
		a.Publish(p)
	}
}

// drop removes a closed position from the list and returns it as flat. flatAt is when it was
// flat, by the venue's clock.
func (s *State) drop(a Account, p venues.Position, flatAt time.Time) venues.Position {
	delete(s.listed.open, p.Key())
	delete(s.listed.asOf, p.Key())
	delete(s.listed.venueAt, p.Key())
	p.Qty = decimal.Zero
	p.UnrealizedPnl, p.LiquidationPrice = venues.Optional{}, venues.Optional{}
	p.StopLoss, p.TakeProfit = venues.Optional{}, venues.Optional{}
	p.UpdatedAt = venues.At(a.Now())
	a.Dropped(&p, flatAt)
	return p
}

// Equal reports whether two states of a position are equal to subscribers.
func Equal(a, b *venues.Position) bool {
	return a.Qty.Equal(b.Qty) && venues.EqualOptional(a.EntryPrice, b.EntryPrice) &&
		venues.EqualOptional(a.MarkPrice, b.MarkPrice) && venues.EqualOptional(a.UnrealizedPnl, b.UnrealizedPnl) &&
		venues.EqualOptional(a.LiquidationPrice, b.LiquidationPrice) && venues.EqualOptional(a.Leverage, b.Leverage) &&
		venues.EqualOptional(a.StopLoss, b.StopLoss) && venues.EqualOptional(a.TakeProfit, b.TakeProfit)
}

// merge returns p with the values of before where p has none.
func merge(before, p venues.Position) venues.Position {
	keep := func(newer *venues.Optional, older venues.Optional) {
		if !newer.Valid {
			*newer = older
		}
	}
	keep(&p.EntryPrice, before.EntryPrice)
	keep(&p.MarkPrice, before.MarkPrice)
	keep(&p.LiquidationPrice, before.LiquidationPrice)
	keep(&p.UnrealizedPnl, before.UnrealizedPnl)
	keep(&p.Leverage, before.Leverage)
	keep(&p.StopLoss, before.StopLoss)
	keep(&p.TakeProfit, before.TakeProfit)
	p.AccountType, p.MarginMode = cmp.Or(p.AccountType, before.AccountType), cmp.Or(p.MarginMode, before.MarginMode)
	return p
}
