package storetest

import (
	"fmt"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

var fillCases = []conformanceCase{
	{"a fill that is reported twice is one record", fillTwice},
	{"pages and filters", fillPages},
	{"indexes follow a change", fillMoves},
}

type fillPage = persistence.Page[persistence.FillRecord]

func (h *harness) allFills(q persistence.FillQuery) []string {
	h.Helper()
	return allIDs(h, func(r persistence.FillRecord) string { return r.FillID }, func(after *persistence.PagePosition) (fillPage, error) {
		q.After = after
		return h.store.Fills(h.Context(), q)
	})
}

func fillTwice(h *harness) {
	f := NewFill("alice", 1)
	f.RealizedPnl = venues.Some(venues.MustDecimal("12.5"))
	h.put(f, f)
	page := must[fillPage](h)(h.store.Fills(h.Context(), persistence.FillQuery{Customer: "alice"}))
	h.equal("fills", page.Items, []persistence.FillRecord{f})
}

func fillPages(h *harness) {
	fills := make([]persistence.FillRecord, 0, 25)
	for i := range 24 {
		f := NewFill("alice", i)
		f.OrderID, f.ExecutedAt = fmt.Sprintf("ord_%d", i%5), timeAt(i/4)
		fills = append(fills, f)
	}
	adopted := NewFill("alice", 90)
	adopted.OrderID = ""
	fills = append(fills, adopted)
	for _, f := range fills {
		h.put(f)
	}
	for _, q := range []persistence.FillQuery{
		{},
		{Exchange: venues.Binance},
		{Symbol: "BTCUSDT"},
		{OrderID: "ord_3"},
		{OrderID: "ord_3", Symbol: "ETHUSDT"},
		{OrderID: "ord"},
		{From: timeAt(2).Time, To: timeAt(4).Time},
		{OrderID: "ord_1", From: timeAt(2).Time, To: timeAt(90).Time},
	} {
		var want []string
		for _, f := range slices.Backward(fills) {
			if (q.Exchange == "" || q.Exchange == f.Exchange) && (q.Symbol == "" || q.Symbol == f.Symbol) &&
				(q.OrderID == "" || q.OrderID == f.OrderID) && !f.ExecutedAt.Before(q.From) &&
				(q.To.IsZero() || f.ExecutedAt.Before(q.To)) {
				want = append(want, f.FillID)
			}
		}
		q.Customer = "alice"
		for _, q.Limit = range []int{0, 1, 3, 5} {
			h.equal(fmt.Sprintf("%+v", q), h.allFills(q), want)
		}
	}
}

func fillMoves(h *harness) {
	f := NewFill("alice", 1)
	h.put(f)
	f.OrderID, f.ExecutedAt = "ord_other", timeAt(700)
	h.put(f)
	h.equal("all", h.allFills(persistence.FillQuery{Customer: "alice"}), []string{f.FillID})
	h.equal("of the old order", len(h.allFills(persistence.FillQuery{Customer: "alice", OrderID: "ord_000001"})), 0)
	h.equal("of the new order", h.allFills(persistence.FillQuery{Customer: "alice", OrderID: "ord_other"}), []string{f.FillID})
	h.equal("at the old time", len(h.allFills(persistence.FillQuery{Customer: "alice", To: timeAt(600).Time})), 0)
}
