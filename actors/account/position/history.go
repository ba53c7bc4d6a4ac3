package position

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// Trade is a closed position. OpenedAt is zero, and the quantity whose executions are missing is
// UnpricedEntry, if the position was opened before the first execution that is known.
type Trade struct {
	Exchange venues.Venue
	Symbol   string
	Closing
	ClosedAt time.Time
}

// History derives the trades of a customer from its stored fills. It takes the fills newest
// first and nets them backwards from the quantities that are open now, so that it needs memory
// for open positions only, and reads no further back than it must.
//
// Executions from before the time when a quantity was taken from the venue's list are not
// netted, because some between them are missing.
type History struct {
	instruments map[instrument]*instrumentHistory
	trades      []Trade
}

type instrument struct {
	exchange venues.Venue
	symbol   string
}

// NewHistory returns a History over the position records of a customer, which must have been
// read before its fills.
func NewHistory(records []persistence.PositionRecord) *History {
	h := &History{instruments: map[instrument]*instrumentHistory{}}
	for i := range records {
		r := &records[i]
		h.instruments[instrument{r.Exchange, r.Symbol}] = &instrumentHistory{
			cut: Key{r.CutAt.Time, r.CutTrade}, knownSince: r.KnownSince.Time, atCut: netting{r.Long, r.Short},
		}
	}
	return h
}

// Add adds all fills of one millisecond. Each call must be for an earlier one.
func (h *History) Add(fills []persistence.FillRecord) {
	of := map[instrument][]Execution{}
	for i := range fills {
		in := instrument{fills[i].Exchange, fills[i].Symbol}
		of[in] = append(of[in], ExecutionOf(&fills[i].Fill, causeFrom(&fills[i]), time.Time{}))
	}
	for in, executions := range of {
		known, found := h.instruments[in]
		if !found {
			known = &instrumentHistory{}
			h.instruments[in] = known
		}
		slices.SortFunc(executions, func(a, b Execution) int { return b.compare(a.Key) })
		for _, e := range executions {
			h.collect(in, known.add(e))
		}
	}
}

// Take returns the trades that are complete since the last call.
func (h *History) Take() []Trade {
	taken := h.trades
	h.trades = nil
	slices.SortFunc(taken, func(a, b Trade) int {
		return cmp.Or(b.ClosedAt.Compare(a.ClosedAt), cmp.Compare(a.Exchange, b.Exchange), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Side, b.Side))
	})
	return taken
}

// NeedsBefore reports whether fills from before t are needed for the trades that were closed at
// from or later. All fills since t must have been added.
func (h *History) NeedsBefore(t, from time.Time) bool {
	for in, i := range h.instruments {
		if i.cut.At.Before(t) {
			if len(i.recent) > 0 {
				return true
			}
			continue // It has no execution since t.
		}
		h.collect(in, i.startAtCut())
		if i.closedSince(from) {
			return true
		}
	}
	return false
}

// End completes the trades whose first executions are missing. It must be called after the
// last fill there is.
func (h *History) End() {
	for in, i := range h.instruments {
		h.collect(in, i.startAtCut())
		h.collect(in, i.end())
	}
}

func (h *History) collect(in instrument, trades []Trade) {
	for _, t := range trades {
		t.Exchange, t.Symbol = in.exchange, in.symbol
		h.trades = append(h.trades, t)
	}
}

// instrumentHistory has the positions of one instrument before the executions that were added.
type instrumentHistory struct {
	cut        Key
	knownSince time.Time
	// atCut has the positions at the cut, recent the executions after it, newest first. They
	// are counted once the cut is reached.
	atCut   netting
	recent  []Execution
	started bool
	// ended is set once knownSince is reached.
	ended       bool
	long, short sideHistory
}

// sideHistory has the open quantity of one side, and the trade that has closed it; nil if it
// is open still.
type sideHistory struct {
	qty   decimal.Decimal
	trade *Trade
}

func (i *instrumentHistory) of(side venues.PositionSide) *sideHistory {
	if side == venues.Long {
		return &i.long
	}
	return &i.short
}

// add nets the execution before those that were added, and returns the trades that it began.
func (i *instrumentHistory) add(e Execution) []Trade {
	switch {
	case i.ended:
		return nil
	case !e.At.After(i.knownSince):
		return append(i.startAtCut(), i.end()...)
	case !i.started && e.compare(i.cut) > 0:
		i.recent = append(i.recent, e)
		return nil
	}
	return append(i.startAtCut(), i.undo(e)...)
}

// startAtCut computes the quantities that are open now and nets the recent executions.
func (i *instrumentHistory) startAtCut() (trades []Trade) {
	if i.started {
		return nil
	}
	i.started = true
	now := i.atCut.clone()
	for _, e := range slices.Backward(i.recent) {
		now.apply(e)
	}
	i.long.qty, i.short.qty = OpenQty(now.long), OpenQty(now.short)
	for _, e := range i.recent {
		trades = append(trades, i.undo(e)...)
	}
	i.recent = nil
	return trades
}

// undo is the inverse of netting.apply: it removes an execution from the open quantities. In
// one-way mode the execution has entered as much of its own side as is open, and has closed the
// opposite one with the rest.
func (i *instrumentHistory) undo(e Execution) []Trade {
	own, opposite := i.of(e.Side.Opens()), i.of(e.Side.Reduces())
	if e.PositionSide != "" {
		if side, reduces := e.Reduces(); reduces {
			i.of(side).undoExit(side, e)
			return nil
		}
		return own.undoEntry(e)
	}
	if own.qty.GreaterThanOrEqual(e.Qty) {
		return own.undoEntry(e)
	}
	exit, entry := e.split(e.Qty.Sub(own.qty))
	var begun []Trade
	if entry.Qty.IsPositive() {
		begun = own.undoEntry(entry)
	}
	opposite.undoExit(e.Side.Reduces(), exit)
	return begun
}

// undoEntry returns the trade that the entry has begun.
func (s *sideHistory) undoEntry(e Execution) (begun []Trade) {
	s.qty = s.qty.Sub(e.Qty)
	t := s.trade
	if t != nil {
		t.count(e)
		t.Position.EntryQty = t.Position.EntryQty.Add(e.Qty)
		t.Position.EntryNotional = t.Position.EntryNotional.Add(e.Qty.Mul(e.Price))
	}
	if s.qty.IsPositive() {
		return nil
	}
	s.qty, s.trade = decimal.Zero, nil
	if t == nil {
		return nil
	}
	t.Position.OpenedAt = venues.At(e.At)
	return []Trade{*t}
}

func (s *sideHistory) undoExit(side venues.PositionSide, e Execution) {
	if !s.qty.IsPositive() {
		s.trade = &Trade{Closing: Closing{Side: side, Position: Position{Reason: e.Reason}}, ClosedAt: e.At}
	}
	s.qty = s.qty.Add(e.Qty)
	if t := s.trade; t != nil {
		t.count(e)
		t.Position.ExitQty = t.Position.ExitQty.Add(e.Qty)
		t.Position.ExitNotional = t.Position.ExitNotional.Add(e.Qty.Mul(e.Price))
	}
}

// count adds the fee of an execution. The comment of a trade is the first one.
func (t *Trade) count(e Execution) {
	addFee(&t.Position, e)
	if e.Comment != "" {
		t.Position.Comment = e.Comment
	}
}

// closedSince reports whether the beginning of a trade that was closed at from or later is
// missing.
func (i *instrumentHistory) closedSince(from time.Time) bool {
	for _, side := range Sides() {
		if t := i.of(side).trade; t != nil && !t.ClosedAt.Before(from) {
			return true
		}
	}
	return false
}

// end returns the trades whose first executions are missing.
func (i *instrumentHistory) end() (trades []Trade) {
	i.ended = true
	for _, side := range Sides() {
		s := i.of(side)
		if t := s.trade; t != nil {
			t.Position.UnpricedEntry = s.qty
			trades = append(trades, *t)
		}
		s.trade = nil
	}
	return trades
}
