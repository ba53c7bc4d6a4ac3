package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/vault"
	"venuegate/venues"
)

func newBackupCommand(sh shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write a backup of the data directory to a file", Args: namedArgs,
		Long: `Writes a consistent snapshot of the store and the .xlsx files of endpoints to a
file. The service may be running. Credentials stay sealed: the key file is not
part of the backup and must be kept apart from it. Neither are the files of
archive, which never change and can be copied at any time.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			p := startProgress(cmd.ErrOrStderr(), nil, "backup")
			err = replaceSecretFile(args[0], func(w io.Writer) error { return backUp(cmd.Context(), config, io.MultiWriter(w, p)) })
			if err == nil {
				err = countBackup(p, args[0])
			}
			p.end(err)
			if err != nil {
				return err
			}
			key := config.keyFile()
			if fingerprint, err := vault.Fingerprint(key); err == nil {
				key += " (fingerprint " + fingerprint + ")"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is a backup of %s. Keep a copy of %s elsewhere: without it the credentials cannot be opened.\n", args[0], config.Data, key)
			return nil
		},
	}
	configFlags(cmd, "data", "admin-listen")
	return cmd
}

// countBackup reports the number of rows in a backup.
func countBackup(p *progress, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	count, err := badgerstore.BackupRows(file)
	p.counted(int64(count), "rows")
	return err
}

// backUp writes a backup through the service that runs on the directory, or opens
// the store itself if no service runs.
func backUp(ctx context.Context, config Config, w io.Writer) error {
	if _, err := os.Stat(config.Data); err != nil {
		return fmt.Errorf("nothing to back up: %w", err)
	}
	dir, err := openDataDir(config.Data)
	if errors.Is(err, errDataDirInUse) {
		client, err := newAdminClient(config)
		if err != nil {
			return err
		}
		return client.backup(ctx, w)
	}
	if err != nil {
		return err
	}
	store, err := badgerstore.Open(dir.file(storeName), badgerstore.Options{})
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	return errors.Join(writeBackup(ctx, store, dir.file(sheetsName), w), store.Close(), dir.Close())
}

// writeBackup writes the store, then the files of endpoints.
func writeBackup(ctx context.Context, store *badgerstore.Store, sheets string, w io.Writer) error {
	if err := store.Backup(ctx, w); err != nil {
		return err
	}
	return writeSheets(ctx, w, sheets)
}

func newRestoreCommand(sh shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Create a data directory from a backup", Args: namedArgs,
		Long: `Creates the store of an empty data directory from a backup. Put the key file next
to it before starting the service, which rejects any other key: the fingerprint of
the right one is printed. At its start the service reads from the venues
what happened after the backup, as far as they still report it.

All accounts are halted: the requestIds that were accepted after the backup are not
known, and a repeat of one would place a second order. Open orders stay, and orders
that reduce a position are accepted. Once no client repeats a request from before
the restore, resume each account with "venuegate accounts resume ID".`,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			p := startProgress(cmd.ErrOrStderr(), nil, "restore")
			done, err := restore(cmd.Context(), config, args[0], p)
			p.end(err)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s is restored. %s\n", config.Data, done.key)
			printHalted(out, done.halted, "that were accepted after the backup")
			return nil
		},
	}
	configFlags(cmd, "data")
	return cmd
}

// restored is the result of a restore.
type restored struct {
	// key is a sentence about the key file that the directory needs.
	key string
	// halted has the ids of the accounts, which are halted.
	halted []string
}

// restore creates the store and the files of endpoints in an empty data directory.
func restore(ctx context.Context, config Config, name string, p *progress) (out restored, err error) {
	file, err := os.Open(name)
	if err != nil {
		return out, fmt.Errorf("open backup: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	dir, err := openDataDir(config.Data)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	for _, name := range []string{storeName, sheetsName} {
		if entries, err := os.ReadDir(dir.file(name)); err == nil && len(entries) > 0 {
			return out, fmt.Errorf("%s is not empty", dir.file(name))
		}
	}
	if info, err := file.Stat(); err == nil {
		p.expect(info.Size())
	}
	scratch := dir.file(restoringName)
	if out, err = restoreTo(ctx, config, scratch, bufio.NewReader(io.TeeReader(file, p))); err == nil {
		err = dir.place(scratch)
	}
	if err == nil {
		err = countBackup(p, name)
	}
	return out, errors.Join(err, os.RemoveAll(scratch))
}

// restoreTo creates the store, with its accounts halted, and the files of endpoints below a
// directory.
func restoreTo(ctx context.Context, config Config, scratch string, in *bufio.Reader) (out restored, err error) {
	store := filepath.Join(scratch, storeName)
	if err := badgerstore.Restore(store, in); err != nil {
		return out, err
	}
	if err := readSheets(in, filepath.Join(scratch, sheetsName)); err != nil {
		return out, err
	}
	if out, err = prepareRestored(ctx, config, store); err != nil {
		return out, fmt.Errorf("prepare the restored store: %w", err)
	}
	return out, nil
}

// place moves what was restored from a directory to its place. The store is last: a service
// that starts before finds none.
func (d *dataDir) place(restored string) error {
	err := os.Rename(filepath.Join(restored, sheetsName), d.file(sheetsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.sync(); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(restored, storeName), d.file(storeName)); err != nil {
		return err
	}
	return d.sync()
}

// prepareRestored halts all accounts of a restored store and signs all users out.
func prepareRestored(ctx context.Context, config Config, dir string) (out restored, err error) {
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if out.key, err = describeKey(ctx, store, config.keyFile()); err != nil {
		return out, err
	}
	if err := endSessions(ctx, store); err != nil {
		return out, err
	}
	out.halted, err = haltAll(ctx, store, "restore")
	return out, err
}

// endSessions ends the sessions of the console: some may have ended after the backup.
func endSessions(ctx context.Context, store *badgerstore.Store) error {
	sessions, err := store.Sessions(ctx)
	now := venues.At(time.Now())
	batch := persistence.Batch{Reserve: true}
	for _, s := range sessions {
		if now.Before(s.EndsAt.Time) {
			s.EndsAt = now
			batch.Puts = append(batch.Puts, s)
		}
	}
	if err != nil || batch.Empty() {
		return err
	}
	return store.Commit(ctx, batch)
}

// haltAll halts the accounts that are not halted yet, for a reason, and returns those that
// can be resumed, with those of an earlier call.
func haltAll(ctx context.Context, store *badgerstore.Store, reason string) (halted []string, err error) {
	customers, err := store.Customers(ctx)
	if err != nil {
		return nil, err
	}
	log := journal.NewClient(store)
	for _, c := range customers {
		ids, err := haltCustomer(ctx, store, log, c.ID, reason)
		if err != nil {
			return halted, err
		}
		halted = append(halted, ids...)
	}
	return halted, nil
}

// printHalted prints how to resume accounts that are halted because some requestIds are not
// known.
func printHalted(out io.Writer, halted []string, which string) {
	if len(halted) > 0 {
		fmt.Fprintf(out, "The accounts are halted, because requestIds %s are not known.\nStart the service, compare orders and positions with the venues, then resume each account:\n", which)
	}
	for _, id := range halted {
		fmt.Fprintf(out, "  venuegate accounts resume %s\n", id)
	}
}

// haltCustomer halts the accounts of a customer that are not halted yet, with a row in its
// journal for each, and returns those that can be resumed, with those of an earlier call.
func haltCustomer(ctx context.Context, store *badgerstore.Store, log *journal.Client, customer, reason string) (halted []string, err error) {
	accounts, err := store.VenueAccounts(ctx, customer)
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	fence, err := log.Own(ctx, customer)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	batch := persistence.Batch{Fence: fence, Reserve: true}
	for _, a := range accounts {
		if a.RemovedAt.IsZero() && (!a.Halted || a.Hold) {
			halted = append(halted, customer+":"+string(a.Exchange))
		}
		if a.Halted {
			continue
		}
		// One that was removed may be connected again, with its halt.
		a.HaltRestored(now)
		batch.Puts = append(batch.Puts, a)
		batch.Journal = append(batch.Journal, persistence.JournalEntry{
			ID: persistence.NewID(persistence.PrefixJournal, now, rand.Reader), At: venues.At(now),
			Kind: "account.halted", Subject: string(a.Exchange),
			Fields: []persistence.JournalField{{Name: "reason", Value: reason}},
		})
	}
	return halted, log.Commit(ctx, batch)
}
