package rows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

// Reader implements persistence.Reader on the snapshots of an engine, each query on one.
// This file has the queries of the installation and of accounts; those of orders,
// signals, deliveries and the log are in reader_*.go.
type Reader struct{ engine Viewer }

// NewReader returns a Reader of an engine.
func NewReader(engine Viewer) Reader { return Reader{engine} }

var _ persistence.Reader = Reader{}

// Customers lists the customers by id.
func (r Reader) Customers(ctx context.Context) ([]persistence.Customer, error) {
	return listRecords[persistence.Customer](ctx, r.engine, "", persistence.KindCustomer)
}

// Customer returns one customer.
func (r Reader) Customer(ctx context.Context, id string) (persistence.Customer, error) {
	return oneRecord[persistence.Customer](ctx, r.engine, persistence.Customer{ID: id}.Key())
}

// APIKey returns an API key by its public id.
func (r Reader) APIKey(ctx context.Context, id string) (persistence.APIKey, error) {
	return oneRecord[persistence.APIKey](ctx, r.engine, persistence.APIKey{ID: id}.Key())
}

// APIKeys lists a customer's API keys by id.
func (r Reader) APIKeys(ctx context.Context, customer string) ([]persistence.APIKey, error) {
	var keys []persistence.APIKey
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableAPIKey)
		ids, err := collect(ctx, s, prefix, func(key, _ []byte) (string, error) {
			reader := keyReader{rest: key[len(prefix):]}
			return reader.text(), reader.err
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			k, err := indexedRecord[persistence.APIKey](s, persistence.APIKey{ID: id}.Key())
			if err != nil {
				return err
			}
			keys = append(keys, k)
		}
		return nil
	})
	return keys, err
}

// VenueAccounts lists a customer's accounts by exchange.
func (r Reader) VenueAccounts(ctx context.Context, customer string) ([]persistence.VenueAccount, error) {
	return listRecords[persistence.VenueAccount](ctx, r.engine, customer, persistence.KindVenueAccount)
}

// AccountState returns the state of an account.
func (r Reader) AccountState(ctx context.Context, customer string, exchange venues.Venue) (persistence.AccountState, error) {
	k := persistence.AccountState{Customer: customer, Exchange: exchange}.Key()
	return oneRecord[persistence.AccountState](ctx, r.engine, k)
}

// Risk returns the risk state of an account.
func (r Reader) Risk(ctx context.Context, customer string, exchange venues.Venue) (persistence.RiskRecord, error) {
	k := persistence.RiskRecord{Customer: customer, Exchange: exchange}.Key()
	return oneRecord[persistence.RiskRecord](ctx, r.engine, k)
}

// PositionRecords lists an account's positions by instrument.
func (r Reader) PositionRecords(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.PositionRecord, error) {
	all, err := listRecords[persistence.PositionRecord](ctx, r.engine, customer, persistence.KindPosition)
	return slices.DeleteFunc(all, func(p persistence.PositionRecord) bool { return p.Exchange != exchange }), err
}

// Setting returns a setting of the installation.
func (r Reader) Setting(ctx context.Context, name string) (persistence.Setting, error) {
	return oneRecord[persistence.Setting](ctx, r.engine, persistence.Setting{Name: name}.Key())
}

// Idempotency returns the newest attempt of a request id.
func (r Reader) Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error) {
	var found persistence.IdempotencyRecord
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableRecord).text(string(persistence.KindIdempotency)).text(scope + "/" + requestID)
		if s.LacksRequest(prefix) {
			return persistence.ErrNotFound
		}
		var newest []byte
		err := s.Scan(prefix, prefix.end(), true, func(_, value []byte) bool {
			newest = bytes.Clone(value)
			return false
		})
		if err != nil {
			return err
		}
		if newest == nil {
			return persistence.ErrNotFound
		}
		found, err = decodeAs[persistence.IdempotencyRecord](persistence.KindIdempotency, newest)
		return err
	})
	// Stored scopes have no slash, but the one in the query may: then "a/b" with "c" is
	// the key of "a" with "b/c".
	if err == nil && (found.Scope != scope || found.RequestID != requestID) {
		return persistence.IdempotencyRecord{}, persistence.ErrNotFound
	}
	return found, err
}

// oneRecord reads a record in a snapshot of its own. It returns ErrNotFound for a
// missing record and for an invalid key.
func oneRecord[T persistence.Record](ctx context.Context, engine Viewer, k persistence.Key) (T, error) {
	var found T
	err := engine.View(ctx, func(s Snapshot) error {
		var err error
		found, err = getRecord[T](s, k)
		return err
	})
	return found, err
}

// getRecord reads a record. It returns ErrNotFound for a missing record and for an
// invalid key.
func getRecord[T persistence.Record](g Getter, k persistence.Key) (T, error) {
	var none T
	primary, err := recordKey(k)
	if err != nil {
		return none, persistence.ErrNotFound
	}
	value, err := g.Get(primary)
	if err != nil {
		return none, err
	}
	if value == nil {
		return none, persistence.ErrNotFound
	}
	return decodeAs[T](k.Kind, value)
}

// decodeAs decodes a record of a kind, whose type is T.
func decodeAs[T persistence.Record](kind persistence.Kind, value []byte) (T, error) {
	var none T
	record, err := DecodeRecord(kind, value)
	if err != nil {
		return none, err
	}
	return record.(T), nil
}

// indexedRecord reads the record of an index row. It returns ErrIntegrity for a missing
// record, because both are written and deleted together.
func indexedRecord[T persistence.Record](g Getter, k persistence.Key) (T, error) {
	found, err := getRecord[T](g, k)
	if errors.Is(err, persistence.ErrNotFound) {
		return found, fmt.Errorf("%w: an index row without its record %s", persistence.ErrIntegrity, k)
	}
	return found, err
}

// listRecords returns all records of a kind of a customer, by id.
func listRecords[T persistence.Record](ctx context.Context, engine Viewer, customer string, kind persistence.Kind) ([]T, error) {
	var found []T
	err := engine.View(ctx, func(s Snapshot) error {
		var err error
		prefix := newKey(customer, tableRecord).text(string(kind))
		found, err = collect(ctx, s, prefix, func(_, value []byte) (T, error) { return decodeAs[T](kind, value) })
		return err
	})
	return found, err
}

// collect returns what read returns for each row with a prefix, in the order of keys.
func collect[T any](ctx context.Context, s Snapshot, prefix key, read func(key, value []byte) (T, error)) ([]T, error) {
	var items []T
	var failed error
	err := s.Scan(prefix, prefix.end(), false, func(key, value []byte) bool {
		var item T
		if item, failed = read(key, value); failed == nil {
			items = append(items, item)
			failed = ctx.Err()
		}
		return failed == nil
	})
	return items, firstError(failed, err)
}

// firstError returns the first error that is not nil. A Scan callback that fails stops
// the scan, which then returns nil; its error comes first.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
