package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// queued puts deliveries of one type to alice's endpoint, evt_0 the newest and a minute
// between them.
func (in *installation) queued(t *testing.T, now time.Time, statuses ...persistence.DeliveryStatus) {
	t.Helper()
	for i, status := range statuses {
		d := persistence.Delivery{
			Customer: in.alice, Endpoint: in.endpoint, EventID: fmt.Sprintf("evt_q%d", i), EventSeq: uint64(i), Type: persistence.EventAlertFired,
			Status: status, CreatedAt: venues.At(now.Add(-time.Duration(i) * time.Minute)), LastMS: 100 * (i + 1), LastCode: 200,
		}
		if status != persistence.DeliveryDelivered {
			d.LastCode, d.LastError = 503, "answered 503"
		}
		if status == persistence.DeliveryPending {
			d.DueAt, d.LastCode, d.LastError = venues.At(now.Add(time.Minute)), 0, "no answer within 10 s"
		}
		if err := in.service.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDeliveriesOfAllEndpointsAreFiltered(t *testing.T) {
	in, ctx, now := newInstallation(t), t.Context(), time.Now().Truncate(time.Millisecond)
	in.queued(t, now.Add(-time.Hour), persistence.DeliveryDelivered, persistence.DeliveryUndelivered, persistence.DeliveryPending)
	for name, tt := range map[string]struct {
		filter registry.DeliveryFilter
		want   []string
	}{
		"all":             {registry.DeliveryFilter{}, []string{"evt_1", "evt_q0", "evt_q1", "evt_q2"}},
		"of an endpoint":  {registry.DeliveryFilter{Endpoint: in.endpoint, Type: persistence.EventOrderFilled}, []string{"evt_1"}},
		"of another one":  {registry.DeliveryFilter{Endpoint: in.file}, nil},
		"by status":       {registry.DeliveryFilter{Status: persistence.DeliveryUndelivered}, []string{"evt_1", "evt_q1"}},
		"by type":         {registry.DeliveryFilter{Type: persistence.EventAlertFired}, []string{"evt_q0", "evt_q1", "evt_q2"}},
		"by code":         {registry.DeliveryFilter{Code: "503"}, []string{"evt_q1"}},
		"by class":        {registry.DeliveryFilter{Code: "2xx"}, []string{"evt_q0"}},
		"without answer":  {registry.DeliveryFilter{Code: "none"}, []string{"evt_q2"}},
		"since":           {registry.DeliveryFilter{From: now.Add(-time.Hour - 90*time.Second)}, []string{"evt_1", "evt_q0", "evt_q1"}},
		"up to":           {registry.DeliveryFilter{To: now.Add(-time.Hour)}, []string{"evt_q1", "evt_q2"}},
		"of the customer": {registry.DeliveryFilter{Customer: in.alice, Limit: 1}, []string{"evt_1"}},
	} {
		page, err := in.For(in.alice, registry.Author{}).Deliveries.List(ctx, tt.filter)
		var got []string
		for _, d := range page.Items {
			got = append(got, d.EventID)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: events = %q, %v, want %q", name, got, err, tt.want)
		}
	}
	for _, code := range []string{"5", "xx", "5x", "0xx", "-50", "5000", "abc"} {
		if _, err := in.Deliveries.List(ctx, registry.DeliveryFilter{Customer: in.alice, Code: code}); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("code %s: error %v, want %s", code, err, venues.CodeInvalidRequest)
		}
	}
	if _, err := in.Deliveries.List(ctx, registry.DeliveryFilter{}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("deliveries of no customer: error %v, want %s", err, venues.CodeInvalidRequest)
	}
	if _, err := in.Deliveries.List(ctx, registry.DeliveryFilter{Customer: in.bob, Endpoint: in.endpoint}); venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("deliveries of another customer's endpoint: error %v, want %s", err, venues.CodeNotFound)
	}
}

func TestDeliveryHasBodyAndAttempts(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	at := venues.At(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC))
	row := func(n int, kind, result string, fields ...string) persistence.JournalEntry {
		e := persistence.JournalEntry{ID: fmt.Sprint("jrn_", n), Seq: uint64(n), At: venues.At(at.Add(time.Duration(n) * time.Second)), Kind: kind, Subject: "evt_1", Channel: in.endpoint, Result: result}
		for i := 0; i < len(fields); i += 2 {
			e.Fields = append(e.Fields, persistence.JournalField{Name: fields[i], Value: fields[i+1]})
		}
		return e
	}
	foreign := row(9, "delivery.attempt", "failed")
	foreign.Channel = in.file
	batch := persistence.Batch{
		Fence:  made(in.store.TakeOwnership(ctx, in.alice)),
		Events: []persistence.Event{{ID: "evt_1", Seq: 1, Type: persistence.EventOrderFilled, CreatedAt: at, Data: []byte(`{"orderId":"ord_1"}`)}},
		Journal: []persistence.JournalEntry{
			row(2, "delivery.attempt", "failed", "type", "order.filled", "attempt", "1", "durationMs", "1204", "status", "503", "error", "answered 503", "answer", "<b>busy</b>", "nextAt", "2026-11-20T09:00:12.000Z"),
			row(3, "delivery.undelivered", "undelivered", "attempts", "5", "error", "answered 503"),
			row(4, "delivery.resent", "pending"),
			row(5, "delivery.delivered", "delivered", "attempt", "1", "durationMs", "7", "status", "200"),
			foreign,
		},
	}
	if err := in.store.Commit(ctx, batch); err != nil {
		t.Fatal(err)
	}
	view := in.For(in.alice, registry.Author{})
	detail, err := view.Deliveries.Get(ctx, in.endpoint, "evt_1")
	want := `{"id":"evt_1","type":"order.filled","createdAt":"2026-11-20T09:00:00.000Z","data":{"orderId":"ord_1"}}`
	if err != nil || detail.Body == nil || *detail.Body != want || detail.Status != persistence.DeliveryUndelivered {
		t.Errorf("delivery = %+v, %v, want undelivered with the body %s", detail, err, want)
	}
	attempts := made(view.Deliveries.Attempts(ctx, in.endpoint, "evt_1", registry.PageRequest{}))
	wantAttempts := []registry.Attempt{
		{At: venues.At(at.Add(5 * time.Second)), Result: "delivered", Number: 1, Status: 200, DurationMS: 7},
		{At: venues.At(at.Add(4 * time.Second)), Result: "resent"},
		{At: venues.At(at.Add(3 * time.Second)), Result: "undelivered", Error: "answered 503"},
		{At: venues.At(at.Add(2 * time.Second)), Result: "failed", Number: 1, Status: 503, DurationMS: 1204, Answer: "<b>busy</b>", Error: "answered 503", NextAt: venues.At(at.Add(12 * time.Second))},
	}
	if fmt.Sprint(attempts.Items) != fmt.Sprint(wantAttempts) || attempts.NextCursor != nil {
		t.Errorf("attempts = %+v, want %+v", attempts.Items, wantAttempts)
	}
	first := made(view.Deliveries.Attempts(ctx, in.endpoint, "evt_1", registry.PageRequest{Limit: 3}))
	rest := made(view.Deliveries.Attempts(ctx, in.endpoint, "evt_1", registry.PageRequest{Limit: 3, Cursor: *first.NextCursor}))
	if len(first.Items) != 3 || len(rest.Items) != 1 || rest.Items[0].Number != 1 {
		t.Errorf("pages = %+v and %+v, want 3 attempts and the first one", first.Items, rest.Items)
	}
	endpoints := made(in.store.Endpoints(ctx, in.alice))
	removed := endpoints[slices.IndexFunc(endpoints, func(e persistence.Endpoint) bool { return e.ID == in.endpoint })]
	removed.RemovedAt = at
	if err := in.store.Commit(ctx, persistence.Batch{Fence: batch.Fence, Puts: []persistence.Record{removed}}); err != nil {
		t.Fatal(err)
	}
	if detail, err = view.Deliveries.Get(ctx, in.endpoint, "evt_1"); err != nil || detail.Body == nil {
		t.Errorf("delivery to a removed endpoint = %+v, %v, want it with its body", detail, err)
	}
	for name, get := range map[string]func() error{
		"delivery": func() error { return done(view.Deliveries.Get(ctx, in.endpoint, "evt_2")) },
		"attempts": func() error { return done(view.Deliveries.Attempts(ctx, in.file, "evt_1", registry.PageRequest{})) },
	} {
		if err := get(); venues.CodeOf(err) != venues.CodeNotFound {
			t.Errorf("%s that does not exist: error %v, want %s", name, err, venues.CodeNotFound)
		}
	}
}

func TestSelectionIsResentWholeOrNotAtAll(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	in.queued(t, time.Now(), persistence.DeliveryUndelivered, persistence.DeliveryUndelivered)
	resend := func(order registry.ResendOrder) (registry.Resent, error) {
		in.service.Calls = nil
		return in.For(in.alice, registry.Author{}).Deliveries.Resend(ctx, in.endpoint, order)
	}
	got, err := resend(registry.ResendOrder{EventIDs: []string{"evt_q1", "evt_q0", "evt_q1"}})
	want := []string{"resend evt_q0 to " + in.endpoint + " " + in.alice + ":", "resend evt_q1 to " + in.endpoint + " " + in.alice + ":"}
	if err != nil || got.Resent != 2 || !slices.Equal(in.service.Calls, want) {
		t.Errorf("resent = %+v, %v by %q, want 2 by %q", got, err, in.service.Calls, want)
	}
	if _, err := resend(registry.ResendOrder{EventIDs: []string{"evt_q0", "evt_unknown"}}); venues.CodeOf(err) != venues.CodeNotFound || len(in.service.Calls) != 0 {
		t.Errorf("resend with an unknown event: error %v after %q, want %s and no call", err, in.service.Calls, venues.CodeNotFound)
	}
	since := venues.At(time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC))
	if _, err := resend(registry.ResendOrder{UndeliveredSince: since}); err != nil || !strings.HasPrefix(strings.Join(in.service.Calls, ","), "resend since 2026-11-20T18:00:00Z to ") {
		t.Errorf("resend since a time: error %v by %q, want none by one call since 18:00", err, in.service.Calls)
	}
	for _, order := range []registry.ResendOrder{{}, {All: true, UndeliveredSince: since}, {EventID: "evt_q0", EventIDs: []string{"evt_q1"}}, {EventIDs: make([]string, 101)}} {
		if _, err := resend(order); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("resend of %+v: error %v, want %s", order, err, venues.CodeInvalidRequest)
		}
	}
}

func TestStatsOfAnEndpoint(t *testing.T) {
	in := newInstallation(t)
	stats := func() registry.EndpointStats {
		return made(in.For(in.alice, registry.Author{}).Deliveries.Stats(context.Background(), in.endpoint))
	}
	empty := made(in.Deliveries.Stats(t.Context(), in.file))
	if empty.P50MS != nil || len(empty.Hours) != 24 || !empty.Complete || empty.Waiting != 0 || !empty.OldestDueAt.IsZero() {
		t.Errorf("numbers without deliveries = %+v, want 24 empty hours and no duration", empty)
	}
	now := time.Now()
	in.queued(t, now, persistence.DeliveryDelivered, persistence.DeliveryDelivered, persistence.DeliveryDelivered, persistence.DeliveryPending, persistence.DeliveryUndelivered)
	in.queued(t, now.Add(-25*time.Hour), persistence.DeliveryDelivered) // evt_q0 again, before the period
	s := stats()
	if s.Delivered != 2 || s.Undelivered != 2 || s.Pending != 1 || s.Waiting != 1 || s.OldestDueAt.IsZero() || !s.Complete {
		t.Errorf("numbers = %+v, want 2 delivered, 2 undelivered, 1 pending", s)
	}
	if s.P50MS == nil || *s.P50MS != 300 || *s.P95MS != 500 {
		t.Errorf("durations = %v and %v, want 300 and 500 ms", s.P50MS, s.P95MS)
	}
	sum := registry.EndpointHour{}
	for _, h := range s.Hours {
		sum.Delivered, sum.Undelivered, sum.Pending = sum.Delivered+h.Delivered, sum.Undelivered+h.Undelivered, sum.Pending+h.Pending
	}
	if sum.Delivered != 2 || sum.Undelivered != 2 || sum.Pending != 1 {
		t.Errorf("sum of the hours = %+v, want that of the period", sum)
	}
}
