package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"venuegate/venues"
)

// Names in the data directory.
const (
	lockName       = "venuegate.lock"
	adminTokenName = "admin.token"
	storeName      = "store"
	archiveName    = "archive"
	// restoringName is the directory in which a restore creates what it then moves.
	restoringName = "restoring"
	// unhaltedName marks a store whose loss is accepted until its accounts are halted. It is in
	// the directory of the store, with which it is moved or removed.
	unhaltedName = storeName + "/unhalted"
)

// adminTokenBytes is the strength of the administration token.
const adminTokenBytes = 32

// errDataDirInUse is returned when another process holds the directory.
var errDataDirInUse = errors.New("the data directory is in use by another process")

// errUnhalted is returned when the loss of the store was accepted, but not all accounts are
// halted.
var errUnhalted = errors.New("the store has lost data and not all accounts are halted: run `venuegate doctor --accept-loss` again")

// dataDir is a data directory that this process owns until Close.
type dataDir struct {
	path string
	lock *os.File
	// demo is the lock of a demo, or nil.
	demo *os.File
}

// writableByOthers are the permission bits of a directory in which other users can
// create and replace files.
const writableByOthers = 0o022

// openDataDir creates the directory if it does not exist and locks it. It returns
// errDataDirInUse if another process holds the lock. A directory that other users can
// write to is refused: they could replace the store or the administration token.
func openDataDir(path string) (*dataDir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("examine data directory: %w", err)
	}
	if info.Mode().Perm()&writableByOthers != 0 {
		return nil, fmt.Errorf("the data directory %s is writable by other users (%s), who could replace its files: run `chmod go-w %s`", path, info.Mode(), path)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	// The kernel releases the lock when the process ends, however it ends.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", errDataDirInUse, path, err), lock.Close())
	}
	d := &dataDir{path: path, lock: lock}
	if err := d.removeTemporaries(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// removeTemporaries removes what a process that was killed has left of files that it was
// writing, which hold keys, and of a restore.
func (d *dataDir) removeTemporaries() error {
	if err := d.removeRestoring(); err != nil {
		return fmt.Errorf("remove an interrupted restore: %w", err)
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("list data directory: %w", err)
	}
	for _, entry := range entries {
		for _, name := range []string{adminTokenName, demoName} {
			if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), temporaryPrefix(name)) {
				if err := os.Remove(d.file(entry.Name())); err != nil {
					return fmt.Errorf("remove a temporary file: %w", err)
				}
			}
		}
	}
	return nil
}

// removeRestoring removes an interrupted restore. The files of endpoints are a part of it if it
// had not moved the store yet, because it begins only if there are none.
func (d *dataDir) removeRestoring() error {
	if _, err := os.Lstat(d.file(restoringName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	entries, err := os.ReadDir(d.file(storeName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) == 0 {
		if err := os.RemoveAll(d.file(sheetsName)); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.file(restoringName))
}

// Close releases the locks: that of a demo last, whose end means that the directory is free.
func (d *dataDir) Close() error {
	err := d.lock.Close()
	if d.demo != nil {
		err = errors.Join(err, d.demo.Close())
	}
	return err
}

// sync makes the names in the directory durable.
func (d *dataDir) sync() error { return syncDir(d.path) }

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// markUnhalted durably marks the store as one whose accounts are to be halted.
func (d *dataDir) markUnhalted() error {
	if err := os.WriteFile(d.file(unhaltedName), nil, 0o600); err != nil {
		return err
	}
	return syncDir(d.file(storeName))
}

// checkHalted returns errUnhalted if the store is marked by markUnhalted.
func (d *dataDir) checkHalted() error {
	_, err := os.Stat(d.file(unhaltedName))
	switch {
	case err == nil:
		return errUnhalted
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

func (d *dataDir) file(name string) string { return filepath.Join(d.path, name) }

// adminToken returns the administration token; the first start creates it.
func (d *dataDir) adminToken() (venues.Secret, error) {
	token, err := readAdminToken(d.path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	random := make([]byte, adminTokenBytes)
	if _, err := rand.Read(random); err != nil {
		return "", fmt.Errorf("make administration token: %w", err)
	}
	token = venues.Secret(base64.RawURLEncoding.EncodeToString(random))
	if err := writeSecretFile(d.file(adminTokenName), []byte(token.Reveal()+"\n")); err != nil {
		return "", fmt.Errorf("write administration token: %w", err)
	}
	return token, nil
}

// readAdminToken reads the token of the service that owns a data directory.
func readAdminToken(dir string) (venues.Secret, error) {
	content, err := os.ReadFile(filepath.Join(dir, adminTokenName))
	if err != nil {
		return "", fmt.Errorf("read administration token: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if len(token) < base64.RawURLEncoding.EncodedLen(adminTokenBytes) {
		return "", fmt.Errorf("%s does not contain a token; remove it and restart to create one", filepath.Join(dir, adminTokenName))
	}
	return venues.Secret(token), nil
}

// writeSecretFile replaces a file atomically and durably, with mode 0600.
func writeSecretFile(name string, content []byte) error {
	return replaceSecretFile(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// temporaryPrefix begins the names of a file's temporary files.
func temporaryPrefix(name string) string { return "." + name + "." }

// replaceSecretFile is writeSecretFile for large content. If write fails, the
// previous file stays.
func replaceSecretFile(name string, write func(io.Writer) error) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(name), temporaryPrefix(filepath.Base(name))+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	// CreateTemp makes files of mode 0600.
	if err := write(temporary); err != nil {
		return errors.Join(err, temporary.Close())
	}
	if err := errors.Join(temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), name)
}
