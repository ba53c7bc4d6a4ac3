package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// nameCharsMax bounds the names that people give.
const nameCharsMax = 64

// Customer as the administration shows it.
type Customer struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Disabled  bool        `json:"disabled"`
	CreatedAt venues.Time `json:"createdAt"`
}

// NewCustomer asks for a customer.
type NewCustomer struct {
	Name string `json:"name"`
}

// CustomerChange changes what is given.
type CustomerChange struct {
	Name     *string `json:"name"`
	Disabled *bool   `json:"disabled"`
}

// CreateCustomer makes a customer without keys and accounts.
func (r *Registry) CreateCustomer(ctx context.Context, n NewCustomer) (Customer, error) {
	name, err := checkName(n.Name)
	if err != nil {
		return Customer{}, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	now := time.Now()
	record := persistence.Customer{ID: r.newID(persistence.PrefixCustomer, now), Name: name, CreatedAt: venues.At(now)}
	return r.putCustomer(ctx, record, field("action", "create"), field("name", name))
}

// Customers lists all of them, the disabled ones too.
func (r *Registry) Customers(ctx context.Context) ([]Customer, error) {
	records, err := r.Store.Customers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	list := make([]Customer, len(records))
	for i, record := range records {
		list[i] = customerOf(record)
	}
	return list, nil
}

// Customer finds one.
func (r *Registry) Customer(ctx context.Context, id string) (Customer, error) {
	record, err := r.Store.Customer(ctx, id)
	if err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	return customerOf(record), nil
}

// ChangeCustomer renames, disables or enables a customer.
func (r *Registry) ChangeCustomer(ctx context.Context, id string, change CustomerChange) (Customer, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.Store.Customer(ctx, id)
	if err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	fields := []persistence.JournalField{field("action", "change")}
	if change.Name != nil {
		if record.Name, err = checkName(*change.Name); err != nil {
			return Customer{}, err
		}
		fields = append(fields, field("name", record.Name))
	}
	if change.Disabled != nil {
		record.Disabled = *change.Disabled
		fields = append(fields, field("disabled", strconv.FormatBool(record.Disabled)))
	}
	return r.putCustomer(ctx, record, fields...)
}

// DisableCustomer ends a customer: it is not loaded, its keys open nothing.
func (r *Registry) DisableCustomer(ctx context.Context, id string) (Customer, error) {
	disabled := true
	return r.ChangeCustomer(ctx, id, CustomerChange{Disabled: &disabled})
}

func (r *Registry) putCustomer(ctx context.Context, record persistence.Customer, fields ...persistence.JournalField) (Customer, error) {
	if err := r.commit(ctx, kindCustomer, record.ID, fields, record); err != nil {
		return Customer{}, err
	}
	if err := r.Directory.CustomerChanged(ctx, record.ID); err != nil {
		return Customer{}, fmt.Errorf("follow customer %s: %w", record.ID, err)
	}
	return customerOf(record), nil
}

func customerOf(record persistence.Customer) Customer {
	return Customer{ID: record.ID, Name: record.Name, Disabled: record.Disabled, CreatedAt: record.CreatedAt}
}

// checkName takes a name that people can read and tell apart.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > nameCharsMax || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return "", api.Fault("name", api.RuleOutOfRange, "", "1 to "+strconv.Itoa(nameCharsMax)+" printable characters")
	}
	return name, nil
}
