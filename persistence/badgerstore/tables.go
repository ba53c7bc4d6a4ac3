package badgerstore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
	"google.golang.org/protobuf/proto"

	"venuegate/persistence"
)

// checkFiles checks the files of a database before badger opens it, because badger
// deletes tables that are not in its manifest, ignores some damaged tables, and ends the
// process on others. It changes no file. If the tables have more than bytesMax bytes, their
// blocks are still to be verified, by the tableCheck that it returns.
func checkFiles(database string, o badger.Options, bytesMax int64) (*tableCheck, error) {
	manifest, err := readManifest(database, o)
	if errors.Is(err, os.ErrNotExist) {
		return nil, checkEmpty(database)
	}
	if err != nil {
		return nil, err
	}
	tables, err := outlineAll(database, manifest)
	if err != nil {
		return nil, err
	}
	bytes := int64(0)
	for _, t := range tables {
		bytes += t.size
	}
	check := newTableCheck(database, o, tables)
	if bytes > bytesMax {
		return check, nil
	}
	defer check.close()
	return nil, check.verifyTo(nil)
}

// outlinesMax bounds the tables that are outlined at the same time. There are several,
// because each waits for a few reads from the disk.
const outlinesMax = 16

// outlineAll outlines the tables of a manifest.
func outlineAll(database string, manifest map[uint64]badger.TableManifest) (tables []*uncheckedTable, err error) {
	var running sync.WaitGroup
	var mu sync.Mutex
	free := make(chan struct{}, outlinesMax)
	for id, description := range manifest {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			t, outlineErr := outline(database, id, description)
			mu.Lock()
			defer mu.Unlock()
			tables, err = append(tables, t), cmp.Or(err, outlineErr)
		})
	}
	running.Wait()
	if err != nil {
		return nil, err
	}
	return tables, nil
}

// readManifest returns the tables of a database.
func readManifest(database string, o badger.Options) (map[uint64]badger.TableManifest, error) {
	file, err := os.Open(filepath.Join(database, badger.ManifestFilename))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // It was only read.
	content, _, err := badger.ReplayManifestFile(file, 0, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", persistence.ErrIntegrity, badger.ManifestFilename, err)
	}
	return content.Tables, nil
}

// checkEmpty returns ErrIntegrity for a database that has lost only its manifest.
func checkEmpty(database string) error {
	for _, suffix := range []string{tableSuffix, memLogSuffix} {
		found, err := filesOf(database, suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("%w: %s without %s", persistence.ErrIntegrity, filepath.Base(found[0]), badger.ManifestFilename)
		}
	}
	return nil
}

// footerBytes is more than what follows the index of a table.
const footerBytes = 256

// preload reads the index and the last block of a table, so that they are in memory when the
// table is mapped: the goroutines that wait for page faults would keep all processors. It
// ignores damage, which mapTable finds.
func preload(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // It was only read.
	info, err := file.Stat()
	if err != nil {
		return err
	}
	content := io.NewSectionReader(file, 0, info.Size())
	footer := make([]byte, min(footerBytes, info.Size()))
	if _, err := content.ReadAt(footer, info.Size()-int64(len(footer))); err != nil {
		return err
	}
	_, rest, err := cutSized(footer)
	if err != nil || len(rest) < lengthBytes {
		return nil
	}
	index := int64(binary.BigEndian.Uint32(rest[len(rest)-lengthBytes:]))
	end := make([]byte, min(index+footerBytes+2*tableBlockBytes, info.Size()))
	_, err = content.ReadAt(end, info.Size()-int64(len(end)))
	return err
}

// mapTable maps a table into memory, after it has verified the end, on whose damage badger
// ends the process, and returns the index of its blocks.
func mapTable(path string) (file *z.MmapFile, index []byte, err error) {
	file, err = z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	if index, err = checkFooter(file.Data); err != nil {
		return nil, nil, errors.Join(err, unmapTable(file))
	}
	return file, index, nil
}

// unmapTable closes a table that was only read. Its method Close would sync it, which takes
// as long as if it had been written.
func unmapTable(file *z.MmapFile) error { return errors.Join(z.Munmap(file.Data), file.Fd.Close()) }

// openTable opens a mapped table, and verifies the index and the last block. If it fails, it
// closes the file. It recovers from badger's panics on some damage.
func openTable(file *z.MmapFile, compression options.CompressionType) (t *table.Table, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("unreadable: %v", cause)
		}
		if err != nil {
			_ = file.Close(-1) // A second Close does nothing.
		}
	}()
	return table.OpenTable(file, table.Options{
		ReadOnly: true, ChkMode: options.OnBlockRead, Compression: compression, BlockSize: tableBlockBytes,
	})
}

// tableBlockBytes is badger's default; readers require a size other than zero.
const tableBlockBytes = 4 << 10

// checkFooter verifies the end of a table, on whose damage badger ends the process:
// the index and its length, the checksum and its length. It returns the index.
func checkFooter(data []byte) (index []byte, err error) {
	checksum, rest, err := cutSized(data)
	if err != nil {
		return nil, err
	}
	if index, _, err = cutSized(rest); err != nil {
		return nil, err
	}
	var expected pb.Checksum
	if err := proto.Unmarshal(checksum, &expected); err != nil {
		return nil, err
	}
	return index, y.VerifyChecksum(index, &expected)
}

var errTruncated = errors.New("truncated")

// lengthBytes is the size of a length.
const lengthBytes = 4

// cutSized cuts off the last part and its length, which follows it in four bytes.
func cutSized(data []byte) (part, rest []byte, err error) {
	end := len(data) - lengthBytes
	if end < 0 {
		return nil, nil, errTruncated
	}
	length := int(binary.BigEndian.Uint32(data[end:]))
	if length > end {
		return nil, nil, errTruncated
	}
	return data[end-length : end], data[:end-length], nil
}
