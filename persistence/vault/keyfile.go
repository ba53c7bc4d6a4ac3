package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"venuegate/persistence/internal/fsync"
)

// keyFileBytesMax bounds the key file. It is enough for some hundred rotations.
const keyFileBytesMax = 64 << 10

// forbiddenMode has the permission bits that a key file must not have: those of its group
// and of other users.
const forbiddenMode = 0o077

func loadOrCreate(path string) (*keyset.Handle, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(path)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return load(file)
}

func load(file *os.File) (*keyset.Handle, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&forbiddenMode != 0 {
		return nil, fmt.Errorf("the key file %s has mode %#o; others must have no access", file.Name(), mode)
	}
	content, err := io.ReadAll(io.LimitReader(file, keyFileBytesMax+1))
	if err != nil {
		return nil, err
	}
	if len(content) > keyFileBytesMax {
		return nil, fmt.Errorf("the key file %s has more than %d bytes", file.Name(), keyFileBytesMax)
	}
	// The keys are not encrypted, because the file is the root of the key hierarchy.
	keys, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(content)))
	if err != nil {
		// The error of the reader might contain key material.
		return nil, fmt.Errorf("the key file %s contains no keys", file.Name())
	}
	return keys, nil
}

// create creates a key file with one new key. If two processes do so concurrently, both
// use the key of the first one.
func create(path string) (*keyset.Handle, error) {
	keys, err := withNewKey(keyset.NewManager())
	if err != nil {
		return nil, err
	}
	scratch, err := writeBeside(path, keys)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(scratch) }()
	switch err := place(scratch, path, os.Link); {
	case errors.Is(err, fs.ErrExist):
		return loadOrCreate(path)
	case err != nil:
		return nil, err
	}
	return keys, fsync.Dir(filepath.Dir(path))
}

// place gives a complete file its name, or returns fs.ErrExist if the name is taken. On a file
// system without hard links it takes the name with an empty file first.
func place(scratch, path string, link func(from, to string) error) error {
	err := link(scratch, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	empty, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(empty.Close(), os.Rename(scratch, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// replaceKeyFile atomically replaces the key file.
func replaceKeyFile(path string, keys *keyset.Handle) error {
	scratch, err := writeBeside(path, keys)
	if err != nil {
		return err
	}
	if err := os.Rename(scratch, path); err != nil {
		return errors.Join(err, os.Remove(scratch))
	}
	return fsync.Dir(filepath.Dir(path))
}

// scratchInfix follows the name of the key file in those of new ones.
const scratchInfix = ".new-"

// RemoveUnfinished removes the files with keys that an interrupted creation or rotation of a
// key file has left. One that cannot be removed stays: the key file is usable without. It must
// not be called while a creation or rotation is under way.
func RemoveUnfinished(keyFile string) {
	dir := filepath.Dir(keyFile)
	entries, _ := os.ReadDir(dir) // It returns those that could be read.
	for _, entry := range entries {
		random, isNew := strings.CutPrefix(entry.Name(), filepath.Base(keyFile)+scratchInfix)
		// Other files are not of CreateTemp, which adds digits.
		if isNew && random != "" && strings.Trim(random, "0123456789") == "" {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// writeBeside durably writes the keys to a new file in the same directory.
func writeBeside(path string, keys *keyset.Handle) (scratch string, err error) {
	// CreateTemp creates files with mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+scratchInfix+"*")
	if err != nil {
		return "", err
	}
	err = insecurecleartextkeyset.Write(keys, keyset.NewJSONWriter(file))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
