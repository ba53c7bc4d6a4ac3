package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/rest"
	"venuegate/venues"
)

func TestEvents(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	w.customer("cus_2")
	var events []persistence.Event
	for i := range 5 {
		events = append(events, persistence.Event{
			ID: fmt.Sprintf("evt_%d", i), Seq: uint64(i + 1), Type: persistence.EventOrderFilled, CreatedAt: venues.At(time.Now()),
			Data: []byte(fmt.Sprintf(`{"qty":"%d"}`, i)),
		})
	}
	w.commit("cus_1", persistence.Batch{Events: events})
	key := w.key("cus_1", persistence.ScopeRead)
	ids := func(query string) string {
		var list []string
		for _, e := range w.do(http.MethodGet, "/v1/events"+query, key, "").want(200).page().Items {
			list = append(list, e["id"].(string)+"="+e["data"].(map[string]any)["qty"].(string))
		}
		return strings.Join(list, " ")
	}
	for query, want := range map[string]string{
		"": "evt_0=0 evt_1=1 evt_2=2 evt_3=3 evt_4=4", "?limit=2": "evt_0=0 evt_1=1", "?after=evt_1&limit=2": "evt_2=2 evt_3=3", "?after=evt_4": "",
	} {
		if got := ids(query); got != want {
			t.Errorf("%s: events = %s, want %s", query, got, want)
		}
	}
	w.do(http.MethodGet, "/v1/events?after=evt_1", w.key("cus_2", persistence.ScopeRead), "").wantFieldErrors("after unknown_value")
}

// Notifications are for messaging channels only. They are not listed, and do not count
// towards the limit of a page.
func TestNotificationsAreNotListed(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	var events []persistence.Event
	for i := range 9 {
		kind := persistence.EventNotification
		if i%4 == 3 {
			kind = persistence.EventOrderFilled
		}
		events = append(events, persistence.Event{
			ID: fmt.Sprintf("evt_%d", i), Seq: uint64(i + 1), Type: kind, CreatedAt: venues.At(time.Now()), Data: []byte(`{}`),
		})
	}
	w.commit("cus_1", persistence.Batch{Events: events})
	key := w.key("cus_1", persistence.ScopeRead)
	for query, want := range map[string]string{
		"": "evt_3 evt_7", "?limit=1": "evt_3", "?limit=2": "evt_3 evt_7", "?after=evt_3&limit=1": "evt_7", "?after=evt_7": "",
	} {
		var list []string
		for _, e := range w.do(http.MethodGet, "/v1/events"+query, key, "").want(200).page().Items {
			list = append(list, e["id"].(string))
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s: events = %s, want %s", query, got, want)
		}
	}
	for after, want := range map[string]string{"": "evt_3 evt_7", "evt_3": "evt_7"} {
		for _, limit := range []string{"1", "2", "3"} {
			query := url.Values{"limit": {limit}}
			if after != "" {
				query.Set("after", after)
			}
			if got := strings.Join(w.walk("/v1/events", key, "id", query), " "); got != want {
				t.Errorf("pages of %s events after %q: events = %s, want %s", limit, after, got, want)
			}
		}
	}
}

// countedEvents counts the events that are read.
type countedEvents struct {
	*storetest.Memory
	read int
}

func (c *countedEvents) Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error) {
	events, err := c.Memory.Events(ctx, customer, after, limit)
	c.read += len(events)
	return events, err
}

func (c *countedEvents) EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error) {
	events, err := c.Memory.EventsSince(ctx, customer, seq, limit)
	c.read += len(events)
	return events, err
}

// A page skips a limited number of notifications. The next one continues after them, even
// if they have been removed by then.
func TestSkippedNotificationsAreBounded(t *testing.T) {
	records := &countedEvents{}
	w := newWorld(t, func(d *rest.Deps) {
		records.Memory = d.Records.(*storetest.Memory)
		d.Records = records
	})
	w.customer("cus_1")
	const notifications = 2*persistence.ScanRowsMax + 10
	now := time.Now()
	events := make([]persistence.Event, notifications+1)
	for i := range events {
		events[i] = persistence.Event{
			ID: fmt.Sprintf("evt_%d", i), Seq: uint64(i + 1), Type: persistence.EventNotification, CreatedAt: venues.At(now), Data: []byte(`{}`),
		}
		if i < persistence.ScanRowsMax { // those of the first page
			events[i].CreatedAt = venues.At(now.Add(-time.Hour))
		}
	}
	last := &events[notifications]
	last.Type = persistence.EventOrderFilled
	w.commit("cus_1", persistence.Batch{Events: events})

	key := w.key("cus_1", persistence.ScopeRead)
	query := url.Values{"limit": {"1"}}
	read := func() page {
		t.Helper()
		records.read = 0
		got := w.do(http.MethodGet, "/v1/events?"+query.Encode(), key, "").want(200).page()
		if records.read > persistence.ScanRowsMax+1 {
			t.Errorf("%d events were read for a page, want at most %d", records.read, persistence.ScanRowsMax+1)
		}
		return got
	}
	for range 2 {
		got := read()
		if len(got.Items) != 0 || got.NextCursor == nil {
			t.Fatalf("page = %v, want no events and a next page", got)
		}
		query.Set("cursor", *got.NextCursor)
		if err := w.store.Purge(t.Context(), persistence.Retention{Events: now.Add(-time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(); len(got.Items) != 1 || got.Items[0]["id"] != last.ID || got.NextCursor != nil {
		t.Errorf("last page = %v, want %s alone", got, last.ID)
	}
}
