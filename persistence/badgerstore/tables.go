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

// checkFiles looks at a database before badger does, because badger removes
// tables that its manifest does not name and ends the process over tables that
// it cannot read. What it finds makes Open fail, with every file as it was.
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

// checkEmpty refuses a database that lost its manifest alone.
func checkEmpty(database string) error {
	for _, pattern := range []string{"*.sst", walPattern} {
		found, err := filepath.Glob(filepath.Join(database, pattern))
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("%w: %s is there without a %s", persistence.ErrIntegrity, filepath.Base(found[0]), badger.ManifestFilename)
		}
	}
	return nil
}

// checkTable reads a whole table and compares its checksums. badger panics over
// some damage.
func checkTable(path string, compression options.CompressionType) (err error) {
	file, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("unreadable: %v", cause)
		}
		// Closing twice is an error that says nothing.
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

// tableBlockBytes is badger's own default; readers need one that is not zero.
const tableBlockBytes = 4 << 10

// checkFooter checks the end of a table, over which badger would end the
// process: index, its length, its checksum, that one's length.
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

var errCutShort = errors.New("cut short")

// cutSized takes a part and its length, in four bytes behind it, off the end.
func cutSized(data []byte) (part, rest []byte, err error) {
	const lengthBytes = 4
	end := len(data) - lengthBytes
	if end < 0 {
		return nil, nil, errCutShort
	}
	length := int(binary.BigEndian.Uint32(data[end:]))
	if length > end {
		return nil, nil, errCutShort
	}
	return data[end-length : end], data[:end-length], nil
}
