// Package archive keeps records that are deleted from the store, in files.
//
// A file has the name of its time and the ending .jsonl.zst: lines of JSON, compressed with
// zstd. A line has the kind of a record and the record with all its members:
//
//	{"kind":"order","record":{...}}
//
// A file appears complete and durable, before its records are deleted, and never changes.
// A crash in between leaves the records in the store, and they are written again to a
// later file: readers keep the last line of each record, by kind, customer and id (orderId,
// fillId).
//
//	zstd -dc archive/*.jsonl.zst | jq -c 'select(.kind == "fill") | .record'
package archive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"venuegate/persistence"
	"venuegate/persistence/internal/fsync"
)

const (
	// Suffix is the ending of complete files, partSuffix that of others.
	Suffix     = ".jsonl.zst"
	partSuffix = ".part"
	// timeForm sorts by time.
	timeForm = "20060102T150405.000000000Z"
)

// Dir is an archive in a directory, which it creates. One process may write to it, one
// file at a time.
type Dir struct{ Path string }

var _ persistence.Archive = Dir{}

// line is one line of a file.
type line struct {
	Kind   persistence.Kind   `json:"kind"`
	Record persistence.Record `json:"record"`
}

// Write implements persistence.Archive.
func (d Dir) Write(records []persistence.Record) error {
	if err := d.write(records); err != nil {
		return fmt.Errorf("archive %d records: %w", len(records), err)
	}
	return nil
}

func (d Dir) write(records []persistence.Record) error {
	if err := os.MkdirAll(d.Path, 0o700); err != nil {
		return err
	}
	if err := errors.Join(d.removeParts(), fsync.Dir(filepath.Dir(d.Path))); err != nil {
		return err
	}
	name := filepath.Join(d.Path, time.Now().UTC().Format(timeForm)+Suffix)
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) { // The clock was set back.
		return errors.Join(&fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}, err)
	}
	file, err := os.OpenFile(name+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = encode(file, records)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	// A link would not replace a file either, but not all file systems have links.
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	return fsync.Dir(d.Path)
}

// removeParts removes what a crash has left. The records are still in the store.
func (d Dir) removeParts() error {
	entries, err := os.ReadDir(d.Path)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix+partSuffix) {
			err = errors.Join(err, os.Remove(filepath.Join(d.Path, e.Name())))
		}
	}
	return err
}

func encode(to io.Writer, records []persistence.Record) error {
	compressed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(compressed)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, r := range records {
		if err := lines.Encode(line{r.Key().Kind, r}); err != nil {
			return errors.Join(err, compressed.Close())
		}
	}
	return errors.Join(out.Flush(), compressed.Close())
}
