package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// scope selects the customers whose records a resource manages: all of them, or one.
type scope struct {
	all       bool
	customer  string
	customers CustomerStore
}

// has reports whether a customer is in the scope.
func (s scope) has(customer string) bool {
	return s.all || customer == s.customer && customer != ""
}

// resolve returns the customer of a request. In a customer's view an empty name is that
// customer. A customer outside of the scope is not_found.
func (s scope) resolve(named string) (string, error) {
	if named == "" && !s.all {
		named = s.customer
	}
	if !s.has(named) {
		return "", fmt.Errorf("customer %s: %w", named, notFound(persistence.ErrNotFound))
	}
	return named, nil
}

// check returns an error unless the customer exists: not_found in a customer's view,
// else invalid_request for the field customer.
func (s scope) check(ctx context.Context, customer string) error {
	_, err := s.customers.Customer(ctx, customer)
	switch {
	case err == nil:
		return nil
	case s.all && errors.Is(err, persistence.ErrNotFound):
		err = api.FieldError("customer", api.RuleUnknownValue, strings.ToValidUTF8(customer, ""), "")
	}
	return fmt.Errorf("read customer %s: %w", customer, notFound(err))
}

// each calls do with the given customer, which must exist, or, if it is empty, with
// every customer in the scope.
func (s scope) each(ctx context.Context, customer string, do func(id string) error) error {
	customer, err := s.resolve(customer)
	if err != nil {
		return err
	}
	if customer != "" {
		if _, err := s.customers.Customer(ctx, customer); err != nil {
			return notFound(err)
		}
		return do(customer)
	}
	records, err := s.customers.Customers(ctx)
	for _, record := range records {
		if err == nil {
			err = do(record.ID)
		}
	}
	return err
}

// notFound returns the error with code not_found for an error that wraps
// persistence.ErrNotFound, and other errors unchanged.
func notFound(err error) error {
	if !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	return venues.Errorf(venues.CodeNotFound, "there is no such record").Because(err)
}

// collection reads the records of one kind in a scope.
type collection[T any] struct {
	scope
	// name of the kind in errors, in the plural.
	name string
	// max bounds the records of a customer, without the ended ones.
	max  int
	read func(ctx context.Context, customer string) ([]T, error)
	// ended reports whether a record was removed and is kept only because other
	// records refer to it.
	ended func(*T) bool
}

// checkRoom returns an error unless the customer exists and may have another record.
func (c collection[T]) checkRoom(ctx context.Context, customer string) error {
	if err := c.check(ctx, customer); err != nil {
		return err
	}
	records, err := c.read(ctx, customer)
	if err != nil {
		return fmt.Errorf("list %s of %s: %w", c.name, customer, err)
	}
	n := 0
	for i := range records {
		if !c.ended(&records[i]) {
			n++
		}
	}
	if n >= c.max {
		return venues.Errorf(venues.CodeInvalidRequest, "the customer has %d %s; remove one first", c.max, c.name).With("limit", c.max)
	}
	return nil
}

// find returns the record for which match returns true, unless it has ended.
func (c collection[T]) find(ctx context.Context, match func(*T) bool) (T, error) {
	return c.findAny(ctx, func(record *T) bool { return match(record) && !c.ended(record) })
}

// findAny is find including ended records.
func (c collection[T]) findAny(ctx context.Context, match func(*T) bool) (found T, err error) {
	err = c.each(ctx, "", func(customer string) error {
		records, err := c.read(ctx, customer)
		if i := slices.IndexFunc(records, func(record T) bool { return match(&record) }); err == nil && i >= 0 {
			found, err = records[i], errFound
		}
		return err
	})
	if errors.Is(err, errFound) {
		return found, nil
	}
	if err == nil {
		err = notFound(persistence.ErrNotFound)
	}
	return found, fmt.Errorf("find one of the %s: %w", c.name, err)
}

// errFound ends a search.
var errFound = errors.New("registry: found")

// list returns the records of a customer that have not ended, or of every
// customer in the scope if it is empty, as show returns them.
func list[T, Shown any](ctx context.Context, c collection[T], customer string, show func(T) Shown) ([]Shown, error) {
	shown := []Shown{}
	err := c.each(ctx, customer, func(id string) error {
		records, err := c.read(ctx, id)
		for _, record := range records {
			if !c.ended(&record) {
				shown = append(shown, show(record))
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", c.name, err)
	}
	return shown, nil
}
