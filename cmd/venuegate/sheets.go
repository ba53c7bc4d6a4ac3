package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
)

// A backup ends with the .xlsx files of the endpoints, if there are any, as a
// compressed tar after the data of the store. The store is read first: a trade
// that is newer than the store's snapshot may already be in a file and is not
// added twice, while a trade that the store considers written would be missing in
// an older file.

// sheetBytesMax bounds one file, which has at most a thousand rows.
const sheetBytesMax = 16 << 20

// sheetForm matches the path of a file below the directory: customer/name.
var sheetForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}/[A-Za-z0-9][A-Za-z0-9._ ()-]{0,127}\.xlsx$`)

// writeSheets adds the files below a directory, which may be absent.
func writeSheets(ctx context.Context, w io.Writer, dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // only read
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case !entry.Type().IsRegular() || !sheetForm.MatchString(name):
			return nil // a temporary or foreign file
		}
		return addSheet(archive, root, name)
	})
	return errors.Join(err, archive.Close(), zipped.Close())
}

func addSheet(archive *tar.Writer, root *os.Root, name string) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	head := tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: info.Size(), ModTime: info.ModTime()}
	if err := archive.WriteHeader(&head); err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return err
}

// readSheets extracts the files of a backup, if it has any, below a directory.
func readSheets(in *bufio.Reader, dir string) error {
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		return nil
	}
	zipped, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("read files: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what was written is synced
	archive := tar.NewReader(zipped)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return readEnd(zipped)
		}
		if err != nil {
			return fmt.Errorf("read files: %w", err)
		}
		if head.Typeflag != tar.TypeReg || !sheetForm.MatchString(head.Name) || head.Size > sheetBytesMax {
			return fmt.Errorf("read files: %q is not a valid file of a backup", head.Name)
		}
		if err := readSheet(archive, root, head); err != nil {
			return err
		}
	}
}

// readEnd reads the checksum at the end.
func readEnd(zipped io.Reader) error {
	if n, err := zipped.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return fmt.Errorf("read files: trailing data or wrong checksum: %w", err)
	}
	return nil
}

func readSheet(archive io.Reader, root *os.Root, head *tar.Header) error {
	if err := root.MkdirAll(path.Dir(head.Name), 0o700); err != nil {
		return err
	}
	file, err := root.OpenFile(head.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, archive)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return root.Chtimes(head.Name, head.ModTime, head.ModTime)
}
