package registry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// DeliveryStore reads deliveries with their events and attempts.
type DeliveryStore interface {
	JournalStore
	Deliveries(ctx context.Context, q persistence.DeliveryQuery) (persistence.Page[persistence.Delivery], error)
	PendingDeliveries(ctx context.Context, customer, endpoint string, limit int) ([]persistence.Delivery, error)
	Event(ctx context.Context, customer, id string) (persistence.Event, error)
}

// Deliveries lists and resends the deliveries of endpoints.
type Deliveries struct {
	endpoints *Endpoints
	store     DeliveryStore
}

// Delivery is an event in the queue of an endpoint.
type Delivery struct {
	Endpoint  string                     `json:"endpoint"`
	EventID   string                     `json:"eventId"`
	Type      persistence.EventType      `json:"type"`
	Status    persistence.DeliveryStatus `json:"status"`
	Attempts  int                        `json:"attempts"`
	DueAt     venues.Time                `json:"dueAt"`
	CreatedAt venues.Time                `json:"createdAt"`
	UpdatedAt venues.Time                `json:"updatedAt"`
	LastError string                     `json:"lastError"`
	// LastCode and LastMS are the status and the duration of the last attempt; see
	// persistence.Delivery.
	LastCode int `json:"lastCode"`
	LastMS   int `json:"lastMs"`
}

// DeliveryDetail is a delivery with what is sent.
type DeliveryDetail struct {
	Delivery
	// Body has the bytes of the request to a webhook, which are the same in every attempt.
	// It is nil for other kinds, and once the event has been purged.
	Body *string `json:"body"`
}

// Values of DeliveryFilter.Code apart from a status such as 503.
const (
	codeNone        = "none" // no response
	codeClassSuffix = "xx"   // 5xx
)

// DeliveryFilter selects deliveries, newest first. Zero members do not filter; From is
// inclusive, To exclusive. An empty Endpoint is every endpoint of Customer, or of the
// customer of the view.
type DeliveryFilter struct {
	Customer, Endpoint string

	Status  persistence.DeliveryStatus
	EventID string
	Type    persistence.EventType
	// Code is the status of the last attempt (503), a class of them (5xx), or none.
	Code     string
	From, To time.Time
	Limit    int
	Cursor   string
}

// List returns a page of deliveries.
func (d *Deliveries) List(ctx context.Context, f DeliveryFilter) (Page[Delivery], error) {
	q, err := d.query(ctx, f)
	if err != nil {
		return Page[Delivery]{}, err
	}
	rows, next, err := readPage(f.Limit, f.Cursor, func(limit int, after *persistence.PagePosition) (persistence.Page[persistence.Delivery], error) {
		q.Limit, q.After = limit, after
		return d.store.Deliveries(ctx, q)
	})
	if err != nil {
		return Page[Delivery]{}, fmt.Errorf("list deliveries of %s: %w", q.Customer, err)
	}
	page := Page[Delivery]{Items: make([]Delivery, len(rows)), NextCursor: next}
	for i := range rows {
		page.Items[i] = deliveryOf(&rows[i])
	}
	return page, nil
}

// query returns the query of a filter.
func (d *Deliveries) query(ctx context.Context, f DeliveryFilter) (persistence.DeliveryQuery, error) {
	q := persistence.DeliveryQuery{Endpoint: f.Endpoint, Status: f.Status, EventID: f.EventID, Type: f.Type, From: f.From, To: f.To}
	if err := setCodes(&q, f.Code); err != nil {
		return q, err
	}
	if f.Endpoint != "" {
		record, err := d.endpoints.readAny(ctx, f.Endpoint)
		if err == nil && f.Customer != "" && f.Customer != record.Customer {
			err = notFound(persistence.ErrNotFound)
		}
		q.Customer = record.Customer
		return q, err
	}
	customer, err := d.endpoints.resolve(f.Customer)
	switch {
	case err != nil:
		return q, err
	case customer == "":
		return q, api.FieldError("customer", api.RuleMissing, "", "a customer or an endpoint")
	}
	q.Customer = customer
	return q, d.endpoints.check(ctx, customer)
}

// setCodes sets the filter by the status of the last attempt.
func setCodes(q *persistence.DeliveryQuery, code string) error {
	const class = 100
	if code == "" {
		return nil
	}
	if code == codeNone {
		q.NoResponse = true
		return nil
	}
	digits, isClass := strings.CutSuffix(code, codeClassSuffix)
	n, err := strconv.ParseUint(digits, 10, 16)
	q.CodeMin, q.CodeMax = int(n), int(n)
	if isClass {
		q.CodeMin, q.CodeMax = int(n)*class, int(n)*class+class-1
	}
	if err != nil || len(code) != len("503") || q.CodeMin < class {
		return api.FieldError("code", api.RuleMalformed, "", "a status such as 503, a class such as 5xx, or none")
	}
	return nil
}

// Get returns a delivery with what is sent.
func (d *Deliveries) Get(ctx context.Context, endpoint, event string) (DeliveryDetail, error) {
	to, record, err := d.read(ctx, endpoint, event)
	if err != nil {
		return DeliveryDetail{}, err
	}
	detail := DeliveryDetail{Delivery: deliveryOf(&record)}
	if to.Kind != persistence.EndpointWebhook {
		return detail, nil
	}
	sent, err := d.store.Event(ctx, record.Customer, event)
	switch err = notFound(err); {
	case err == nil:
		body := string(api.AppendEvent(nil, sent.ID, string(sent.Type), sent.CreatedAt, sent.Data))
		detail.Body = &body
	case venues.CodeOf(err) != venues.CodeNotFound:
		return DeliveryDetail{}, fmt.Errorf("read event %s: %w", event, err)
	}
	return detail, nil
}

// read returns an endpoint, which may have been removed, and its delivery of an event.
func (d *Deliveries) read(ctx context.Context, endpoint, event string) (persistence.Endpoint, persistence.Delivery, error) {
	to, err := d.endpoints.readAny(ctx, endpoint)
	if err != nil {
		return to, persistence.Delivery{}, err
	}
	q := persistence.DeliveryQuery{Customer: to.Customer, Endpoint: to.ID, EventID: event, Limit: 1}
	page, err := d.store.Deliveries(ctx, q)
	if err == nil && len(page.Items) == 0 {
		err = venues.Errorf(venues.CodeNotFound, "the endpoint has no delivery of event %s", event)
	}
	if err != nil {
		return to, persistence.Delivery{}, fmt.Errorf("read delivery of %s to %s: %w", event, endpoint, err)
	}
	return to, page.Items[0], nil
}

func deliveryOf(r *persistence.Delivery) Delivery {
	return Delivery{
		Endpoint: r.Endpoint, EventID: r.EventID, Type: r.Type, Status: r.Status, Attempts: r.Attempts, DueAt: r.DueAt,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, LastError: r.LastError, LastCode: r.LastCode, LastMS: r.LastMS,
	}
}
