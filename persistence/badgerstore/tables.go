package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
// deletes tables that are not in its manifest, and ends the process on tables that it
// cannot read. It changes no file.
func checkFiles(database string, o badger.Options) error {
	manifest, err := os.Open(filepath.Join(database, badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		return checkEmpty(database)
	}
	if err != nil {
		return err
	}
	defer func() { _ = manifest.Close() }()
	content, _, err := badger.ReplayManifestFile(manifest, 0, o)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", persistence.ErrIntegrity, badger.ManifestFilename, err)
	}
	for id, description := range content.Tables {
		path := table.NewFilename(id, database)
		if err := checkTable(path, description.Compression); err != nil {
			return fmt.Errorf("%w: table %s: %w", persistence.ErrIntegrity, filepath.Base(path), err)
		}
	}
	return nil
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

// checkTable reads a whole table and verifies its checksums. It recovers from badger's
// panics on some damage.
func checkTable(path string, compression options.CompressionType) (err error) {
	file, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("unreadable: %v", cause)
		}
		// The error of a second Close is meaningless.
		_ = file.Close(-1)
	}()
	if err := checkFooter(file.Data); err != nil {
		return err
	}
	_, err = table.OpenTable(file, table.Options{
		ReadOnly: true, ChkMode: options.OnTableAndBlockRead, Compression: compression, BlockSize: tableBlockBytes,
	})
	return err
}

// tableBlockBytes is badger's default; readers require a size other than zero.
const tableBlockBytes = 4 << 10

// checkFooter verifies the end of a table, on whose damage badger ends the process:
// the index and its length, the checksum and its length.
func checkFooter(data []byte) error {
	checksum, data, err := cutSized(data)
	if err != nil {
		return err
	}
	index, _, err := cutSized(data)
	if err != nil {
		return err
	}
	var expected pb.Checksum
	if err := proto.Unmarshal(checksum, &expected); err != nil {
		return err
	}
	return y.VerifyChecksum(index, &expected)
}

var errTruncated = errors.New("truncated")

// cutSized cuts off the last part and its length, which follows it in four bytes.
func cutSized(data []byte) (part, rest []byte, err error) {
	const lengthBytes = 4
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
