package simulation_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// book identifies a position: in hedge mode a symbol has two.
type book struct {
	exchange venues.Venue
	symbol   string
	side     venues.PositionSide
}

// end is a closed position with its quantity and result.
type end struct {
	qty, pnl decimal.Decimal
}

// checkPositions checks that each position that executions have closed is reported
// closed once, with its quantity and result. Positions that were reconciled by the
// venue's list are skipped.
func (w *world) checkPositions(customer string) {
	reported, unpriced := w.reportedCloses(customer)
	closed := map[book][]end{}
	selfTraded := map[string]bool{}
	for key, list := range w.executions(customer) {
		selfTraded[key] = hasSelfTrade(list)
		walk(list, func(b book, e end) { closed[b] = append(closed[b], e) })
	}
	for b := range reported {
		if closed[b] == nil {
			closed[b] = []end{}
		}
	}
	for b, want := range closed {
		if w.adopted(customer, b) || unpriced[book{b.exchange, b.symbol, ""}] || selfTraded[string(b.exchange)+"/"+b.symbol] {
			w.coverage.adopted++
			continue
		}
		got := reported[b]
		w.coverage.ends += len(want)
		if !slices.EqualFunc(got, want, func(x, y end) bool { return x.qty.Equal(y.qty) && x.pnl.Sub(y.pnl).Abs().LessThan(dec("0.000001")) }) {
			w.violate("positions", "%s of %s were closed as %v and are reported as %v", b, customer, want, got)
		}
	}
}

// executions returns the executions of the store by instrument, in the order in which
// they took place.
func (w *world) executions(customer string) map[string][]persistence.FillRecord {
	lists := map[string][]persistence.FillRecord{}
	q := persistence.FillQuery{Customer: customer, Limit: persistence.PageSizeMax}
	for {
		page, err := w.memory.Fills(context.Background(), q)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range page.Items {
			key := string(f.Exchange) + "/" + f.Symbol
			lists[key] = append(lists[key], f)
		}
		if page.Next == nil {
			break
		}
		q.After = page.Next
	}
	for _, list := range lists {
		// An account may trade with itself: both sides of a trade have its number.
		slices.SortFunc(list, func(a, b persistence.FillRecord) int {
			return cmp.Or(cmp.Compare(number(a.VenueTradeID), number(b.VenueTradeID)), cmp.Compare(number(a.VenueOrderID), number(b.VenueOrderID)))
		})
	}
	return lists
}

// hasSelfTrade reports whether an account has traded with itself: the order of the two
// sides is undefined.
func hasSelfTrade(list []persistence.FillRecord) bool {
	for i := 1; i < len(list); i++ {
		if list[i].VenueTradeID == list[i-1].VenueTradeID {
			return true
		}
	}
	return false
}

func number(id string) int {
	n, _ := strconv.Atoi(id)
	return n
}

func (e end) String() string { return e.qty.String() + " for " + e.pnl.String() }

// walk goes through the executions of an instrument and returns where a position
// becomes flat.
func walk(list []persistence.FillRecord, ends func(book, end)) {
	type holding struct{ qty, turnover, result decimal.Decimal }
	open := map[venues.PositionSide]*holding{venues.Long: {}, venues.Short: {}}
	move := func(f *persistence.FillRecord, side venues.PositionSide, qty decimal.Decimal) {
		h := open[side]
		enters := (side == venues.Long) == (f.Side == venues.Buy)
		cash := qty.Mul(f.Price)
		if f.Side == venues.Buy {
			cash = cash.Neg()
		}
		h.result = h.result.Add(cash)
		if enters {
			h.qty, h.turnover = h.qty.Add(qty), h.turnover.Add(qty)
			return
		}
		if h.qty = h.qty.Sub(qty); h.qty.IsZero() {
			ends(book{f.Exchange, f.Symbol, side}, end{h.turnover, h.result})
			*h = holding{}
		}
	}
	for i := range list {
		f := &list[i]
		own, against := venues.Long, venues.Short
		if f.Side == venues.Sell {
			own, against = venues.Short, venues.Long
		}
		if f.PositionSide != "" {
			move(f, f.PositionSide, f.Qty)
			continue
		}
		out := decimal.Min(open[against].qty, f.Qty)
		if out.IsPositive() {
			move(f, against, out)
		}
		if rest := f.Qty.Sub(out); rest.IsPositive() {
			move(f, own, rest)
		}
	}
}

// reportedCloses returns the reported closes, and the positions of which one was reported
// without its prices.
func (w *world) reportedCloses(customer string) (reported map[book][]end, unpriced map[book]bool) {
	reported, unpriced = map[book][]end{}, map[book]bool{}
	for _, e := range w.events(customer) {
		if e.Type != persistence.EventPositionClosed {
			continue
		}
		var data struct {
			Exchange         venues.Venue
			Symbol           string
			Side             venues.PositionSide
			Qty, RealizedPnl *string
		}
		if err := json.Unmarshal(e.Data, &data); err != nil || data.Qty == nil {
			w.violate("positions", "event %s cannot be read: %v", e.ID, err)
			continue
		}
		b := book{data.Exchange, data.Symbol, data.Side}
		if data.RealizedPnl == nil {
			unpriced[book{b.exchange, b.symbol, ""}] = true
			continue
		}
		reported[b] = append(reported[b], end{dec(*data.Qty), dec(*data.RealizedPnl)})
	}
	return reported, unpriced
}

// adopted reports whether a position was reconciled by the venue's list, or fills never
// arrived.
func (w *world) adopted(customer string, b book) bool {
	for _, row := range w.journalOf(customer, b.symbol) {
		if row.Kind == "position.adopted" {
			return true
		}
	}
	return false
}
