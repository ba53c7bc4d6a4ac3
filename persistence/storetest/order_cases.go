package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"venuegate/persistence"
	"venuegate/venues"
)

var orderCases = []conformanceCase{
	{"a record is read as it was put", orderIsReadAsPut},
	{"pages are newest first", orderPages},
	{"pages of orders with one time", orderTies},
	{"filters", orderFilters},
	{"time bounds", orderBounds},
	{"times and ids at the limits", orderTimeLimits},
	{"indexes follow a change", orderMoves},
	{"every status is in its view", orderViews},
	{"unfinished orders, oldest first", orderUnfinished},
	{"the newest order of a client id", orderClientID},
	{"an adopted order by its identity", orderAdopted},
	{"new orders do not change later pages", orderStablePages},
	{"limits", orderLimits},
}

type orderPage = persistence.Page[persistence.OrderRecord]

// allOrders returns the ids of all pages from q.After on, and checks that each page but the
// last is full.
func (h *harness) allOrders(q persistence.OrderQuery) []string {
	h.Helper()
	return allIDs(h, func(r persistence.OrderRecord) string { return r.OrderID }, func(after *persistence.PagePosition) (orderPage, error) {
		if after != nil {
			q.After = after
		}
		page, err := h.store.Orders(h.Context(), q)
		if page.Next != nil && q.Limit > 0 && len(page.Items) != q.Limit {
			h.Errorf("a page that is not the last has %d orders, want %d", len(page.Items), q.Limit)
		}
		return page, err
	})
}

func orderIsReadAsPut(h *harness) {
	full := NewOrder("alice", 1)
	full.Status, full.PendingAction = venues.StatusPartiallyFilled, venues.PendingAmend
	full.TriggerPrice, full.TakeProfit = venues.Some(venues.MustDecimal("1")), venues.Some(venues.MustDecimal("99999999.00000001"))
	full.FilledQty, full.AvgPrice = venues.MustDecimal("0.5"), venues.Some(venues.MustDecimal("64000.123456789012345678"))
	full.Fee, full.FeeCurrency = venues.Some(venues.MustDecimal("-0.25")), "USDT"
	full.Protection.TakeProfit = &venues.ProtectionLeg{Status: venues.ProtectionLive, Price: venues.MustDecimal("7"), OrderID: "ord_9"}
	full.ChannelID, full.VenueOrderID, full.Replaces, full.ReplacedBy = "hook_1", "77", "ord_a", "ord_b"
	full.Error = &venues.RejectReason{Code: venues.CodeOrderRejected, Message: "m", Reason: "r", VenueCode: "-1", VenueMessage: "v"}
	full.ReduceOnly, full.PostOnly, full.ClosePosition = true, true, true
	full.Unattached, full.Closing, full.TriggerDirection = true, true, venues.TriggerFalling
	full.SeenOpenAt = timeAt(2)
	full.EntryOrderID, full.UnknownSince, full.NotFoundSince, full.Comment = "ord_0", timeAt(3), timeAt(5), "<script>\u2028 \"quoted\" \\"
	full.Amend = &persistence.Amendment{
		Qty: full.Qty, Price: full.TakeProfit, TriggerPrice: full.TriggerPrice, Replaces: true, StopLoss: full.StopLoss,
		DropTakeProfit: true, Before: full.Protection.Clone(), Deadline: timeAt(4),
	}
	bare := persistence.OrderRecord{Customer: "alice", Order: venues.Order{OrderID: "ord_bare"}}
	h.put(full, bare)
	for _, want := range []persistence.OrderRecord{full, bare} {
		got := must[persistence.OrderRecord](h)(h.store.Order(h.Context(), "alice", want.OrderID))
		h.equal("order", got, want)
		if got.Qty.String() != want.Qty.String() || !got.CreatedAt.Equal(want.CreatedAt.Time) {
			h.Errorf("quantity %v at %v, want %v at %v", got.Qty, got.CreatedAt, want.Qty, want.CreatedAt)
		}
	}
}

// putOrders stores the orders 0 to n-1 with the times of at. It returns their ids, newest
// first.
func (h *harness) putOrders(customer string, n int, at func(i int) int) []string {
	h.Helper()
	type placed struct {
		id string
		at int
	}
	all := make([]placed, 0, n)
	for i := range n {
		o := NewOrder(customer, i)
		o.CreatedAt = timeAt(at(i))
		h.put(o)
		all = append(all, placed{o.OrderID, at(i)})
	}
	slices.SortFunc(all, func(a, b placed) int {
		if a.at != b.at {
			return b.at - a.at
		}
		return strings.Compare(b.id, a.id)
	})
	ids := make([]string, 0, n)
	for _, p := range all {
		ids = append(ids, p.id)
	}
	return ids
}

func orderPages(h *harness) {
	want := h.putOrders("alice", 23, func(i int) int { return i * 10 })
	h.putOrders("bob", 5, func(i int) int { return i })
	for _, limit := range []int{0, 1, 2, 7, 23, 24} {
		h.equal(fmt.Sprint("pages of ", limit), h.allOrders(persistence.OrderQuery{Customer: "alice", Limit: limit}), want)
	}
}

func orderTies(h *harness) {
	want := h.putOrders("alice", 20, func(i int) int { return i / 8 })
	for _, view := range []persistence.OrderView{persistence.OrdersAll, persistence.OrdersOpen} {
		for limit := 1; limit <= 6; limit++ {
			got := h.allOrders(persistence.OrderQuery{Customer: "alice", View: view, Limit: limit})
			h.equal(fmt.Sprint(view, " pages of ", limit), got, want)
		}
	}
}

func orderFilters(h *harness) {
	for i := range 24 {
		o := NewOrder("alice", i)
		if i >= 12 {
			o.Status = venues.StatusFilled
		}
		setOrigin(&o, i)
		h.put(o)
	}
	queries := []persistence.OrderQuery{
		{View: persistence.OrdersOpen},
		{View: persistence.OrdersClosed},
		{Exchange: venues.Bybit},
		{Symbol: "ETHUSDT"},
		{RequestID: "request-7"},
		{RequestID: "request-17", View: persistence.OrdersOpen},
		{RequestID: "request"},
		{View: persistence.OrdersOpen, Exchange: venues.OKX, Symbol: "BTCUSDT"},
		{View: persistence.OrdersClosed, Exchange: venues.OKX, Symbol: "BTCUSDT"},
		{Symbol: "BTC"},
		{Source: venues.SourceWebhook},
		{Source: venues.SourceWebhook, View: persistence.OrdersOpen},
		{Source: venues.SourceAPI, View: persistence.OrdersClosed, Exchange: venues.OKX},
		{ChannelID: "hook_1"},
		{ChannelID: "hook_1", View: persistence.OrdersClosed, Symbol: "ETHUSDT"},
		{ChannelID: "hook_2", Source: venues.SourceAPI},
		{ChannelID: "hook_2", RequestID: "request-2", View: persistence.OrdersOpen},
		{ChannelID: "hook_1", RequestID: "request-2"},
		{ChannelID: "hook"},
	}
	for _, q := range queries {
		q.Customer, q.Limit = "alice", 2
		var want []string
		for i := 23; i >= 0; i-- {
			o := NewOrder("alice", i)
			setOrigin(&o, i)
			if (q.View == "" || (q.View == persistence.OrdersClosed) == (i >= 12)) &&
				(q.Exchange == "" || q.Exchange == o.Exchange) && (q.Symbol == "" || q.Symbol == o.Symbol) &&
				(q.RequestID == "" || q.RequestID == o.RequestID) &&
				(q.Source == "" || q.Source == o.Source) && (q.ChannelID == "" || q.ChannelID == o.ChannelID) {
				want = append(want, o.OrderID)
			}
		}
		h.equal(fmt.Sprintf("%+v", q), h.allOrders(q), want)
	}
}

// setOrigin gives two of three orders the channel of a signal.
func setOrigin(o *persistence.OrderRecord, i int) {
	if i%3 > 0 {
		o.Source, o.ChannelID = venues.SourceWebhook, fmt.Sprintf("hook_%d", i%3)
	}
}

// orderBounds checks that From is inclusive and To exclusive, and that stored times have
// milliseconds.
func orderBounds(h *harness) {
	h.putOrders("alice", 6, func(i int) int { return i })
	for _, c := range []struct {
		from, to time.Duration
		want     []string
	}{
		{2 * time.Millisecond, 4 * time.Millisecond, []string{"ord_000003", "ord_000002"}},
		{1500 * time.Microsecond, 3500 * time.Microsecond, []string{"ord_000003", "ord_000002"}},
		{5 * time.Millisecond, time.Hour, []string{"ord_000005"}},
		{-time.Hour, time.Nanosecond, []string{"ord_000000"}},
		{4 * time.Millisecond, 4 * time.Millisecond, nil},
		{5 * time.Millisecond, time.Millisecond, nil},
	} {
		for _, view := range []persistence.OrderView{persistence.OrdersAll, persistence.OrdersOpen} {
			q := persistence.OrderQuery{Customer: "alice", View: view, From: epoch.Add(c.from), To: epoch.Add(c.to), Limit: 1}
			h.equal(fmt.Sprint(view, " from ", c.from, " to ", c.to), h.allOrders(q), c.want)
		}
	}
}

// orderTimeLimits stores orders whose ids contain their time, another one, or none, at the
// limits of what an id can contain.
func orderTimeLimits(h *harness) {
	last := time.UnixMilli(int64(ulid.MaxTime()))
	times := []time.Time{
		last, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), epoch, time.UnixMilli(1), time.UnixMilli(0), time.UnixMilli(-1), {},
	}
	want := make([]string, 0, len(times))
	for i, at := range times {
		o := NewOrder("alice", i)
		o.OrderID = persistence.NewID(persistence.PrefixOrder, at, strings.NewReader("0123456789"))
		if o.CreatedAt = venues.At(at); at.After(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)) {
			o.CreatedAt = timeAt(1)
		}
		if at.UnixMilli() < 0 {
			o.OrderID = fmt.Sprintf("ord_before_%d", i)
		}
		h.put(o)
		want = append(want, o.OrderID)
	}
	want[0], want[1] = want[1], want[0]
	for limit := 1; limit <= 8; limit++ {
		h.equal(fmt.Sprint("pages of ", limit), h.allOrders(persistence.OrderQuery{Customer: "alice", Limit: limit}), want)
	}
	q := persistence.OrderQuery{Customer: "alice", From: time.UnixMilli(0), To: time.UnixMilli(2)}
	h.equal("in 1970", h.allOrders(q), want[3:5])
}

func orderMoves(h *harness) {
	o := NewOrder("alice", 1)
	h.put(o)
	before := o
	o.Status, o.Symbol, o.Exchange = venues.StatusCancelled, "XRPUSDT", venues.OKX
	o.RequestID, o.ClientOrderID, o.CreatedAt = "moved", "vgmoved", timeAt(500)
	h.put(o)
	ctx := h.Context()
	query := func(q persistence.OrderQuery) int {
		q.Customer = "alice"
		return len(h.allOrders(q))
	}
	h.equal("all", query(persistence.OrderQuery{}), 1)
	h.equal("open", query(persistence.OrderQuery{View: persistence.OrdersOpen}), 0)
	h.equal("closed", query(persistence.OrderQuery{View: persistence.OrdersClosed}), 1)
	h.equal("at the old time", query(persistence.OrderQuery{To: timeAt(400).Time}), 0)
	h.equal("under the old symbol", query(persistence.OrderQuery{Symbol: before.Symbol}), 0)
	h.equal("under the new symbol", query(persistence.OrderQuery{Symbol: "XRPUSDT", Exchange: venues.OKX}), 1)
	h.equal("under the old request", query(persistence.OrderQuery{RequestID: before.RequestID}), 0)
	h.equal("under the new request", query(persistence.OrderQuery{RequestID: "moved"}), 1)
	missing[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", before.ClientOrderID))
	h.equal("under the new client id", must[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", "vgmoved")), o)
	h.equal("unfinished", len(must[[]persistence.OrderRecord](h)(h.store.UnfinishedOrders(ctx, "alice", before.Exchange))), 0)
	o.Status, o.RequestID, o.ClientOrderID = venues.StatusOpen, "", ""
	h.put(o)
	h.equal("open again", query(persistence.OrderQuery{View: persistence.OrdersOpen}), 1)
	h.equal("without a request", query(persistence.OrderQuery{RequestID: "moved"}), 0)
}

func orderViews(h *harness) {
	for i, status := range venues.OrderStatuses() {
		o := NewOrder("alice", i)
		o.Status = status
		h.put(o)
	}
	for view, closed := range map[persistence.OrderView]bool{persistence.OrdersOpen: false, persistence.OrdersClosed: true} {
		var want []string
		for i, status := range slices.Backward(venues.OrderStatuses()) {
			if status.IsClosed() == closed {
				want = append(want, NewOrder("alice", i).OrderID)
			}
		}
		h.equal(string(view), h.allOrders(persistence.OrderQuery{Customer: "alice", View: view, Limit: 3}), want)
	}
}

func orderUnfinished(h *harness) {
	var want []string
	for i := 29; i >= 0; i-- {
		o := NewOrder("alice", i)
		if i%2 == 0 {
			o.Status = []venues.OrderStatus{venues.StatusFilled, venues.StatusUnknown}[i/2%2]
		}
		if i%4 == 0 { // closed with active protection
			o.Protection.StopLoss.Status = venues.ProtectionLive
		}
		h.put(o)
		if o.Exchange == venues.Bybit && o.Unfinished() {
			want = append([]string{o.OrderID}, want...)
		}
	}
	unfinished := must[[]persistence.OrderRecord](h)(h.store.UnfinishedOrders(h.Context(), "alice", venues.Bybit))
	got := make([]string, 0, len(unfinished))
	for _, o := range unfinished {
		got = append(got, o.OrderID)
	}
	h.equal("unfinished", got, want)
}

func orderClientID(h *harness) {
	first, second := NewOrder("alice", 1), NewOrder("alice", 2)
	second.ClientOrderID = first.ClientOrderID
	longer := NewOrder("alice", 3)
	longer.ClientOrderID = first.ClientOrderID + "0"
	h.put(first, second, longer)
	ctx := h.Context()
	h.equal("newest", must[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", first.ClientOrderID)), second)
	second.ClientOrderID = ""
	h.put(second)
	h.equal("the one left", must[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", first.ClientOrderID)), first)
}

// orderAdopted checks that an adopted order is found by the identity in its id, whatever the
// time in the id.
func orderAdopted(h *harness) {
	ctx := h.Context()
	at := timeAt(7)
	identities := []string{"0123456789ABCDEF", "0123456789ABCDEG", "0123456789ABCDEH"}
	for i, client := range []string{"web_1", "", "web_2"} {
		o := NewOrder("alice", i)
		o.Source, o.ClientOrderID, o.CreatedAt = venues.SourceVenue, client, at
		o.OrderID = persistence.AdoptedOrderID(identities[i], at.Time)
		if i == 2 { // adopted by an earlier version
			o.OrderID = persistence.AdoptedOrderID(identities[i], time.UnixMilli(0))
		}
		missing[persistence.OrderRecord](h)(h.store.AdoptedOrder(ctx, "alice", identities[i]))
		h.put(o)
		h.equal("adopted", must[persistence.OrderRecord](h)(h.store.AdoptedOrder(ctx, "alice", identities[i])), o)
		missing[persistence.OrderRecord](h)(h.store.AdoptedOrder(ctx, "bob", identities[i]))
	}
	own := NewOrder("alice", 9)
	own.OrderID = persistence.NewID(persistence.PrefixOrder, at.Time, strings.NewReader("0123456789"))
	own.ClientOrderID = "abcd" + strings.ToLower(strings.TrimPrefix(own.OrderID, "ord_"))
	h.put(own)
	missing[persistence.OrderRecord](h)(h.store.AdoptedOrder(ctx, "alice", persistence.IdentityOfID(own.OrderID)))
}

func orderStablePages(h *harness) {
	want := h.putOrders("alice", 10, func(i int) int { return i })
	q := persistence.OrderQuery{Customer: "alice", Limit: 4}
	page := must[orderPage](h)(h.store.Orders(h.Context(), q))
	for i := 20; i < 25; i++ {
		h.put(NewOrder("alice", i))
	}
	q.After = page.Next
	h.equal("the pages after", h.allOrders(q), want[4:])
}

func orderLimits(h *harness) {
	fence := h.fence("alice")
	batches := make([]persistence.Batch, 0, persistence.PageSizeMax+1)
	for i := range persistence.PageSizeMax + 1 {
		batches = append(batches, persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", i)}})
	}
	_, errs := h.submitAll(batches)
	for i, err := range errs {
		if err != nil {
			h.Fatalf("batch %d: %v", i, err)
		}
	}
	for _, limit := range []int{0, -1, persistence.PageSizeMax, persistence.PageSizeMax + 1} {
		page := must[orderPage](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice", Limit: limit}))
		if len(page.Items) != persistence.PageSizeMax || page.Next == nil {
			h.Errorf("limit %d: %d orders, next %v; want %d and a next page", limit, len(page.Items), page.Next, persistence.PageSizeMax)
		}
	}
}

// orderBounded stores one matching order and fill before more than one page scans: with ids
// that contain their time, with others, and as the only one with such an id.
func orderBounded(h *harness) {
	const stored = persistence.ScanRowsMax + 2
	plain := func(prefix string, i int) string { return fmt.Sprintf("%s_%06d", prefix, i) }
	timed := func(prefix string, i int) string {
		return persistence.NewID(prefix, timeAt(i).Time, strings.NewReader("0123456789"))
	}
	for customer, id := range map[string]func(prefix string, i int) string{
		"alice": plain,
		"bob":   timed,
		"carol": func(prefix string, i int) string {
			if i == 0 {
				return timed(prefix, i)
			}
			return plain(prefix, i)
		},
	} {
		fence := h.fence(customer)
		batches := make([]persistence.Batch, 0, stored)
		for i := range stored {
			o, f := NewOrder(customer, i), NewFill(customer, i)
			o.OrderID, f.FillID = id(persistence.PrefixOrder, i), id(persistence.PrefixFill, i)
			if i == 0 {
				o.Symbol, f.Symbol = "RAREUSDT", "RAREUSDT"
			}
			batches = append(batches, persistence.Batch{Fence: fence, Puts: []persistence.Record{o, f}})
		}
		_, errs := h.submitAll(batches)
		if err := errors.Join(errs...); err != nil {
			h.Fatal(err)
		}
		orders := persistence.OrderQuery{Customer: customer, Symbol: "RAREUSDT"}
		page := must[orderPage](h)(h.store.Orders(h.Context(), orders))
		if len(page.Items) != 0 || page.Next == nil {
			h.Errorf("first page of %s has %d orders, next %v; want none and a next page", customer, len(page.Items), page.Next)
		}
		h.equal("orders of all pages", h.allOrders(orders), []string{id(persistence.PrefixOrder, 0)})
		fills := persistence.FillQuery{Customer: customer, Symbol: "RAREUSDT"}
		first := must[persistence.Page[persistence.FillRecord]](h)(h.store.Fills(h.Context(), fills))
		if len(first.Items) != 0 || first.Next == nil {
			h.Errorf("first page of %s has %d fills, next %v; want none and a next page", customer, len(first.Items), first.Next)
		}
		h.equal("fills of all pages", h.allFills(fills), []string{id(persistence.PrefixFill, 0)})
	}
}
