package registry

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// DeliveryStore reads deliveries.
type DeliveryStore interface {
	Deliveries(ctx context.Context, q persistence.DeliveryQuery) (persistence.Page[persistence.Delivery], error)
}

// Deliveries lists and resends the deliveries of endpoints.
type Deliveries struct {
	endpoints *Endpoints
	store     DeliveryStore
}

// Delivery is an event in the queue of an endpoint.
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

// ResendOrder is the request to deliver one event, or all undelivered events, again.
type ResendOrder struct {
	EventID string `json:"eventId"`
	All     bool   `json:"all"`
}

// Resent is the number of deliveries that were started again.
type Resent struct {
	Resent int `json:"resent"`
}

// List returns a page of the deliveries of an endpoint.
func (d *Deliveries) List(ctx context.Context, endpoint string, f DeliveryFilter) (Page[Delivery], error) {
	record, err := d.endpoints.read(ctx, endpoint)
	if err != nil {
		return Page[Delivery]{}, err
	}
	q := persistence.DeliveryQuery{Customer: record.Customer, Endpoint: record.ID, Status: f.Status, EventID: f.EventID}
	rows, next, err := readPage(f.Limit, f.Cursor, func(limit int, after *persistence.PagePosition) (persistence.Page[persistence.Delivery], error) {
		q.Limit, q.After = limit, after
		return d.store.Deliveries(ctx, q)
	})
	if err != nil {
		return Page[Delivery]{}, fmt.Errorf("list deliveries of %s: %w", endpoint, err)
	}
	page := Page[Delivery]{Items: make([]Delivery, len(rows)), NextCursor: next}
	for i, r := range rows {
		page.Items[i] = Delivery{
			EventID: r.EventID, Type: r.Type, Status: r.Status, Attempts: r.Attempts, DueAt: r.DueAt,
			CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, LastError: r.LastError,
		}
	}
	return page, nil
}

// Resend starts deliveries of an endpoint again. The event ids stay the same.
func (d *Deliveries) Resend(ctx context.Context, endpoint string, order ResendOrder) (Resent, error) {
	if (order.EventID != "") == order.All {
		return Resent{}, api.FieldError("eventId", api.RuleMissing, "", "either eventId or all")
	}
	e := d.endpoints
	record, err := e.read(ctx, endpoint)
	if err != nil {
		return Resent{}, err
	}
	resent := Resent{Resent: 1}
	if order.All {
		resent.Resent, err = e.service.ResendUndelivered(ctx, record.Customer, record.ID)
	} else {
		err = e.service.Resend(ctx, record.Customer, record.ID, order.EventID)
	}
	if err != nil {
		return Resent{}, fmt.Errorf("resend to %s: %w", endpoint, err)
	}
	e.audit.Lock()
	defer e.audit.Unlock()
	return resent, e.audit.commit(ctx, kindEndpoint, endpoint, []persistence.JournalField{
		field("action", "resend"), field("eventId", cmp.Or(order.EventID, "all")), field("resent", strconv.Itoa(resent.Resent)),
	})
}
