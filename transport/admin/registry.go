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
	Channels(ctx context.Context, customer string) ([]persistence.Channel, error)
	Endpoints(ctx context.Context, customer string) ([]persistence.Endpoint, error)
	Alerts(ctx context.Context, customer string) ([]persistence.Alert, error)
	Deliveries(ctx context.Context, q persistence.DeliveryQuery) (persistence.Page[persistence.Delivery], error)
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
	// RecordAccount records the account, and nothing of it changes.
	RecordAccount(ctx context.Context, account persistence.VenueAccount) error
	Signals
}

// Signals is the part of the running service that takes signals and carries
// events.
type Signals interface {
	// PutPart records a Channel or an Endpoint under the fence of its customer,
	// with a row of its journal, and lets its actor follow.
	PutPart(ctx context.Context, record persistence.Record, row persistence.JournalEntry) error
	// PutAlert does so for an alert and gives it as it is stored.
	PutAlert(ctx context.Context, alert persistence.Alert, row persistence.JournalEntry) (persistence.Alert, error)
	// Accept takes a signal whose sender is proven.
	Accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error)
	Resend(ctx context.Context, customer, endpoint, eventID string) error
	ResendUndelivered(ctx context.Context, customer, endpoint string) (int, error)
	TestEndpoint(ctx context.Context, customer, endpoint string) (EndpointTest, error)
	// Symbol gives the canonical name of an instrument of an exchange, or of
	// any if it is empty.
	Symbol(exchange venues.Venue, text string) (string, bool)
}

// Vault seals venue credentials for one customer and exchange.
type Vault interface {
	Seal(customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error)
	Open(customer string, exchange venues.Venue, sealed []byte) (venues.Credentials, error)
}

// Secrets seals what belongs to a record.
type Secrets interface {
	Seal(secret venues.Secret, of persistence.Key) ([]byte, error)
	Open(sealed []byte, of persistence.Key) (venues.Secret, error)
	// Rotate makes a new key, which seals from then on.
	Rotate() error
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
	Secrets   Secrets
	Examiner  Examiner
	// HookURL is where the signals of a channel go. The secret is that of a
	// chart's address.
	HookURL func(channel persistence.Channel, address venues.Secret) string
	// Targets are the kinds of endpoint that are served.
	Targets map[persistence.EndpointKind]Target
	// Files are those of endpoints that write some.
	Files Files
	// Environments are those of the configured venues.
	Environments map[venues.Venue]string
}

// Target says what an endpoint of one kind may lead to. The errors are for the
// administrator: invalid_request with the member to put right.
type Target struct {
	// Form says whether a text can be a target at all.
	Form func(target string) error
	// Reach, if there is one, says what is missing for events to arrive.
	Reach func(ctx context.Context, e persistence.Endpoint) error
}

// Registry makes, changes and ends customers, keys and accounts. It is safe for
// concurrent use.
type Registry struct {
	Options
	// entropy of ids.
	entropy io.Reader

	// turn is held through a change: read, decide, commit. Whom a change must ask
	// outside of this process it asks before.
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
	kindHook     = "admin.hook"
	kindEndpoint = "admin.endpoint"
	kindAlert    = "admin.alert"
	kindVault    = "admin.vault"
)

// commit writes the row that tells of a change, and with it the records of the
// installation that were changed. The caller has the turn.
func (r *Registry) commit(ctx context.Context, kind, subject string, fields []persistence.JournalField, records ...persistence.Record) error {
	head, err := r.readHead(ctx)
	if err != nil {
		return err
	}
	entry, head := head.follow(r.row(kind, subject, fields))
	batch := persistence.Batch{Puts: append(records, head.setting()), Journal: []persistence.JournalEntry{entry}}
	if err := r.Store.Commit(ctx, batch); err != nil {
		// Whether the row is there is not known.
		r.head = nil
		return fmt.Errorf("record %s of %s: %w", kind, subject, err)
	}
	r.head = &head
	return nil
}

func (r *Registry) row(kind, subject string, fields []persistence.JournalField) persistence.JournalEntry {
	now := time.Now()
	return persistence.JournalEntry{
		ID: r.newID(persistence.PrefixJournal, now), At: venues.At(now), Kind: kind, Subject: subject, Fields: fields,
	}
}

// putPart records through the owner of the customer, whose journal says so too,
// then leaves a row of what the administration did. The caller has the turn.
func (r *Registry) putPart(ctx context.Context, kind string, record persistence.Record, id string, fields []persistence.JournalField) error {
	row := r.row(kind, id, fields)
	row.Channel = id
	if err := r.Directory.PutPart(ctx, record, row); err != nil {
		return fmt.Errorf("put %s %s: %w", kind, id, err)
	}
	return r.commit(ctx, kind, id, fields)
}

func (r *Registry) newID(prefix string, at time.Time) string {
	return persistence.NewID(prefix, at, r.entropy)
}

func field(name, value string) persistence.JournalField {
	return persistence.JournalField{Name: name, Value: value}
}
