package storetest

import (
	"fmt"
	"slices"
	"strings"

	"venuegate/persistence"
)

var deliveryCases = []conformanceCase{
	{"endpoints", deliveryEndpoints},
	{"a cursor advances", deliveryCursor},
	{"events since a sequence", deliveryEvents},
	{"pending deliveries by due time", deliveryPending},
	{"pages and filters", deliveryPages},
}

type deliveryPage = persistence.Page[persistence.Delivery]

func deliveryEndpoints(h *harness) {
	first, second := NewEndpoint("alice", 1), NewEndpoint("alice", 2)
	h.put(second, first, NewEndpoint("bob", 3))
	second.Disabled, second.Next, second.NextFrom = "410", []byte{4}, timeAt(7)
	h.put(second)
	got := must[[]persistence.Endpoint](h)(h.store.Endpoints(h.Context(), "alice"))
	h.equal("endpoints by id", got, []persistence.Endpoint{first, second})
}

func deliveryCursor(h *harness) {
	missing[persistence.EndpointCursor](h)(h.store.EndpointCursor(h.Context(), "alice", "end_1"))
	for seq := range uint64(3) {
		c := persistence.EndpointCursor{Customer: "alice", Endpoint: "end_1", Seq: seq, Event: fmt.Sprint("evt_", seq)}
		h.put(c)
		h.equal("cursor", must[persistence.EndpointCursor](h)(h.store.EndpointCursor(h.Context(), "alice", "end_1")), c)
	}
	missing[persistence.EndpointCursor](h)(h.store.EndpointCursor(h.Context(), "alice", "end_2"))
	missing[persistence.EndpointCursor](h)(h.store.EndpointCursor(h.Context(), "bob", "end_1"))
}

func deliveryEvents(h *harness) {
	h.putEvents("alice", 3, 4, 300, 70_000)
	h.putEvents("bob", 5)
	since := func(seq uint64, limit int) []string {
		return eventIDs(must[[]persistence.Event](h)(h.store.EventsSince(h.Context(), "alice", seq, limit)))
	}
	all := []string{"evt_000003", "evt_000004", "evt_000300", "evt_070000"}
	h.equal("from the first", since(0, 0), all)
	h.equal("before the first", since(2, 2), all[:2])
	h.equal("after the second", since(4, 10), all[2:])
	h.equal("in a gap", since(5, 1), all[2:3])
	h.equal("after the last", since(70_000, 10), []string{})
	h.equal("after the highest number", since(1<<64-1, 10), []string{})
	h.equal("event", must[persistence.Event](h)(h.store.Event(h.Context(), "alice", "evt_000300")), NewEvent(300))
	missing[persistence.Event](h)(h.store.Event(h.Context(), "alice", "evt_000005"))
	missing[persistence.Event](h)(h.store.Event(h.Context(), "alice", ""))
}

func (h *harness) pending(customer, endpoint string, limit int) []string {
	h.Helper()
	due := must[[]persistence.Delivery](h)(h.store.PendingDeliveries(h.Context(), customer, endpoint, limit))
	ids := make([]string, 0, len(due))
	for _, d := range due {
		ids = append(ids, d.EventID)
	}
	return ids
}

func deliveryPending(h *harness) {
	for i := 1; i <= 4; i++ {
		d := NewDelivery("alice", i)
		d.DueAt = timeAt(10 - i)
		h.put(d)
	}
	other := NewDelivery("alice", 5)
	other.Endpoint = "end_00000"
	h.put(other)
	h.equal("by due time", h.pending("alice", "end_000001", 0), []string{"evt_000004", "evt_000003", "evt_000002", "evt_000001"})
	h.equal("the first", h.pending("alice", "end_000001", 1), []string{"evt_000004"})
	late, done, failed := NewDelivery("alice", 4), NewDelivery("alice", 3), NewDelivery("alice", 2)
	late.DueAt, late.Attempts, late.LastError = timeAt(90), 1, "reset"
	done.Status, failed.Status = persistence.DeliveryDelivered, persistence.DeliveryUndelivered
	h.put(late, done, failed)
	h.equal("after attempts", h.pending("alice", "end_000001", 0), []string{"evt_000001", "evt_000004"})
	h.put(NewDelivery("alice", 2))
	h.equal("after a resend", h.pending("alice", "end_000001", 0), []string{"evt_000002", "evt_000001", "evt_000004"})
	h.equal("of another endpoint", h.pending("alice", "end_00000", 0), []string{"evt_000005"})
	h.equal("of another customer", len(h.pending("bob", "end_000001", 0)), 0)
}

func (h *harness) allDeliveries(q persistence.DeliveryQuery) []string {
	h.Helper()
	return allIDs(h, func(r persistence.Delivery) string { return r.Key().ID }, func(after *persistence.PagePosition) (deliveryPage, error) {
		q.After = after
		return h.store.Deliveries(h.Context(), q)
	})
}

// deliveryPages puts each delivery as pending first, so that stale index rows would be
// found.
func deliveryPages(h *harness) {
	statuses := []persistence.DeliveryStatus{persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered}
	const events, endpoints = 8, 3
	deliveries := make([]persistence.Delivery, 0, events*endpoints)
	for i := range events {
		for endpoint := range endpoints {
			d := NewDelivery("alice", i)
			d.Endpoint, d.CreatedAt = fmt.Sprintf("end_%d", endpoint), timeAt(i/2)
			h.put(d)
			d.Status = statuses[(i+endpoint)%3]
			d.Type = []persistence.EventType{persistence.EventOrderFilled, persistence.EventAlertFired}[i%2]
			d.LastCode, d.LastMS = []int{0, 200, 404, 503}[i%4], i
			if i == 4 {
				d.LastError = "no answer"
			}
			h.put(d)
			deliveries = append(deliveries, d)
		}
	}
	slices.SortFunc(deliveries, func(a, b persistence.Delivery) int {
		if c := b.CreatedAt.Compare(a.CreatedAt.Time); c != 0 {
			return c
		}
		return strings.Compare(b.Key().ID, a.Key().ID)
	})
	h.put(NewDelivery("bob", 1))
	for _, q := range []persistence.DeliveryQuery{
		{},
		{Endpoint: "end_1"},
		{Endpoint: "end"},
		{EventID: "evt_000003"},
		{EventID: "evt_000003", Endpoint: "end_2"},
		{EventID: "evt_000003", Status: persistence.DeliveryPending},
		{Status: persistence.DeliveryPending},
		{Status: persistence.DeliveryDelivered, Endpoint: "end_0"},
		{Status: persistence.DeliveryUndelivered},
		{Status: persistence.DeliveryUndelivered, Endpoint: "end_0"},
		{Type: persistence.EventAlertFired},
		{Type: persistence.EventNotification},
		{CodeMin: 404, CodeMax: 404},
		{CodeMin: 400, CodeMax: 599, Endpoint: "end_1"},
		{NoResponse: true},
		{From: timeAt(2).Time},
		{To: timeAt(2).Time, Status: persistence.DeliveryUndelivered},
		{From: timeAt(1).Time, To: timeAt(3).Time, Endpoint: "end_1"},
		{From: timeAt(1).Time, EventID: "evt_000003"},
		{From: timeAt(9).Time},
	} {
		var want []string
		for _, d := range deliveries {
			if (q.Endpoint == "" || q.Endpoint == d.Endpoint) && (q.EventID == "" || q.EventID == d.EventID) &&
				(q.Status == "" || q.Status == d.Status) && (q.Type == "" || q.Type == d.Type) &&
				(q.CodeMax == 0 || d.LastCode >= q.CodeMin && d.LastCode <= q.CodeMax) && (!q.NoResponse || d.LastError != "") &&
				(q.From.IsZero() || !d.CreatedAt.Before(q.From)) && (q.To.IsZero() || d.CreatedAt.Before(q.To)) {
				want = append(want, d.Key().ID)
			}
		}
		q.Customer = "alice"
		for _, q.Limit = range []int{0, 1, 3, 5} {
			h.equal(fmt.Sprintf("%+v", q), h.allDeliveries(q), want)
		}
	}
}
