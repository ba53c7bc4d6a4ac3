package registry

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

// nameCharsMax bounds the names of records.
const nameCharsMax = 64

// CustomerStore reads customers.
type CustomerStore interface {
	Customers(ctx context.Context) ([]persistence.Customer, error)
	Customer(ctx context.Context, id string) (persistence.Customer, error)
}

// CustomerService runs customers.
type CustomerService interface {
	// ConfigureCustomer starts a stored customer, or stops it if it is disabled.
	ConfigureCustomer(ctx context.Context, record persistence.Customer) error
}

// Customers manages the customers of the installation.
type Customers struct {
	audit    audit
	store    CustomerStore
	keys     KeyStore
	users    UserStore
	service  CustomerService
	sessions Sessions
}

// Customer is a customer of the installation.
type Customer struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Disabled  bool        `json:"disabled"`
	CreatedAt venues.Time `json:"createdAt"`
}

// NewCustomer is the request for a customer.
type NewCustomer struct {
	Name string `json:"name"`
}

// CustomerChange changes the members that are set.
type CustomerChange struct {
	Name     *string `json:"name"`
	Disabled *bool   `json:"disabled"`
}

// Create makes a customer without keys and accounts.
func (c *Customers) Create(ctx context.Context, n NewCustomer) (Customer, error) {
	name, err := checkName(n.Name)
	if err != nil {
		return Customer{}, err
	}
	c.audit.Lock()
	defer c.audit.Unlock()
	now := time.Now()
	record := persistence.Customer{ID: c.audit.newID(persistence.PrefixCustomer, now), Name: name, CreatedAt: venues.At(now)}
	return c.put(ctx, record, field("action", "create"), field("name", name))
}

// List returns all customers, disabled ones included, or the one with the id if it is not
// empty.
func (c *Customers) List(ctx context.Context, id string) ([]Customer, error) {
	if id != "" {
		one, err := c.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return []Customer{one}, nil
	}
	records, err := c.store.Customers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	customers := make([]Customer, len(records))
	for i, record := range records {
		customers[i] = customerOf(record)
	}
	return customers, nil
}

// Get returns one customer.
func (c *Customers) Get(ctx context.Context, id string) (Customer, error) {
	record, err := c.read(ctx, id)
	return customerOf(record), err
}

// Change renames, disables or enables a customer.
func (c *Customers) Change(ctx context.Context, id string, change CustomerChange) (Customer, error) {
	c.audit.Lock()
	defer c.audit.Unlock()
	record, err := c.read(ctx, id)
	if err != nil {
		return Customer{}, err
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
	return c.put(ctx, record, fields...)
}

// Disable stops a customer, whose keys are unauthorized from then on.
func (c *Customers) Disable(ctx context.Context, id string) (Customer, error) {
	disabled := true
	return c.Change(ctx, id, CustomerChange{Disabled: &disabled})
}

// put stores a customer, then starts or stops it. A disabled one loses its
// sessions.
func (c *Customers) put(ctx context.Context, record persistence.Customer, fields ...persistence.JournalField) (Customer, error) {
	var ended endedSessions
	if record.Disabled {
		var err error
		if ended, err = c.endSessions(ctx, record.ID); err != nil {
			return Customer{}, fmt.Errorf("find the sessions of customer %s: %w", record.ID, err)
		}
	}
	if err := c.audit.commit(ctx, kindCustomer, record.ID, fields, append(ended.records, record)...); err != nil {
		return Customer{}, err
	}
	ended.revoke(c.sessions)
	if err := c.service.ConfigureCustomer(ctx, record); err != nil {
		return Customer{}, fmt.Errorf("configure customer %s: %w", record.ID, err)
	}
	return customerOf(record), nil
}

// endSessions returns the ended sessions of a customer's users and the ids of its keys.
func (c *Customers) endSessions(ctx context.Context, customer string) (endedSessions, error) {
	users, err := c.users.Users(ctx)
	if err != nil {
		return endedSessions{}, err
	}
	of := map[string]bool{}
	for i := range users {
		of[users[i].Login] = users[i].Customer == customer
	}
	ended, err := endSessions(ctx, c.users, func(s *persistence.Session) bool { return of[s.User] })
	if err != nil {
		return endedSessions{}, err
	}
	keys, err := c.keys.APIKeys(ctx, customer)
	for i := range keys {
		ended.ids = append(ended.ids, keys[i].ID)
	}
	return ended, err
}

func (c *Customers) read(ctx context.Context, id string) (persistence.Customer, error) {
	record, err := c.store.Customer(ctx, id)
	if err != nil {
		return persistence.Customer{}, fmt.Errorf("read customer: %w", notFound(err))
	}
	return record, nil
}

func customerOf(record persistence.Customer) Customer {
	return Customer{ID: record.ID, Name: record.Name, Disabled: record.Disabled, CreatedAt: record.CreatedAt}
}

// checkName returns a name without the spaces around it, or the error of one that
// is empty, too long or not printable.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > nameCharsMax || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return "", api.FieldError("name", api.RuleOutOfRange, "", "1 to "+strconv.Itoa(nameCharsMax)+" printable characters")
	}
	return name, nil
}
