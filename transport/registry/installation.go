package registry

import (
	"context"
	"errors"
	"fmt"

	"venuegate/persistence"
	"venuegate/venues"
)

// Installation manages what belongs to no customer: the customers themselves, the key that
// seals, the chain of the journal, and backups. It is safe for concurrent use.
type Installation struct {
	Customers *Customers

	options Options
	audit   audit
}

// Installation returns what belongs to no customer; nil in the view of one customer.
func (v *View) Installation() *Installation { return v.installation }

// Actions of the rows of backups.
const (
	actionBackupBegin = "begin"
	actionBackupDone  = "done"
)

const (
	subjectStore = "store"
	fieldAction  = "action"
	// backupRowsMax bounds the rows that LastBackup reads: more than the backups that are
	// likely to fail in succession.
	backupRowsMax = 100
)

// BeginBackup writes a row that a backup will be sent to the author.
func (in *Installation) BeginBackup(ctx context.Context) error {
	return in.noteBackup(ctx, actionBackupBegin)
}

// FinishBackup writes a row that a backup has been written to its end.
func (in *Installation) FinishBackup(ctx context.Context) error {
	return in.noteBackup(ctx, actionBackupDone)
}

func (in *Installation) noteBackup(ctx context.Context, action string) error {
	in.audit.Lock()
	defer in.audit.Unlock()
	return in.audit.commit(ctx, kindBackup, subjectStore, []persistence.JournalField{field(fieldAction, action)})
}

// LastBackup returns when the last backup was written to its end; zero if there is none among
// the newest rows.
func (in *Installation) LastBackup(ctx context.Context) (venues.Time, error) {
	page, err := in.options.Store.Journal(ctx, persistence.JournalQuery{Kind: kindBackup, Limit: backupRowsMax})
	if err != nil {
		return venues.Time{}, fmt.Errorf("read the rows of backups: %w", err)
	}
	for _, row := range page.Items {
		for _, f := range row.Fields {
			if f == field(fieldAction, actionBackupDone) {
				return row.At, nil
			}
		}
	}
	return venues.Time{}, nil
}

// VerifyJournal checks the chain of the installation's journal.
func (in *Installation) VerifyJournal(ctx context.Context) (Verified, error) {
	rows, err := in.audit.verify(ctx)
	if broken, is := errors.AsType[*ChainBreak](err); is {
		return Verified{Rows: rows, Break: &BrokenChain{broken.Seq, broken.ID, broken.Reason}}, nil
	}
	return Verified{Rows: rows, Intact: err == nil}, err
}
