package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// AuditStore keeps the installation's own records and journal.
type AuditStore interface {
	Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error)
	LastSequence(ctx context.Context, customer string) (uint64, error)
	Setting(ctx context.Context, name string) (persistence.Setting, error)
	Commit(ctx context.Context, b persistence.Batch) error
}

// Kinds of journal row.
const (
	kindCustomer = "admin.customer"
	kindKey      = "admin.key"
	kindAccount  = "admin.account"
	kindHook     = "admin.hook"
	kindEndpoint = "admin.endpoint"
	kindAlert    = "admin.alert"
	kindVault    = "admin.vault"
	kindBackup   = "admin.backup"
	kindUser     = "admin.user"
)

// auditLog appends to the installation's journal, whose rows form a hash chain.
//
// Its mutex is held during every change of the registry: read, decide, commit. A
// change that calls a venue or another outside service does so before it locks: a call
// that hangs must not delay a halt.
type auditLog struct {
	sync.Mutex

	store AuditStore
	// entropy is the random source of ids.
	entropy io.Reader
	// service adds rows to the journals of customers.
	service RecordService
	// head is the end of the chain; nil means that it must be read from the store.
	head *chainHead
}

// Author is who makes changes. Empty parts are not in the journal rows.
type Author struct {
	// By is the login of a user.
	By string
	// Via is the edge that the user is signed in at.
	Via string
	// From is the address that the user acts from.
	From string
}

// audit is the journal of the changes that one author makes.
type audit struct {
	*auditLog
	author Author
}

// commit stores the row of a change, and with it the records of the installation
// that it changed. The caller holds the mutex.
func (l audit) commit(ctx context.Context, kind, subject string, fields []persistence.JournalField, records ...persistence.Record) error {
	head, err := l.readHead(ctx)
	if err != nil {
		return err
	}
	entry, head := head.follow(l.row(ctx, kind, subject, fields))
	batch := persistence.Batch{
		Puts: append(records, head.setting()), Journal: []persistence.JournalEntry{entry},
		Reserve: true, // An operator can revoke a key and halt an account on a full disk.
	}
	if err := l.store.Commit(ctx, batch); err != nil {
		l.head = nil // the row may be stored or not
		return fmt.Errorf("record %s of %s: %w", kind, subject, err)
	}
	l.head = &head
	return nil
}

// commitOf is commit for a record of the installation that belongs to a customer, or to none if it
// is empty. The journal of the customer has a row of it too, unless the service ends before it is
// stored: whether a key is revoked does not depend on it.
func (l audit) commitOf(ctx context.Context, customer, kind, subject string, fields []persistence.JournalField, records ...persistence.Record) error {
	if err := l.commit(ctx, kind, subject, fields, records...); err != nil {
		return err
	}
	if customer != "" {
		l.service.AddRow(customer, l.row(ctx, kind, subject, fields))
	}
	return nil
}

// row returns a journal row that has no sequence number yet. It ends with the author and
// the origin of the call.
func (l audit) row(ctx context.Context, kind, subject string, fields []persistence.JournalField) persistence.JournalEntry {
	now := time.Now()
	fields = slices.Clip(fields)
	for _, f := range []persistence.JournalField{field("by", l.author.By), field("via", l.author.Via), field("from", l.author.From)} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return persistence.JournalEntry{
		ID: l.newID(persistence.PrefixJournal, now), At: venues.At(now), Kind: kind, Subject: subject,
		Fields: persistence.AppendOrigin(fields, venues.OriginOf(ctx)),
	}
}

func (l *auditLog) newID(prefix string, at time.Time) string {
	return persistence.NewID(prefix, at, l.entropy)
}

// readHead returns the end of the chain. It reads the store at the first row after
// a start or after a commit of unknown outcome. A journal without a chain gets one
// that begins after the rows it has. The caller holds the mutex.
func (l *auditLog) readHead(ctx context.Context) (chainHead, error) {
	if l.head != nil {
		return *l.head, nil
	}
	setting, err := l.store.Setting(ctx, settingChainHead)
	if err == nil {
		return chainHeadOf(setting)
	}
	if !errors.Is(err, persistence.ErrNotFound) {
		return chainHead{}, fmt.Errorf("read the end of the journal's chain: %w", err)
	}
	links, err := l.readLinks(ctx)
	if err != nil {
		return chainHead{}, err
	}
	head, _ := walk(links)
	last, err := l.store.LastSequence(ctx, "")
	if err != nil {
		return chainHead{}, fmt.Errorf("read the journal's sequence: %w", err)
	}
	head.seq = max(head.seq, last)
	return head, nil
}

func field(name, value string) persistence.JournalField {
	return persistence.JournalField{Name: name, Value: value}
}

// putRecord stores a record that has an actor, with a row in its customer's
// journal and one in the installation's. The caller holds the mutex.
func putRecord(ctx context.Context, l audit, service RecordService, kind string, record persistence.Record, id string, fields []persistence.JournalField) error {
	row := l.row(ctx, kind, id, fields)
	row.Channel = id
	if err := service.ConfigurePart(ctx, record, row); err != nil {
		return fmt.Errorf("put %s %s: %w", kind, id, err)
	}
	return l.commit(ctx, kind, id, fields)
}
