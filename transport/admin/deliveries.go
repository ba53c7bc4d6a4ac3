package admin

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// Delivery is one event on its way to an endpoint.
type Delivery struct {
	EventID   string                     `json:"eventId"`
	Type      persistence.EventType      `json:"type"`
	Status    persistence.DeliveryStatus `json:"status"`
	Attempts  int                        `json:"attempts"`
	DueAt     venues.Time                `json:"dueAt"`
	CreatedAt venues.Time                `json:"createdAt"`
	UpdatedAt venues.Time                `json:"updatedAt"`
	LastError string                     `json:"lastError"`
}

// DeliveryFilter selects deliveries of an endpoint, newest first. Zero members do
// not filter.
type DeliveryFilter struct {
	Status  persistence.DeliveryStatus
	EventID string
	Limit   int
	Cursor  string
}

// ResendOrder names the event to deliver anew, or all that are undelivered.
type ResendOrder struct {
	EventID string `json:"eventId"`
	All     bool   `json:"all"`
}

// Resent says how many deliveries begin anew.
type Resent struct {
	Resent int `json:"resent"`
}

// Tested is what the attempt to deliver a test event came to.
type Tested struct {
	EventID    string `json:"eventId"`
	Delivered  bool   `json:"delivered"`
	Status     int    `json:"status"`
	DurationMS int64  `json:"durationMs"`
	Answer     string `json:"answer"`
	Error      string `json:"error"`
}

// EndpointTest is the directory's report of a test event.
type EndpointTest struct {
	EventID string
	Attempt persistence.Attempt
	Took    time.Duration
}

// Deliveries lists an endpoint's.
func (r *Registry) Deliveries(ctx context.Context, id string, f DeliveryFilter) (Page[Delivery], error) {
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return Page[Delivery]{}, err
	}
	q := persistence.DeliveryQuery{Customer: record.Customer, Endpoint: record.ID, Status: f.Status, EventID: f.EventID}
	rows, next, err := gather(f.Limit, f.Cursor, func(limit int, after *persistence.Position) (persistence.Page[persistence.Delivery], error) {
		q.Limit, q.After = limit, after
		return r.Store.Deliveries(ctx, q)
	})
	if err != nil {
		return Page[Delivery]{}, fmt.Errorf("list deliveries of %s: %w", id, err)
	}
	page := Page[Delivery]{Items: make([]Delivery, len(rows)), NextCursor: next}
	for i, d := range rows {
		page.Items[i] = Delivery{
			EventID: d.EventID, Type: d.Type, Status: d.Status, Attempts: d.Attempts, DueAt: d.DueAt,
			CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, LastError: d.LastError,
		}
	}
	return page, nil
}

// Resend begins deliveries anew, under the same event ids.
func (r *Registry) Resend(ctx context.Context, id string, order ResendOrder) (Resent, error) {
	if (order.EventID != "") == order.All {
		return Resent{}, api.Fault("eventId", api.RuleMissing, "", "either eventId or all")
	}
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return Resent{}, err
	}
	resent := Resent{Resent: 1}
	if order.All {
		resent.Resent, err = r.Directory.ResendUndelivered(ctx, record.Customer, record.ID)
	} else {
		err = r.Directory.Resend(ctx, record.Customer, record.ID, order.EventID)
	}
	if err != nil {
		return Resent{}, fmt.Errorf("resend to %s: %w", id, err)
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	return resent, r.commit(ctx, kindEndpoint, id, []persistence.JournalField{
		field("action", "resend"), field("eventId", cmp.Or(order.EventID, "all")), field("resent", strconv.Itoa(resent.Resent)),
	})
}

// TestEndpoint sends a test event, once and now.
func (r *Registry) TestEndpoint(ctx context.Context, id string) (Tested, error) {
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return Tested{}, err
	}
	t, err := r.Directory.TestEndpoint(ctx, record.Customer, record.ID)
	if err != nil {
		return Tested{}, fmt.Errorf("test endpoint %s: %w", id, err)
	}
	tested := Tested{
		EventID: t.EventID, Delivered: t.Attempt.Err == nil, Status: t.Attempt.Code,
		DurationMS: t.Took.Milliseconds(), Answer: string([]rune(string(t.Attempt.Answer))),
	}
	if t.Attempt.Err != nil {
		tested.Error = t.Attempt.Err.Error()
	}
	return tested, nil
}
