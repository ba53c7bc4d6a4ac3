package badgerstore_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// answersOf returns the results of queries of every kind, one a line, for the customers of
// a store: a migration must not change them.
func answersOf(t *testing.T, store persistence.Reader) string {
	t.Helper()
	a := &answers{TB: t, store: store}
	customers, err := store.Customers(t.Context())
	a.add("customers", customers, err)
	a.log("")
	for _, c := range customers {
		a.records(c.ID)
		a.orders(c.ID)
		a.fills(c.ID)
		a.log(c.ID)
	}
	return a.out.String()
}

// answers collects the results of queries.
type answers struct {
	testing.TB
	store persistence.Reader
	out   strings.Builder
}

func (a *answers) add(query string, result any, err error) {
	a.Helper()
	text, textErr := json.Marshal(result)
	if textErr != nil {
		a.Fatal(textErr)
	}
	fmt.Fprintln(&a.out, query, string(text), err)
}

// add1 adds the result of a query with one result.
func add1[T any](a *answers, query string) func(T, error) {
	return func(result T, err error) { a.add(query, result, err) }
}

// addPages adds the ids and the positions of all pages of a query.
func addPages[T any](a *answers, query string, id func(T) string, read func(after *persistence.PagePosition) (persistence.Page[T], error)) []T {
	a.Helper()
	var all []T
	var after *persistence.PagePosition
	for {
		page, err := read(after)
		if err != nil {
			a.Fatalf("%s: %v", query, err)
		}
		ids := make([]string, 0, len(page.Items))
		for _, item := range page.Items {
			ids = append(ids, id(item))
		}
		all = append(all, page.Items...)
		a.add(query, ids, nil)
		if after = page.Next; after == nil {
			return all
		}
		a.add(query, after, nil)
	}
}

func (a *answers) records(customer string) {
	ctx, s := a.Context(), a.store
	add1[[]persistence.APIKey](a, "keys")(s.APIKeys(ctx, customer))
	add1[[]persistence.VenueAccount](a, "accounts")(s.VenueAccounts(ctx, customer))
	add1[persistence.AccountState](a, "state")(s.AccountState(ctx, customer, venues.OKX))
	add1[persistence.RiskRecord](a, "risk")(s.Risk(ctx, customer, venues.OKX))
	add1[[]persistence.PositionRecord](a, "positions")(s.PositionRecords(ctx, customer, venues.OKX))
	add1[[]persistence.Channel](a, "channels")(s.Channels(ctx, customer))
	add1[[]persistence.Endpoint](a, "endpoints")(s.Endpoints(ctx, customer))
	add1[[]persistence.Alert](a, "alerts")(s.Alerts(ctx, customer))
	add1[persistence.EndpointCursor](a, "cursor")(s.EndpointCursor(ctx, customer, "end_1"))
	add1[[]persistence.Delivery](a, "pending deliveries")(s.PendingDeliveries(ctx, customer, "end_1", 0))
	add1[persistence.Page[persistence.Delivery]](a, "deliveries")(s.Deliveries(ctx, persistence.DeliveryQuery{Customer: customer}))
	add1[[]persistence.SignalRecord](a, "unfinished signals")(s.UnfinishedSignals(ctx, customer, "hook_1"))
	add1[persistence.Page[persistence.SignalRecord]](a, "signals")(s.Signals(ctx, persistence.SignalQuery{Customer: customer}))
}

func (a *answers) orders(customer string) {
	read := func(name string, q persistence.OrderQuery) []persistence.OrderRecord {
		q.Customer, q.Limit = customer, 7
		return addPages(a, "orders "+name, func(o persistence.OrderRecord) string { return o.OrderID },
			func(after *persistence.PagePosition) (persistence.Page[persistence.OrderRecord], error) {
				q.After = after
				return a.store.Orders(a.Context(), q)
			})
	}
	all := read("all", persistence.OrderQuery{})
	middle := all[len(all)/2].CreatedAt.Time
	read("open", persistence.OrderQuery{View: persistence.OrdersOpen})
	read("closed", persistence.OrderQuery{View: persistence.OrdersClosed})
	read("closed of okx", persistence.OrderQuery{View: persistence.OrdersClosed, Exchange: venues.OKX})
	read("of a symbol", persistence.OrderQuery{Symbol: "ETHUSDT"})
	read("since", persistence.OrderQuery{From: middle})
	read("until", persistence.OrderQuery{To: middle.Add(time.Millisecond)})
	for _, exchange := range venues.All() {
		add1[[]persistence.OrderRecord](a, "unfinished")(a.store.UnfinishedOrders(a.Context(), customer, exchange))
	}
	for _, o := range all {
		a.add("order", o, nil)
		read("of request "+o.RequestID, persistence.OrderQuery{RequestID: o.RequestID, From: o.CreatedAt.Time})
		byClient, err := a.store.OrderByClientID(a.Context(), customer, o.ClientOrderID)
		a.add("order of client id "+o.ClientOrderID, byClient.OrderID, err)
		add1[persistence.IdempotencyRecord](a, "claim")(a.store.Idempotency(a.Context(), customer, o.Scope, o.RequestID))
		a.fillsOf(customer, o.OrderID)
		a.journalOf(customer, o.OrderID)
	}
}

func (a *answers) readFills(name string, q persistence.FillQuery) []persistence.FillRecord {
	q.Limit = 5
	return addPages(a, "fills "+name, func(f persistence.FillRecord) string { return f.FillID },
		func(after *persistence.PagePosition) (persistence.Page[persistence.FillRecord], error) {
			q.After = after
			return a.store.Fills(a.Context(), q)
		})
}

func (a *answers) fills(customer string) {
	for _, f := range a.readFills("all", persistence.FillQuery{Customer: customer}) {
		a.add("fill", f, nil)
	}
	a.readFills("of okx", persistence.FillQuery{Customer: customer, Exchange: venues.OKX})
}

func (a *answers) fillsOf(customer, order string) {
	a.readFills("of "+order, persistence.FillQuery{Customer: customer, OrderID: order})
}

func (a *answers) readJournal(name string, q persistence.JournalQuery) []persistence.JournalEntry {
	q.Limit = 9
	return addPages(a, "journal "+name, func(j persistence.JournalEntry) string { return j.ID },
		func(after *persistence.PagePosition) (persistence.Page[persistence.JournalEntry], error) {
			q.After = after
			return a.store.Journal(a.Context(), q)
		})
}

func (a *answers) journalOf(customer, subject string) {
	a.readJournal("of "+subject, persistence.JournalQuery{Customer: customer, Subject: subject})
	a.readJournal("of a kind and "+subject, persistence.JournalQuery{Customer: customer, Subject: subject, Kind: "order.status"})
}

func (a *answers) log(customer string) {
	ctx := a.Context()
	for _, j := range a.readJournal("all", persistence.JournalQuery{Customer: customer}) {
		a.add("journal row", j, nil)
	}
	a.readJournal("of a channel", persistence.JournalQuery{Customer: customer, Channel: "hook_1"})
	a.readJournal("of a symbol", persistence.JournalQuery{Customer: customer, Subject: "BTCUSDT"})
	events, err := a.store.Events(ctx, customer, "", 0)
	a.add("events", events, err)
	for _, e := range events {
		one, err := a.store.Event(ctx, customer, e.ID)
		a.add("event", one.Seq, err)
		next, err := a.store.Events(ctx, customer, e.ID, 1)
		a.add("events after", len(next), err)
	}
	add1[uint64](a, "sequence")(a.store.LastSequence(ctx, customer))
}
