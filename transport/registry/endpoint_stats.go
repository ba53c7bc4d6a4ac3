package registry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// statsPeriod is the time up to now for which EndpointStats counts.
	statsPeriod = 24 * time.Hour
	// statsDeliveriesMax bounds the deliveries that EndpointStats counts, newest first.
	statsDeliveriesMax = 5 * persistence.PageSizeMax
	// statsWaitingMax bounds EndpointStats.Waiting.
	statsWaitingMax = persistence.PageSizeMax
)

// EndpointStats are the numbers of an endpoint: the deliveries that were queued since a time.
type EndpointStats struct {
	Since       venues.Time `json:"since"`
	Delivered   int         `json:"delivered"`
	Undelivered int         `json:"undelivered"`
	Pending     int         `json:"pending"`
	// Complete is false if more than statsDeliveriesMax were queued. The newest were counted.
	Complete bool `json:"complete"`
	// P50MS and P95MS are quantiles of the durations of the last attempts; nil without any.
	P50MS *int `json:"p50Ms"`
	P95MS *int `json:"p95Ms"`
	// Waiting is the number of all pending deliveries, up to statsWaitingMax, and OldestDueAt
	// when the first of them is or was due.
	Waiting     int         `json:"waiting"`
	OldestDueAt venues.Time `json:"oldestDueAt"`
	// Hours are the same deliveries by the hour in which they were queued, oldest first.
	Hours []EndpointHour `json:"hours"`
}

// EndpointHour has the deliveries that were queued within the hour from At.
type EndpointHour struct {
	At          venues.Time `json:"at"`
	Delivered   int         `json:"delivered"`
	Undelivered int         `json:"undelivered"`
	Pending     int         `json:"pending"`
}

// Stats returns the numbers of an endpoint.
func (d *Deliveries) Stats(ctx context.Context, endpoint string) (EndpointStats, error) {
	to, err := d.endpoints.read(ctx, endpoint)
	if err != nil {
		return EndpointStats{}, err
	}
	now := time.Now()
	stats := newStats(now)
	q := persistence.DeliveryQuery{Customer: to.Customer, Endpoint: to.ID, From: stats.Since.Time, To: now}
	var ms []int
	for counted := 0; ; {
		page, err := d.store.Deliveries(ctx, q)
		if err != nil {
			return EndpointStats{}, fmt.Errorf("count deliveries of %s: %w", endpoint, err)
		}
		for i := range page.Items {
			ms = stats.add(&page.Items[i], ms)
		}
		counted += len(page.Items)
		if q.After = page.Next; q.After == nil || counted >= statsDeliveriesMax {
			break
		}
	}
	stats.Complete = q.After == nil
	stats.P50MS, stats.P95MS = quantile(ms, 50), quantile(ms, 95)
	waiting, err := d.store.PendingDeliveries(ctx, to.Customer, to.ID, statsWaitingMax)
	if err != nil {
		return EndpointStats{}, fmt.Errorf("count pending deliveries of %s: %w", endpoint, err)
	}
	if stats.Waiting = len(waiting); stats.Waiting > 0 {
		stats.OldestDueAt = waiting[0].DueAt
	}
	return stats, nil
}

// newStats returns numbers without deliveries, with the whole hours up to now.
func newStats(now time.Time) EndpointStats {
	last := now.UTC().Truncate(time.Hour)
	first := last.Add(time.Hour - statsPeriod)
	s := EndpointStats{Since: venues.At(first)}
	for at := first; !at.After(last); at = at.Add(time.Hour) {
		s.Hours = append(s.Hours, EndpointHour{At: venues.At(at)})
	}
	return s
}

// add counts a delivery, and appends the duration of its last attempt to ms.
func (s *EndpointStats) add(d *persistence.Delivery, ms []int) []int {
	hour := &s.Hours[int(d.CreatedAt.Sub(s.Since.Time)/time.Hour)]
	switch d.Status {
	case persistence.DeliveryDelivered:
		s.Delivered++
		hour.Delivered++
	case persistence.DeliveryUndelivered:
		s.Undelivered++
		hour.Undelivered++
	case persistence.DeliveryPending:
		s.Pending++
		hour.Pending++
	}
	if d.LastCode != 0 || d.LastMS != 0 {
		ms = append(ms, d.LastMS)
	}
	return ms
}

// quantile returns the smallest value that at least percent of the values do not exceed; nil
// if there is none. It sorts the values.
func quantile(values []int, percent int) *int {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	rank := (len(values)*percent + 99) / 100
	return &values[max(rank, 1)-1]
}
