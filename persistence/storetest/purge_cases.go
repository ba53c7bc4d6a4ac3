package storetest

import (
	"fmt"

	"venuegate/persistence"
)

var purgeCases = []conformanceCase{
	{"older records are deleted, others stay", purgeByTime},
	{"a zero time keeps everything", purgeZeroRetention},
	{"orders, fills and the sequence stay", purgeKeepsOthers},
	{"a purged request id can be used again", purgeFreesRequest},
	{"ended sessions are purged, users stay", purgeSessions},
	{"settled deliveries are purged with events, final signals with the journal", purgeSettled},
}

func (h *harness) purge(before persistence.Retention) {
	h.Helper()
	if err := h.store.Purge(h.Context(), before); err != nil {
		h.Fatalf("Purge: %v", err)
	}
}

func (h *harness) fillLog(customer string, n int) {
	h.Helper()
	b := persistence.Batch{}
	for i := 1; i <= n; i++ {
		b.Puts = append(b.Puts, NewIdempotency(customer, fmt.Sprint("r", n-i), 1, i))
		b.Events = append(b.Events, NewEvent(i))
		b.Journal = append(b.Journal, NewJournal(i))
	}
	h.commit(customer, b)
}

// logCounts returns the numbers of remaining request ids, events and journal rows.
func (h *harness) logCounts(customer string, n int) [3]int {
	h.Helper()
	requests := 0
	for i := range n {
		if _, err := h.store.Idempotency(h.Context(), customer, persistence.ScopeREST, fmt.Sprint("r", i)); err == nil {
			requests++
		}
	}
	events := must[[]persistence.Event](h)(h.store.Events(h.Context(), customer, "", 0))
	return [3]int{requests, len(events), len(h.allJournal(persistence.JournalQuery{Customer: customer}))}
}

func purgeByTime(h *harness) {
	customers := []string{"alice", "bob", ""}
	h.fillLog("alice", 20)
	h.fillLog("bob", 20)
	h.commit("", persistence.Batch{Journal: []persistence.JournalEntry{NewJournal(1), NewJournal(19)}})
	h.purge(persistence.Retention{Idempotency: timeAt(5).Time, Events: timeAt(11).Time, Journal: timeAt(16).Time})
	for i, want := range [][3]int{{16, 10, 5}, {16, 10, 5}, {0, 0, 2}} {
		h.equal(fmt.Sprintf("left of %q", customers[i]), h.logCounts(customers[i], 20), want)
	}
	missing[[]persistence.Event](h)(h.store.Events(h.Context(), "alice", "evt_000010", 0))
	subject := h.allJournal(persistence.JournalQuery{Customer: "alice", Subject: "ord_000003"})
	h.equal("of a purged subject", len(subject), 0)
}

func purgeZeroRetention(h *harness) {
	h.fillLog("alice", 5)
	h.purge(persistence.Retention{})
	h.equal("left", h.logCounts("alice", 5), [3]int{5, 5, 5})
}

func purgeMany(h *harness) {
	const customers, rows = 3, 300
	for c := range customers {
		h.fillLog(fmt.Sprint("c", c), rows)
	}
	all := persistence.Retention{Idempotency: timeAt(rows).Time, Events: timeAt(rows).Time, Journal: timeAt(rows).Time}
	h.purge(all)
	for c := range customers {
		h.equal(fmt.Sprint("left of ", c), h.logCounts(fmt.Sprint("c", c), rows), [3]int{1, 1, 1})
	}
	h.purge(all)
}

func purgeKeepsOthers(h *harness) {
	h.put(NewOrder("alice", 1), NewFill("alice", 1), persistence.Customer{ID: "alice"})
	h.fillLog("alice", 5)
	late := timeAt(1 << 40).Time
	h.purge(persistence.Retention{Idempotency: late, Events: late, Journal: late})
	h.equal("left", h.logCounts("alice", 5), [3]int{})
	h.equal("orders", len(h.allOrders(persistence.OrderQuery{Customer: "alice"})), 1)
	h.equal("fills", len(h.allFills(persistence.FillQuery{Customer: "alice"})), 1)
	h.equal("customers", len(must[[]persistence.Customer](h)(h.store.Customers(h.Context()))), 1)
	h.equal("sequence", must[uint64](h)(h.store.LastSequence(h.Context(), "alice")), 5)
}

func purgeFreesRequest(h *harness) {
	r := NewIdempotency("alice", "r", 1, 1)
	b := persistence.Batch{Absent: []persistence.Key{r.Key()}, Puts: []persistence.Record{r}}
	h.commit("alice", b)
	h.purge(persistence.Retention{Idempotency: timeAt(2).Time})
	h.commit("alice", b)
}

func purgeSessions(h *harness) {
	h.put(NewUser("alice", 1), NewSession("user-1", 1), NewSession("user-1", 2), NewSession("user-1", 3))
	h.purge(persistence.Retention{Idempotency: timeAt(9).Time, Events: timeAt(9).Time, Journal: timeAt(9).Time})
	h.equal("sessions without a retention", len(must[[]persistence.Session](h)(h.store.Sessions(h.Context()))), 3)
	h.purge(persistence.Retention{Sessions: timeAt(2).Time})
	left := []persistence.Session{NewSession("user-1", 2), NewSession("user-1", 3)}
	h.equal("sessions", must[[]persistence.Session](h)(h.store.Sessions(h.Context())), left)
	h.equal("users", len(must[[]persistence.User](h)(h.store.Users(h.Context()))), 1)
}

func purgeSettled(h *harness) {
	h.put(NewChannel("alice", 1), NewEndpoint("alice", 1), NewAlert("alice", 1))
	h.put(persistence.EndpointCursor{Customer: "alice", Endpoint: "end_000001", Seq: 3})
	for i, status := range []persistence.DeliveryStatus{
		persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered, persistence.DeliveryDelivered,
	} {
		d := NewDelivery("alice", i)
		d.Status = status
		h.put(d)
	}
	for i, status := range []persistence.SignalStatus{
		persistence.SignalRunning, persistence.SignalDone, persistence.SignalTested, persistence.SignalExpired,
	} {
		s := NewSignal("alice", i)
		s.Status = status
		h.put(s)
	}
	all := func(what string, deliveries, signals []string) {
		h.Helper()
		h.equal("deliveries left "+what, h.allDeliveries(persistence.DeliveryQuery{Customer: "alice"}), deliveries)
		h.equal("signals left "+what, h.allSignals(persistence.SignalQuery{Customer: "alice"}), signals)
	}
	signals := []string{"sig_000003", "sig_000002", "sig_000001", "sig_000000"}
	h.purge(persistence.Retention{Events: timeAt(3).Time})
	left := []string{"end_000001/evt_000003", "end_000001/evt_000000"}
	all("by the events", left, signals)
	h.purge(persistence.Retention{Idempotency: timeAt(9).Time, Journal: timeAt(3).Time})
	all("by the journal", left, []string{"sig_000003", "sig_000000"})
	h.equal("pending", h.pending("alice", "end_000001", 0), []string{"evt_000000"})
	h.equal("undelivered", len(h.allDeliveries(persistence.DeliveryQuery{Customer: "alice", Status: persistence.DeliveryUndelivered})), 0)
	h.equal("unfinished", h.unfinishedSignals("alice", "hook_000001"), []string{"sig_000000"})
	missing[persistence.SignalRecord](h)(h.store.Signal(h.Context(), "alice", "sig_000001"))
	h.equal("channels", len(must[[]persistence.Channel](h)(h.store.Channels(h.Context(), "alice"))), 1)
	h.equal("endpoints", len(must[[]persistence.Endpoint](h)(h.store.Endpoints(h.Context(), "alice"))), 1)
	h.equal("alerts", len(must[[]persistence.Alert](h)(h.store.Alerts(h.Context(), "alice"))), 1)
	must[persistence.EndpointCursor](h)(h.store.EndpointCursor(h.Context(), "alice", "end_000001"))
}
