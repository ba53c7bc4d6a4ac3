package rows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

// Reader implements persistence.Reader on the snapshots of an engine, each query on one.
// This file has the queries of the installation and of accounts; those of orders,
// signals, deliveries and the log are in reader_*.go, and scans in scan.go and page.go.
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
	prefix := newKey(customer, tableAPIKey)
	return view(ctx, r.engine, func(s Snapshot) ([]persistence.APIKey, error) {
		return collect(ctx, s, prefix, prefix.end(), noLimit, func(key, _ []byte) (persistence.APIKey, error) {
			reader := keyReader{rest: key[len(prefix):]}
			id := reader.text()
			if reader.err != nil {
				return persistence.APIKey{}, reader.err
			}
			return indexedRecord[persistence.APIKey](s, persistence.APIKey{ID: id}.Key())
		})
	})
}

// Users lists the users by login.
func (r Reader) Users(ctx context.Context) ([]persistence.User, error) {
	return listRecords[persistence.User](ctx, r.engine, "", persistence.KindUser)
}

// User returns one user.
func (r Reader) User(ctx context.Context, login string) (persistence.User, error) {
	return oneRecord[persistence.User](ctx, r.engine, persistence.User{Login: login}.Key())
}

// Sessions lists the sessions by id.
func (r Reader) Sessions(ctx context.Context) ([]persistence.Session, error) {
	return listRecords[persistence.Session](ctx, r.engine, "", persistence.KindSession)
}

// Session returns one session.
func (r Reader) Session(ctx context.Context, id string) (persistence.Session, error) {
	return oneRecord[persistence.Session](ctx, r.engine, persistence.Session{ID: id}.Key())
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
	found, err := view(ctx, r.engine, func(s Snapshot) (none persistence.IdempotencyRecord, err error) {
		prefix := recordPrefix(customer, persistence.KindIdempotency).text(scope + "/" + requestID)
		if s.LacksRequest(prefix) {
			return none, persistence.ErrNotFound
		}
		newest, err := lastRow(s, prefix)
		if err != nil {
			return none, err
		}
		return decodeRow[persistence.IdempotencyRecord](newest.key, newest.value)
	})
	// Stored scopes contain no slash, but the scope of the query may: "a/b" with "c" has
	// the key of "a" with "b/c".
	if err == nil && (found.Scope != scope || found.RequestID != requestID) {
		return persistence.IdempotencyRecord{}, persistence.ErrNotFound
	}
	return found, err
}

// oneRecord reads a record in a snapshot of its own. It returns ErrNotFound for a
// missing record and for an invalid key.
func oneRecord[T persistence.Record](ctx context.Context, engine Viewer, k persistence.Key) (T, error) {
	return view(ctx, engine, func(s Snapshot) (T, error) { return getRecord[T](s, k) })
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
	return decodeAs[T](k, value)
}

// decodeAs decodes the record with the key k, whose type is T.
func decodeAs[T persistence.Record](k persistence.Key, value []byte) (T, error) {
	var none T
	record, err := decodeRecord(k, value)
	if err != nil {
		return none, err
	}
	return record.(T), nil
}

// decodeRow decodes the row of a record, whose type is T.
func decodeRow[T persistence.Record](key, value []byte) (T, error) {
	_, id, err := identify(key)
	if err != nil {
		var none T
		return none, err
	}
	return decodeAs[T](id.Key, value)
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
	return view(ctx, engine, func(s Snapshot) ([]T, error) {
		prefix := recordPrefix(customer, kind)
		return collect(ctx, s, prefix, prefix.end(), noLimit, decodeRow[T])
	})
}
