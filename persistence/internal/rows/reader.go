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

// Snapshot is one consistent state of the rows.
type Snapshot interface {
	Getter
	// Scan visits the rows with from <= key < to in ascending or descending
	// order until visit returns false. A nil to has no bound. Key and value may
	// be used only during the visit.
	Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error
	// NoRequest says that no row has what Request gives; it may be false although there
	// is none.
	NoRequest(shared []byte) bool
}

// Viewer gives a snapshot of what is durable for as long as read runs.
type Viewer interface {
	View(ctx context.Context, read func(Snapshot) error) error
}

// Reader answers the queries of persistence.Reader from an engine's snapshots.
type Reader struct{ engine Viewer }

// NewReader reads from an engine.
func NewReader(engine Viewer) Reader { return Reader{engine} }

var _ persistence.Reader = Reader{}

// Customers lists the customers by id.
func (r Reader) Customers(ctx context.Context) ([]persistence.Customer, error) {
	return listRecords[persistence.Customer](ctx, r.engine, "", persistence.KindCustomer)
}

// Customer finds one customer.
func (r Reader) Customer(ctx context.Context, id string) (persistence.Customer, error) {
	return oneRecord[persistence.Customer](ctx, r.engine, persistence.Customer{ID: id}.Key())
}

// APIKey finds a key by its public id.
func (r Reader) APIKey(ctx context.Context, id string) (persistence.APIKey, error) {
	return oneRecord[persistence.APIKey](ctx, r.engine, persistence.APIKey{ID: id}.Key())
}

// APIKeys lists a customer's keys by id.
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
			k, err := indexed[persistence.APIKey](s, persistence.APIKey{ID: id}.Key())
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

// AccountState finds what an account must remember.
func (r Reader) AccountState(ctx context.Context, customer string, exchange venues.Venue) (persistence.AccountState, error) {
	k := persistence.AccountState{Customer: customer, Exchange: exchange}.Key()
	return oneRecord[persistence.AccountState](ctx, r.engine, k)
}

// Risk finds what an account remembers of its risk.
func (r Reader) Risk(ctx context.Context, customer string, exchange venues.Venue) (persistence.RiskRecord, error) {
	k := persistence.RiskRecord{Customer: customer, Exchange: exchange}.Key()
	return oneRecord[persistence.RiskRecord](ctx, r.engine, k)
}

// PositionRecords lists an account's positions by instrument.
func (r Reader) PositionRecords(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.PositionRecord, error) {
	all, err := listRecords[persistence.PositionRecord](ctx, r.engine, customer, persistence.KindPosition)
	return slices.DeleteFunc(all, func(p persistence.PositionRecord) bool { return p.Exchange != exchange }), err
}

// Setting finds a value of the installation.
func (r Reader) Setting(ctx context.Context, name string) (persistence.Setting, error) {
	return oneRecord[persistence.Setting](ctx, r.engine, persistence.Setting{Name: name}.Key())
}

// Idempotency finds the newest attempt of a request id.
func (r Reader) Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error) {
	var found persistence.IdempotencyRecord
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableRecord).text(string(persistence.KindIdempotency)).text(scope + "/" + requestID)
		if s.NoRequest(prefix) {
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
		found, err = decode[persistence.IdempotencyRecord](newest)
		return err
	})
	if err == nil && (found.Scope != scope || found.RequestID != requestID) {
		return persistence.IdempotencyRecord{}, persistence.ErrNotFound
	}
	return found, err
}

// oneRecord reads a record that may not exist. A key that no record can have
// names nothing.
func oneRecord[T persistence.Record](ctx context.Context, engine Viewer, k persistence.Key) (T, error) {
	var found T
	err := engine.View(ctx, func(s Snapshot) error {
		var err error
		found, err = getRecord[T](s, k)
		return err
	})
	return found, err
}

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

func decodeAs[T persistence.Record](kind persistence.Kind, value []byte) (T, error) {
	var none T
	record, err := DecodeRecord(kind, value)
	if err != nil {
		return none, err
	}
	return record.(T), nil
}

// indexed reads a record that an index row names: its absence is corruption.
func indexed[T persistence.Record](g Getter, k persistence.Key) (T, error) {
	found, err := getRecord[T](g, k)
	if errors.Is(err, persistence.ErrNotFound) {
		return found, fmt.Errorf("%w: an index names %s, which is not there", persistence.ErrIntegrity, k)
	}
	return found, err
}

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

// collect reads every row under a prefix, in order.
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
