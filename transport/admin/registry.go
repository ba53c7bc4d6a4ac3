package admin

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Store is what the registry needs of the store.
type Store interface {
	Customers(ctx context.Context) ([]persistence.Customer, error)
	Customer(ctx context.Context, id string) (persistence.Customer, error)
	APIKey(ctx context.Context, id string) (persistence.APIKey, error)
	APIKeys(ctx context.Context, customer string) ([]persistence.APIKey, error)
	VenueAccounts(ctx context.Context, customer string) ([]persistence.VenueAccount, error)
	Risk(ctx context.Context, customer string, exchange venues.Venue) (persistence.RiskRecord, error)
	LastSequence(ctx context.Context, customer string) (uint64, error)
	Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error)
	Setting(ctx context.Context, name string) (persistence.Setting, error)
	Commit(ctx context.Context, b persistence.Batch) error
}

// Directory is the running service, which follows the records. Calls return
// when it has; an error leaves the record in place, and the next start follows
// it.
type Directory interface {
	// CustomerChanged: a customer was made, disabled or enabled again.
	CustomerChanged(ctx context.Context, customer string) error
	// KeyChanged: a key was changed or revoked; what was opened with it ends.
	KeyChanged(ctx context.Context, keyID string) error
	// PutAccount records the account under the fence of its customer, whose
	// owner the directory is, and then connects, reconnects or, without
	// credentials, disconnects it.
	PutAccount(ctx context.Context, account persistence.VenueAccount) error
	// ConfigureAccount records it likewise and gives the account its limits; it
	// begins or ends a halt. The account stays connected.
	ConfigureAccount(ctx context.Context, account persistence.VenueAccount) error
	// AwaitHalt waits for the end of a halt.
	AwaitHalt(ctx context.Context, customer string, exchange venues.Venue) (HaltReport, error)
	// UnlockAccount ends the lock of a limit.
	UnlockAccount(ctx context.Context, customer string, exchange venues.Venue) error
}

// Vault seals venue credentials for one customer and exchange.
type Vault interface {
	Seal(customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error)
	Open(customer string, exchange venues.Venue, sealed []byte) (venues.Credentials, error)
}

// Examiner looks at an account with its credentials, from outside.
type Examiner interface {
	Examine(ctx context.Context, exchange venues.Venue, c venues.Credentials) []Finding
}

// Options of a Registry; all are required.
type Options struct {
	Store     Store
	Directory Directory
	Vault     Vault
	Examiner  Examiner
	// Environments are those of the configured venues.
	Environments map[venues.Venue]string
}

// Registry makes, changes and ends customers, keys and accounts. It is safe for
// concurrent use.
type Registry struct {
	Options
	// entropy of ids.
	entropy io.Reader

	// turn is held through a change: read, decide, commit.
	turn sync.Mutex
	// head is where the installation's journal ends; nil means that it must be
	// read from the store.
	head *chainHead
}

// NewRegistry makes a Registry.
func NewRegistry(o Options) *Registry { return &Registry{Options: o, entropy: rand.Reader} }

// Kinds of journal row.
const (
	kindCustomer = "admin.customer"
	kindKey      = "admin.key"
	kindAccount  = "admin.account"
)

// commit writes the row that tells of a change, and with it the records of the
// installation that were changed. The caller has the turn.
func (r *Registry) commit(ctx context.Context, kind, subject string, fields []persistence.JournalField, records ...persistence.Record) error {
	head, err := r.readHead(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	entry, head := head.follow(persistence.JournalEntry{
		ID: r.newID(persistence.PrefixJournal, now), At: venues.At(now), Kind: kind, Subject: subject, Fields: fields,
	})
	batch := persistence.Batch{Puts: append(records, head.setting()), Journal: []persistence.JournalEntry{entry}}
	if err := r.Store.Commit(ctx, batch); err != nil {
		// Whether the row is there is not known.
		r.head = nil
		return fmt.Errorf("record %s of %s: %w", kind, subject, err)
	}
	r.head = &head
	return nil
}

func (r *Registry) newID(prefix string, at time.Time) string {
	return persistence.NewID(prefix, at, r.entropy)
}

func field(name, value string) persistence.JournalField {
	return persistence.JournalField{Name: name, Value: value}
}
