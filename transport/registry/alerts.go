package registry

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// alertsMax bounds the alerts of a customer.
const alertsMax = 1000

// AlertStore reads alerts.
type AlertStore interface {
	Alerts(ctx context.Context, customer string) ([]persistence.Alert, error)
}

// AlertService runs alerts.
type AlertService interface {
	// PutAlert stores an alert under the fence of its customer, with a row of its
	// journal, and watches it. It returns the alert as it is stored.
	PutAlert(ctx context.Context, alert persistence.Alert, row persistence.JournalEntry) (persistence.Alert, error)
}

// Alerts manages the price alerts of customers.
type Alerts struct {
	scope
	audit       audit
	store       AlertStore
	service     AlertService
	instruments instruments
}

// Condition is a condition on a price. Value is a decimal string.
type Condition struct {
	Field venues.PriceField `json:"field"`
	Op    venues.PriceOp    `json:"op"`
	Value string            `json:"value"`
}

// Alert is a price alert.
type Alert struct {
	ID        string                  `json:"id"`
	Customer  string                  `json:"customer"`
	Exchange  venues.Venue            `json:"exchange"`
	Symbol    string                  `json:"symbol"`
	Condition Condition               `json:"condition"`
	Repeat    bool                    `json:"repeat"`
	Status    persistence.AlertStatus `json:"status"`
	Comment   string                  `json:"comment"`
	FiredAt   venues.Time             `json:"firedAt"`
	CreatedAt venues.Time             `json:"createdAt"`
	// RemovedAt is set only in the result of Remove.
	RemovedAt venues.Time `json:"removedAt,omitzero"`
}

// NewAlert is the request for an alert.
type NewAlert struct {
	Customer  string       `json:"customer"`
	Exchange  venues.Venue `json:"exchange"`
	Symbol    string       `json:"symbol"`
	Condition Condition    `json:"condition"`
	Repeat    bool         `json:"repeat"`
	Comment   string       `json:"comment"`
}

// AlertChange changes the members that are set. Status is armed or paused; armed
// also makes an alert that has fired watch its condition again.
type AlertChange struct {
	Condition *Condition               `json:"condition"`
	Repeat    *bool                    `json:"repeat"`
	Status    *persistence.AlertStatus `json:"status"`
	Comment   *string                  `json:"comment"`
}

// Create makes an alert and watches its condition.
func (a *Alerts) Create(ctx context.Context, n NewAlert) (Alert, error) {
	customer, err := a.resolve(n.Customer)
	if err != nil {
		return Alert{}, err
	}
	a.audit.Lock()
	defer a.audit.Unlock()
	now := time.Now()
	record := persistence.Alert{
		ID: a.audit.newID(persistence.PrefixAlert, now), Customer: customer, Exchange: n.Exchange, Symbol: n.Symbol,
		Repeat: n.Repeat, Comment: n.Comment, Status: persistence.AlertArmed, CreatedAt: venues.At(now),
	}
	if err := a.validate(&record, n.Condition); err != nil {
		return Alert{}, err
	}
	if err := a.records().checkRoom(ctx, customer); err != nil {
		return Alert{}, err
	}
	return a.put(ctx, record, "create")
}

// validate checks an alert and sets its condition.
func (a *Alerts) validate(record *persistence.Alert, c Condition) error {
	if _, known := a.instruments.environments[record.Exchange]; !known {
		return api.FieldError("exchange", api.RuleUnknownValue, string(record.Exchange), exchangeNames(a.instruments.environments))
	}
	symbol, known := a.instruments.symbol(record.Exchange, record.Symbol)
	if !known {
		return api.FieldError("symbol", api.RuleNotASymbol, record.Symbol, "")
	}
	record.Symbol = symbol
	if !slices.Contains(venues.PriceFields(), c.Field) {
		return api.FieldError("condition.field", api.RuleUnknownValue, string(c.Field), "last, mark")
	}
	if !slices.Contains(venues.PriceOps(), c.Op) {
		return api.FieldError("condition.op", api.RuleUnknownValue, string(c.Op), "above, below, crosses_above, crosses_below")
	}
	value, err := parsePositive("condition.value", c.Value, "such as 60000")
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(record.Comment) > api.CommentCharsMax {
		return api.FieldError("comment", api.RuleOutOfRange, "", "at most "+strconv.Itoa(api.CommentCharsMax)+" characters")
	}
	record.Condition = venues.PriceCondition{Field: c.Field, Op: c.Op, Value: value}
	return nil
}

// List returns the alerts of a customer, or of every customer in the scope if customer
// is empty.
func (a *Alerts) List(ctx context.Context, customer string) ([]Alert, error) {
	return list(ctx, a.records(), customer, alertOf)
}

// Get returns an alert.
func (a *Alerts) Get(ctx context.Context, id string) (Alert, error) {
	record, err := a.read(ctx, id)
	return alertOf(record), err
}

// Change changes an alert and starts to watch it again.
func (a *Alerts) Change(ctx context.Context, id string, change AlertChange) (Alert, error) {
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
	if err != nil {
		return Alert{}, err
	}
	condition := conditionOf(record.Condition)
	set(&condition, change.Condition)
	set(&record.Repeat, change.Repeat)
	set(&record.Comment, change.Comment)
	if s := change.Status; s != nil {
		if *s != persistence.AlertArmed && *s != persistence.AlertPaused {
			return Alert{}, api.FieldError("status", api.RuleUnknownValue, string(*s), "armed, paused")
		}
		record.Status = *s
	}
	if err := a.validate(&record, condition); err != nil {
		return Alert{}, err
	}
	return a.put(ctx, record, "change")
}

// Remove ends an alert permanently.
func (a *Alerts) Remove(ctx context.Context, id string) (Alert, error) {
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
	if err != nil {
		return Alert{}, err
	}
	record.RemovedAt = venues.At(time.Now())
	return a.put(ctx, record, "remove")
}

func (a *Alerts) put(ctx context.Context, record persistence.Alert, action string) (Alert, error) {
	fields := []persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("exchange", string(record.Exchange)),
		field("condition", string(record.Condition.Field)+" "+string(record.Condition.Op)+" "+venues.FormatDecimal(record.Condition.Value)),
		field("repeat", strconv.FormatBool(record.Repeat)), field("status", string(record.Status)),
	}
	row := a.audit.row(ctx, kindAlert, record.ID, fields)
	row.Symbol = record.Symbol
	stored, err := a.service.PutAlert(ctx, record, row)
	if err != nil {
		return Alert{}, fmt.Errorf("put alert %s: %w", record.ID, err)
	}
	return alertOf(stored), a.audit.commit(ctx, kindAlert, record.ID, fields)
}

func (a *Alerts) read(ctx context.Context, id string) (persistence.Alert, error) {
	return a.records().find(ctx, func(r *persistence.Alert) bool { return r.ID == id })
}

func (a *Alerts) records() collection[persistence.Alert] {
	return collection[persistence.Alert]{a.scope, "alerts", alertsMax, a.store.Alerts, func(r *persistence.Alert) bool { return !r.RemovedAt.IsZero() }}
}

func conditionOf(c venues.PriceCondition) Condition {
	return Condition{Field: c.Field, Op: c.Op, Value: venues.FormatDecimal(c.Value)}
}

func alertOf(record persistence.Alert) Alert {
	return Alert{
		ID: record.ID, Customer: record.Customer, Exchange: record.Exchange, Symbol: record.Symbol,
		Condition: conditionOf(record.Condition), Repeat: record.Repeat, Status: record.Status, Comment: record.Comment,
		FiredAt: record.FiredAt, CreatedAt: record.CreatedAt, RemovedAt: record.RemovedAt,
	}
}
