package admin

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

// Condition on a price; Value is a decimal string.
type Condition struct {
	Field venues.PriceField `json:"field"`
	Op    venues.PriceOp    `json:"op"`
	Value string            `json:"value"`
}

// Alert as the administration shows it.
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
	// RemovedAt is in the answer that removes it alone.
	RemovedAt venues.Time `json:"removedAt,omitzero"`
}

// NewAlert asks for an alert.
type NewAlert struct {
	Customer  string       `json:"customer"`
	Exchange  venues.Venue `json:"exchange"`
	Symbol    string       `json:"symbol"`
	Condition Condition    `json:"condition"`
	Repeat    bool         `json:"repeat"`
	Comment   string       `json:"comment"`
}

// AlertChange changes what is given. Status is armed or paused: arming an alert
// that has fired watches it again.
type AlertChange struct {
	Condition *Condition               `json:"condition"`
	Repeat    *bool                    `json:"repeat"`
	Status    *persistence.AlertStatus `json:"status"`
	Comment   *string                  `json:"comment"`
}

// CreateAlert makes an alert and watches its condition.
func (r *Registry) CreateAlert(ctx context.Context, n NewAlert) (Alert, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	now := time.Now()
	record := persistence.Alert{
		ID: r.newID(persistence.PrefixAlert, now), Customer: n.Customer, Exchange: n.Exchange, Symbol: n.Symbol,
		Repeat: n.Repeat, Comment: n.Comment, Status: persistence.AlertArmed, CreatedAt: venues.At(now),
	}
	if err := r.checkAlert(&record, n.Condition); err != nil {
		return Alert{}, err
	}
	if err := r.alerts().checkOwner(ctx, record.Customer); err != nil {
		return Alert{}, err
	}
	return r.putAlert(ctx, record, "create")
}

// checkAlert holds an alert to the rules and sets its condition.
func (r *Registry) checkAlert(record *persistence.Alert, c Condition) error {
	if _, known := r.Environments[record.Exchange]; !known {
		return api.Fault("exchange", api.RuleUnknownValue, string(record.Exchange), r.exchanges())
	}
	symbol, known := r.Directory.Symbol(record.Exchange, record.Symbol)
	if !known {
		return api.Fault("symbol", api.RuleNotASymbol, record.Symbol, "")
	}
	record.Symbol = symbol
	if !slices.Contains(venues.PriceFields(), c.Field) {
		return api.Fault("condition.field", api.RuleUnknownValue, string(c.Field), "last, mark")
	}
	if !slices.Contains(venues.PriceOps(), c.Op) {
		return api.Fault("condition.op", api.RuleUnknownValue, string(c.Op), "above, below, crosses_above, crosses_below")
	}
	value, err := positive("condition.value", c.Value, "such as 60000")
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(record.Comment) > api.CommentCharsMax {
		return api.Fault("comment", api.RuleOutOfRange, "", "at most "+strconv.Itoa(api.CommentCharsMax)+" characters")
	}
	record.Condition = venues.PriceCondition{Field: c.Field, Op: c.Op, Value: value}
	return nil
}

// Alerts lists those of a customer, or of all if it is empty.
func (r *Registry) Alerts(ctx context.Context, customer string) ([]Alert, error) {
	return listParts(ctx, r.alerts(), customer, alertOf)
}

func (r *Registry) alerts() parts[persistence.Alert] {
	return parts[persistence.Alert]{r, "alerts", alertsMax, r.Store.Alerts, func(a *persistence.Alert) bool { return !a.RemovedAt.IsZero() }}
}

// Alert finds one.
func (r *Registry) Alert(ctx context.Context, id string) (Alert, error) {
	record, err := r.alert(ctx, id)
	if err != nil {
		return Alert{}, err
	}
	return alertOf(record), nil
}

// ChangeAlert changes an alert; it is watched anew.
func (r *Registry) ChangeAlert(ctx context.Context, id string, change AlertChange) (Alert, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.alert(ctx, id)
	if err != nil {
		return Alert{}, err
	}
	condition := conditionOf(record.Condition)
	set(&condition, change.Condition)
	set(&record.Repeat, change.Repeat)
	set(&record.Comment, change.Comment)
	if s := change.Status; s != nil {
		if *s != persistence.AlertArmed && *s != persistence.AlertPaused {
			return Alert{}, api.Fault("status", api.RuleUnknownValue, string(*s), "armed, paused")
		}
		record.Status = *s
	}
	if err := r.checkAlert(&record, condition); err != nil {
		return Alert{}, err
	}
	return r.putAlert(ctx, record, "change")
}

// RemoveAlert ends an alert for good.
func (r *Registry) RemoveAlert(ctx context.Context, id string) (Alert, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.alert(ctx, id)
	if err != nil {
		return Alert{}, err
	}
	record.RemovedAt = venues.At(time.Now())
	return r.putAlert(ctx, record, "remove")
}

func (r *Registry) putAlert(ctx context.Context, record persistence.Alert, action string) (Alert, error) {
	fields := []persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("exchange", string(record.Exchange)),
		field("condition", string(record.Condition.Field)+" "+string(record.Condition.Op)+" "+venues.FormatDecimal(record.Condition.Value)),
		field("repeat", strconv.FormatBool(record.Repeat)), field("status", string(record.Status)),
	}
	row := r.row(kindAlert, record.ID, fields)
	row.Symbol = record.Symbol
	stored, err := r.Directory.PutAlert(ctx, record, row)
	if err != nil {
		return Alert{}, fmt.Errorf("put alert %s: %w", record.ID, err)
	}
	return alertOf(stored), r.commit(ctx, kindAlert, record.ID, fields)
}

func (r *Registry) alert(ctx context.Context, id string) (persistence.Alert, error) {
	return r.alerts().find(ctx, func(a *persistence.Alert) bool { return a.ID == id })
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
