package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"venuegate/persistence/badgerstore"
	"venuegate/persistence/vault"
)

func newBackupCommand(sh shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write a backup of the data directory to a file", Args: cobra.ExactArgs(1),
		Long: `Writes a consistent snapshot of the store and the .xlsx files of endpoints to a
file. The service may be running. Credentials stay sealed: the key file is not
part of the backup and must be kept apart from it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			err = replaceSecretFile(args[0], func(w io.Writer) error { return backUp(cmd.Context(), config, w) })
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
		Use: "restore FILE", Short: "Create a data directory from a backup", Args: cobra.ExactArgs(1),
		Long: `Creates the store of an empty data directory from a backup. Put the key file next
to it before starting the service, which rejects any other key: the fingerprint of
the right one is printed. At its start the service reads from the venues
what happened after the backup, as far as they still report it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			key, err := restore(cmd.Context(), config, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is restored. %s\n", config.Data, key)
			return nil
		},
	}
	configFlags(cmd, "data")
	return cmd
}

// restore returns a sentence about the key file that the restored directory needs.
func restore(ctx context.Context, config Config, name string) (key string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("open backup: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	dir, err := openDataDir(config.Data)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	in := bufio.NewReader(file)
	err = badgerstore.Restore(dir.file(storeName), in)
	if err == nil {
		err = readSheets(in, dir.file(sheetsName))
	}
	if err != nil {
		return "", err
	}
	store, err := badgerstore.Open(dir.file(storeName), badgerstore.Options{})
	if err != nil {
		return "", err
	}
	key, err = describeKey(ctx, store, config.keyFile())
	return key, errors.Join(err, store.Close())
}
