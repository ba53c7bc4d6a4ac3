//go:build chaos

package chaos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// rule that can be violated; its text is its line in the report.
type rule string

const (
	ruleDuplicate rule = "duplicate orders at a venue (I-1)"
	ruleLost      rule = "accepted orders lost (I-2)"
	ruleDamaged   rule = "loss reported too late (I-4)"
	ruleVerdict   rule = "wrong verdicts (I-5)"
	ruleEvents    rule = "events missing, repeated or wrong (I-6)"
	ruleAgreement rule = "views that disagree (I-8)"
	ruleLate      rule = "signals executed late (I-3)"
	ruleTwice     rule = "signals executed twice (I-16)"
	ruleScope     rule = "responses beyond a key's scope (I-12)"
	ruleAnswers   rule = "responses that fit no sequence of events"
	ruleOpen      rule = "orders, signals or deliveries never resolved"
)

var rules = []rule{ruleDuplicate, ruleLost, ruleLate, ruleDamaged, ruleVerdict, ruleEvents, ruleAgreement, ruleScope, ruleTwice, ruleAnswers, ruleOpen}

// violation is one breach of a rule.
type violation struct {
	rule   rule
	detail string
}

// checker compares the four sources.
type checker struct {
	history *history
	truth
	byID map[string]*persistence.OrderRecord
	rows ledger
	// late are orders whose filled quantity was accepted before their fills.
	late   map[string]bool
	found  []violation
	exempt int
}

// check returns every violation, and how many orders were skipped because their venue
// has lost its state.
func check(w *world, know truth) (found []violation, exempt int) {
	h := w.history
	c := &checker{history: h, truth: know, byID: map[string]*persistence.OrderRecord{}, rows: indexLedger(know.ledger), late: map[string]bool{}}
	for _, e := range know.journal {
		if e.Kind == "order.fills_missing" {
			c.late[e.Subject] = true
		}
	}
	for i := range c.orders {
		c.byID[c.orders[i].OrderID] = &c.orders[i]
	}
	if c.integrity != nil {
		c.add(ruleLost, "the store after a clean stop: %v", c.integrity)
	}
	for _, what := range h.trespasses {
		c.add(ruleScope, "%s", what)
	}
	c.checkAnswers()
	c.checkVenues()
	c.checkOrders()
	c.checkViews()
	c.checkEvents()
	c.checkSignals(w.signals.all())
	paths := map[string]string{}
	for _, e := range w.endpoints {
		paths[e.ID] = e.path
	}
	c.checkDeliveries(w.receiver.posts(), paths)
	return c.found, c.exempt
}

func (c *checker) add(r rule, format string, args ...any) {
	c.found = append(c.found, violation{r, fmt.Sprintf(format, args...)})
}

// checkAnswers compares the responses that clients received with the store and the
// ledger.
func (c *checker) checkAnswers() {
	for orderID, requestID := range c.history.acknowledged() {
		if o, known := c.byID[orderID]; !known || o.RequestID != requestID {
			c.add(ruleLost, "order %s of request %s was acknowledged, the store has %v", orderID, requestID, o)
		}
	}
	made := map[string][]persistence.OrderRecord{}
	for _, o := range c.orders {
		if o.RequestID != "" {
			made[o.RequestID] = append(made[o.RequestID], o)
		}
	}
	for requestID, calls := range c.history.byRequest() {
		if fault := checkHistory(calls, made[requestID]); fault != "" {
			c.add(ruleAnswers, "%s: %s: %s", requestID, fault, describeCalls(calls))
		}
		for _, call := range calls {
			rows := c.rowsOf(call.orderID)
			if call.outcome == outcomeRefused && call.orderID != "" && len(rows) > 0 {
				c.add(ruleVerdict, "the client of %s received %d %s, the venue has %+v", requestID, call.status, call.code, rows)
			}
			if call.outcome == outcomeDuplicate && !call.sameBody {
				c.add(ruleAnswers, "the repeat of %s was treated as another body", requestID)
			}
		}
	}
}

func (c *checker) rowsOf(orderID string) []simcore.LedgerOrder {
	if o := c.byID[orderID]; o != nil {
		return c.rows.ours[keyOf(o.Exchange, orderID)]
	}
	return nil
}

func describeCalls(calls []op) string {
	var text strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&text, "\n  %s..%s %s %d %s %s %s", time.Duration(c.began), time.Duration(c.ended), c.outcome, c.status, c.code, c.orderID, c.orderStatus)
	}
	return text.String()
}

// checkVenues compares every order that a venue accepted with the store: it was
// requested, and once.
func (c *checker) checkVenues() {
	accepted := map[string][]string{}
	for key, rows := range c.rows.ours {
		if len(rows) > 1 {
			c.add(ruleDuplicate, "%s accepted %s %d times", key.venue, key.id, len(rows))
		}
		o := c.byID["ord_"+strings.ToUpper(key.id)]
		switch {
		case o == nil:
			c.add(ruleDuplicate, "%s has order %+v, which is not in the store", key.venue, rows[0])
		case o.RequestID != "":
			accepted[o.Scope+" "+o.RequestID] = append(accepted[o.Scope+" "+o.RequestID], o.OrderID)
		case o.Replaces == "" && o.Source != venues.SourceProtection && o.EntryOrderID == "":
			c.add(ruleDuplicate, "%s has order %s, whose request is not in the store", key.venue, o.OrderID)
		}
	}
	for requestID, orders := range accepted {
		if len(orders) > 1 && !c.anyForgotten(orders) {
			c.add(ruleDuplicate, "request %s placed %v", requestID, orders)
		}
	}
}

func (c *checker) anyForgotten(orders []string) bool {
	return slices.ContainsFunc(orders, func(id string) bool { return forgotten(c.rowsOf(id), c.lives) })
}

// checkOrders compares every order of the store with the ledger and its fills.
func (c *checker) checkOrders() {
	named := map[ledgerKey]string{}
	for i := range c.orders {
		o := &c.orders[i]
		view := viewOf(o)
		rows := c.rows.of(&view)
		if forgotten(rows, c.lives) {
			c.exempt++
			continue
		}
		name := ledgerKey{o.Exchange, o.VenueOrderID}
		if other := named[name]; other != "" && o.VenueOrderID != "" {
			c.add(ruleAgreement, "orders %s and %s are one order of %s: %+v", other, o.OrderID, o.Exchange, rows)
		}
		named[name] = o.OrderID
		switch fault := view.differs(rows); {
		case o.Status == venues.StatusRejected && len(rows) > 0:
			c.add(ruleVerdict, "order %s is rejected, the venue has %+v", o.OrderID, rows)
		case !view.settled():
			c.add(ruleOpen, "order %s is %s %s since %s: %+v", o.OrderID, o.Status, o.PendingAction, o.UpdatedAt, rows)
		case fault != "":
			c.add(ruleAgreement, "%s order %s of %s, source %s, %s: %s: %+v", o.Exchange, o.OrderID, o.CreatedAt, o.Source, o.Type, fault, rows)
		}
		c.checkFills(o, rows)
	}
}

func viewOf(o *persistence.OrderRecord) orderView {
	return orderView{
		OrderID: o.OrderID, RequestID: o.RequestID, Exchange: o.Exchange, Symbol: o.Symbol, Status: string(o.Status),
		PendingAction: string(o.PendingAction), Qty: venues.FormatDecimal(o.Qty), FilledQty: venues.FormatDecimal(o.FilledQty),
		VenueOrderID: o.VenueOrderID,
	}
}

// checkFills checks that quantity and fills agree exactly, and that each fill is one
// of the venue's.
func (c *checker) checkFills(o *persistence.OrderRecord, rows []simcore.LedgerOrder) {
	sum, seen := decimal.Zero, map[string]bool{}
	for _, f := range c.fills[o.OrderID] {
		sum = sum.Add(f.Qty)
		if seen[f.VenueTradeID] {
			c.add(ruleAgreement, "order %s has fill %s twice", o.OrderID, f.VenueTradeID)
		}
		seen[f.VenueTradeID] = true
	}
	if !sum.Equal(o.FilledQty) {
		c.add(ruleAgreement, "order %s is filled %s, its fills are %s", o.OrderID, o.FilledQty, sum)
	}
	for _, row := range rows {
		if row.Kind != kindConditional && len(row.Fills) != len(seen) {
			c.add(ruleAgreement, "order %s has %d fills in the store, %d at the venue", o.OrderID, len(seen), len(row.Fills))
		}
	}
}

// checkViews checks that REST returns the orders of the store.
func (c *checker) checkViews() {
	if len(c.shown) != len(c.orders) {
		c.add(ruleAgreement, "REST returns %d orders, the store has %d", len(c.shown), len(c.orders))
	}
	for _, shown := range c.shown {
		o, known := c.byID[shown.OrderID]
		if !known {
			c.add(ruleLost, "order %s was returned and is not in the store", shown.OrderID)
			continue
		}
		if stored := viewOf(o); stored != shown {
			c.add(ruleAgreement, "REST returns %+v, the store has %+v", shown, stored)
		}
	}
}

// checkEvents checks that each change has one event, and that the API returns the
// events of the store.
func (c *checker) checkEvents() {
	if !slices.EqualFunc(c.events, c.stored, func(a, b persistence.Event) bool { return a.ID == b.ID && a.Type == b.Type }) {
		c.add(ruleEvents, "the API returns %d events, the store has %d, or they differ", len(c.events), len(c.stored))
	}
	filled, partial, ids := map[string]int{}, map[string]bool{}, map[string]bool{}
	var last uint64
	for _, e := range c.stored {
		if ids[e.ID] || e.Seq <= last {
			c.add(ruleEvents, "event %s with number %d follows number %d, or is there twice", e.ID, e.Seq, last)
		}
		ids[e.ID], last = true, e.Seq
		var data struct {
			OrderID string `json:"orderId"`
			FillID  string `json:"fillId"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			c.add(ruleEvents, "event %s: %v", e.ID, err)
		}
		switch e.Type {
		case persistence.EventOrderFilled:
			filled[data.OrderID]++
		case persistence.EventOrderPartiallyFilled:
			if partial[data.FillID] {
				c.add(ruleEvents, "fill %s has two events", data.FillID)
			}
			partial[data.FillID] = true
		default:
		}
	}
	for i := range c.orders {
		c.checkEventsOf(&c.orders[i], filled[c.orders[i].OrderID], partial)
	}
}

// checkEventsOf checks the events of one order: order.filled once, and one event for
// every fill that left it partially filled.
func (c *checker) checkEventsOf(o *persistence.OrderRecord, filled int, partial map[string]bool) {
	expected := 0
	if o.Status == venues.StatusFilled {
		expected = 1
	}
	if filled != expected {
		c.add(ruleEvents, "order %s is %s and has %d events of being filled", o.OrderID, o.Status, filled)
	}
	fills := c.fills[o.OrderID]
	if o.Status == venues.StatusFilled || c.late[o.OrderID] {
		// The fill that completed the order has no event of its own; which fill it was
		// depends on the order in which they arrived.
		missing := 0
		for _, f := range fills {
			if !partial[f.FillID] {
				missing++
			}
		}
		if missing > 1 && !c.late[o.OrderID] {
			c.add(ruleEvents, "%d fills of order %s have no event", missing, o.OrderID)
		}
		return
	}
	for _, f := range fills {
		if !partial[f.FillID] {
			c.add(ruleEvents, "fill %s of order %s has no event", f.FillID, o.OrderID)
		}
	}
}

// resolveTimes are the durations for which outcomes were unknown, including restarts.
func resolveTimes(journal []persistence.JournalEntry) []time.Duration {
	took, _ := resolutions(journal)
	return took
}

// slowMax is the duration above which a resolution is reported separately; confirming
// absence takes half a minute.
const slowMax = 90 * time.Second

// resolutions returns the durations, and the orders that took longer than slowMax.
func resolutions(journal []persistence.JournalEntry) (took []time.Duration, slow []string) {
	rows := slices.Clone(journal)
	slices.SortFunc(rows, func(a, b persistence.JournalEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	since := map[string]time.Time{}
	for _, e := range rows {
		if e.Kind != "order.status" {
			continue
		}
		field := func(name string) string {
			i := slices.IndexFunc(e.Fields, func(f persistence.JournalField) bool { return f.Name == name })
			if i < 0 {
				return ""
			}
			return e.Fields[i].Value
		}
		if field("from") == string(venues.StatusUnknown) && !since[e.Subject].IsZero() {
			d := e.At.Sub(since[e.Subject])
			if took = append(took, d); d > slowMax {
				slow = append(slow, fmt.Sprintf("%s unknown from %s, %s after %s", e.Subject, since[e.Subject], field("to"), d))
			}
		}
		if field("to") == string(venues.StatusUnknown) {
			since[e.Subject] = e.At.Time
		}
	}
	return took, slow
}
