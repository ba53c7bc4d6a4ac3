package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

// parts are the records of one kind that customers have: keys, hooks, endpoints,
// alerts.
type parts[T any] struct {
	registry *Registry
	// what they are called, in errors.
	what string
	// most of them that a customer may have, besides those that have ended.
	most int
	read func(ctx context.Context, customer string) ([]T, error)
	// ended says that a record is kept for what points to it alone.
	ended func(*T) bool
}

// checkOwner is nil if the customer is there and has room for one more.
func (p parts[T]) checkOwner(ctx context.Context, customer string) error {
	if err := p.registry.checkCustomer(ctx, customer); err != nil {
		return err
	}
	records, err := p.read(ctx, customer)
	if err != nil {
		return fmt.Errorf("list %s of %s: %w", p.what, customer, err)
	}
	live := 0
	for i := range records {
		if !p.ended(&records[i]) {
			live++
		}
	}
	if live >= p.most {
		return venues.Errorf(venues.CodeInvalidRequest, "the customer has %d %s; end one first", p.most, p.what).With("limit", p.most)
	}
	return nil
}

// find looks for one that has not ended, among those of all customers.
func (p parts[T]) find(ctx context.Context, is func(*T) bool) (T, error) {
	return p.findAny(ctx, func(record *T) bool { return is(record) && !p.ended(record) })
}

// findAny finds those that have ended too.
func (p parts[T]) findAny(ctx context.Context, is func(*T) bool) (found T, err error) {
	err = p.registry.forCustomers(ctx, "", func(customer string) error {
		records, err := p.read(ctx, customer)
		if i := slices.IndexFunc(records, func(record T) bool { return is(&record) }); err == nil && i >= 0 {
			found, err = records[i], errFound
		}
		return err
	})
	if errors.Is(err, errFound) {
		return found, nil
	}
	if err == nil {
		err = persistence.ErrNotFound
	}
	return found, fmt.Errorf("find one of the %s: %w", p.what, err)
}

// errFound ends a search.
var errFound = errors.New("admin: found")

// listParts shows those of a customer that have not ended, or of all if it is
// empty.
func listParts[T, Shown any](ctx context.Context, p parts[T], customer string, show func(T) Shown) ([]Shown, error) {
	list := []Shown{}
	err := p.registry.forCustomers(ctx, customer, func(id string) error {
		records, err := p.read(ctx, id)
		for _, record := range records {
			if !p.ended(&record) {
				list = append(list, show(record))
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", p.what, err)
	}
	return list, nil
}

// forCustomers calls do with the one customer, which must be there, or with
// each of them.
func (r *Registry) forCustomers(ctx context.Context, customer string, do func(id string) error) error {
	if customer != "" {
		if _, err := r.Store.Customer(ctx, customer); err != nil {
			return err
		}
		return do(customer)
	}
	records, err := r.Store.Customers(ctx)
	for _, record := range records {
		if err == nil {
			err = do(record.ID)
		}
	}
	return err
}

// checkCustomer refuses a customer that is not there as a fault of the request.
func (r *Registry) checkCustomer(ctx context.Context, customer string) error {
	if _, err := r.Store.Customer(ctx, customer); err != nil {
		return fmt.Errorf("read customer %s: %w", customer, orFault(err, "customer", customer))
	}
	return nil
}
