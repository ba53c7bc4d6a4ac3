package simulation_test

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// truth is what the venue's ledger knows of one client id.
type truth struct {
	exchange venues.Venue
	account  string
	// placed counts the orders under the id; the order of a triggered stop is
	// the stop.
	placed int
	report venues.ExecutionReport
	trades map[string]decimal.Decimal
}

func (t *truth) isRejected() bool {
	return t.report.Status == venues.StatusRejected && len(t.trades) == 0
}

// ours reports whether a client id is of this installation.
func ours(clientID string) bool {
	return len(clientID) == len(clientIDPrefix)+26 && strings.HasPrefix(clientID, clientIDPrefix)
}

// truths reads the ledgers, by client id.
func (w *world) truths() map[string]*truth {
	all := map[string]*truth{}
	for _, exchange := range w.plan.venues {
		v := w.venues[exchange]
		for _, row := range v.core.Ledger().Orders() {
			if !ours(row.ClientOrderID) || row.Status == "refused" {
				continue
			}
			of := all[row.ClientOrderID]
			if of == nil {
				of = &truth{exchange: exchange, account: row.Account, trades: map[string]decimal.Decimal{}}
				of.report = v.report(row.Account, row.ClientOrderID)
				all[row.ClientOrderID] = of
			}
			if row.ParentID == "" {
				of.placed++
			}
			for _, f := range row.Fills {
				of.trades[f.TradeID] = dec(f.Qty)
			}
		}
	}
	return all
}

// report is the venue's own view of an order, without any delay.
func (v *venue) report(customer, clientID string) venues.ExecutionReport {
	ref := simcore.OrderRef{ClientID: clientID}
	if c, err := v.core.Conditional(customer, ref); err == nil {
		return reportConditional(c)
	}
	o, err := v.core.Order(customer, "", ref)
	if err != nil {
		return venues.ExecutionReport{}
	}
	return reportOrder(o)
}

// numbered is the venue's own view of an order by its number, and the number of
// the stop that it was, if it was one.
func (v *venue) numbered(customer, number string) (venues.ExecutionReport, string) {
	id, _ := strconv.ParseInt(number, 10, 64)
	ref := simcore.OrderRef{ID: id}
	if c, err := v.core.Conditional(customer, ref); err == nil {
		return reportConditional(c), number
	}
	o, err := v.core.Order(customer, "", ref)
	if err != nil {
		return venues.ExecutionReport{}, number
	}
	if o.Parent != 0 {
		number = strconv.FormatInt(o.Parent, 10)
	}
	return reportOrder(o), number
}

// records lists everything that the store holds of a customer's orders, oldest
// first.
func (w *world) records(customer string) []persistence.OrderRecord {
	var list []persistence.OrderRecord
	q := persistence.OrderQuery{Customer: customer, View: persistence.OrdersAll, Limit: persistence.PageSizeMax}
	for {
		page, err := w.memory.Orders(context.Background(), q)
		if err != nil {
			w.t.Fatal(err)
		}
		list = append(list, page.Items...)
		if page.Next == nil {
			slices.Reverse(list)
			return list
		}
		q.After = page.Next
	}
}

func (w *world) fillsOf(customer, orderID string) []persistence.FillRecord {
	page, err := w.memory.Fills(context.Background(), persistence.FillQuery{Customer: customer, OrderID: orderID})
	if err != nil {
		w.t.Fatal(err)
	}
	return page.Items
}

func (w *world) journalOf(customer, orderID string) []persistence.JournalEntry {
	page, err := w.memory.Journal(context.Background(), persistence.JournalQuery{Customer: customer, Subject: orderID})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.SortFunc(page.Items, func(a, b persistence.JournalEntry) int { return int(a.Seq) - int(b.Seq) })
	return page.Items
}

func (w *world) events(customer string) []persistence.Event {
	var list []persistence.Event
	after := ""
	for {
		page, err := w.memory.Events(context.Background(), customer, after, persistence.PageSizeMax)
		if err != nil {
			w.t.Fatal(err)
		}
		list = append(list, page...)
		if len(page) < persistence.PageSizeMax {
			return list
		}
		after = page[len(page)-1].ID
	}
}

// openIDs are the customer's orders that work at the venues and that we know to
// be ours.
func (w *world) openIDs(op *operation) map[string]bool {
	open := map[string]bool{}
	if op.kind != "cancel_all" {
		return open
	}
	var ids []string
	core := w.venues[op.exchange].core
	for _, o := range core.OpenOrders(op.customer, "") {
		ids = append(ids, o.ClientID)
	}
	for _, c := range core.Conditionals(op.customer, func(c *simcore.Conditional) bool { return c.Open() }) {
		ids = append(ids, c.Request.ClientID)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, clientID := range ids {
		if id, known := w.byClient[clientID]; known && !w.orders[id].record.Status.IsClosed() {
			open[id] = true
		}
	}
	return open
}
