package registry

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Kinds of the rows that the queues of endpoints write; see package delivery.
const (
	kindDeliveryAttempt = "delivery.attempt"
	kindDelivered       = "delivery.delivered"
	kindUndelivered     = "delivery.undelivered"
	kindResent          = "delivery.resent"
)

// Attempt is a row in the history of a delivery: an attempt, or that it was given up or
// resent.
type Attempt struct {
	At venues.Time `json:"at"`
	// Result of an attempt is delivered, failed, throttled or gone; else it is undelivered or
	// resent.
	Result string `json:"result"`
	// Number is that of the attempt since the event was queued or resent.
	Number int `json:"number"`
	// Status is the HTTP status of the receiver; zero if there was no response.
	Status     int `json:"status"`
	DurationMS int `json:"durationMs"`
	// Answer is the beginning of the response.
	Answer string `json:"answer"`
	Error  string `json:"error"`
	// NextAt is when the next attempt was due; zero if there was none.
	NextAt venues.Time `json:"nextAt"`
}

// PageRequest selects a page of a list.
type PageRequest struct {
	Limit  int
	Cursor string
}

// Attempts returns a page of the history of a delivery, newest first.
func (d *Deliveries) Attempts(ctx context.Context, endpoint, event string, page PageRequest) (Page[Attempt], error) {
	to, _, err := d.read(ctx, endpoint, event)
	if err != nil {
		return Page[Attempt]{}, err
	}
	q := persistence.JournalQuery{Customer: to.Customer, Channel: to.ID, Subject: event}
	rows, next, err := readPage(page.Limit, page.Cursor, func(limit int, after *persistence.PagePosition) (persistence.Page[persistence.JournalEntry], error) {
		q.Limit, q.After = limit, after
		return d.store.Journal(ctx, q)
	})
	if err != nil {
		return Page[Attempt]{}, fmt.Errorf("list attempts to deliver %s to %s: %w", event, endpoint, err)
	}
	sortRows(rows)
	attempts := make([]Attempt, 0, len(rows))
	for i := range rows {
		switch rows[i].Kind {
		case kindDeliveryAttempt, kindDelivered, kindUndelivered, kindResent:
			attempts = append(attempts, attemptOf(&rows[i]))
		}
	}
	return Page[Attempt]{attempts, next}, nil
}

func attemptOf(row *persistence.JournalEntry) Attempt {
	a := Attempt{At: row.At, Result: row.Result}
	if row.Kind == kindResent {
		a.Result = "resent"
	}
	for _, f := range row.Fields {
		switch f.Name {
		case "attempt":
			a.Number, _ = strconv.Atoi(f.Value)
		case "status":
			a.Status, _ = strconv.Atoi(f.Value)
		case "durationMs":
			a.DurationMS, _ = strconv.Atoi(f.Value)
		case "answer":
			a.Answer = f.Value
		case "error":
			a.Error = f.Value
		case "nextAt":
			if next, err := time.Parse(venues.TimeFormat, f.Value); err == nil {
				a.NextAt = venues.At(next)
			}
		}
	}
	return a
}
