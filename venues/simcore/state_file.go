package simcore

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strconv"
)

const (
	stateVersion = 1
	// stateGrowthBytesMax is by how much a state file may grow before it is written again
	// with the present state alone.
	stateGrowthBytesMax = 32 << 20
	// stateRecordBytesMax bounds a record that is read; stateChunkBytes is the size from
	// which the records of a whole state are closed.
	stateRecordBytesMax = 64 << 20
	stateChunkBytes     = 1 << 20
	// checksumLen is the length of the checksum at the beginning of a line, a space after it.
	checksumLen = 8
)

// A state file has one record a line: the CRC-32 of the entries in hexadecimal digits and
// a JSON array of entries. The entries of a record are valid together. The only entry of
// the first record is the header.
type stateEntry struct {
	Kind  string          `json:"k"`
	Value json.RawMessage `json:"v"`
}

const kindHeader = "state"

type stateHeader struct {
	Version int    `json:"version"`
	Venue   string `json:"venue"`
	Seed    uint64 `json:"seed"`
}

var (
	errStateDamaged = errors.New("the file is damaged")
	errStateForeign = errors.New("the file is one of another version, venue or seed")
)

// readState calls load for every entry of a state file, oldest first. A record without an
// end, which a process killed in the middle of a write leaves, is skipped.
func readState(r io.Reader, header stateHeader, load func(stateEntry) error) error {
	reader := bufio.NewReaderSize(r, stateChunkBytes)
	for record := 0; ; record++ {
		line, err := reader.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && record > 0:
			return nil
		case errors.Is(err, io.EOF) || len(line) > stateRecordBytesMax:
			return errStateDamaged
		case err != nil:
			return err
		}
		entries, err := parseRecord(line)
		if err == nil && record == 0 {
			err = header.check(entries)
			entries = nil
		}
		for i := 0; err == nil && i < len(entries); i++ {
			err = load(entries[i])
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", record, err)
		}
	}
}

func parseRecord(line []byte) (entries []stateEntry, err error) {
	sum, body, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !found || string(sum) != checksumOf(body) {
		return nil, errStateDamaged
	}
	if err := json.Unmarshal(body, &entries); err != nil {
		return nil, errors.Join(errStateDamaged, err)
	}
	return entries, nil
}

func checksumOf(body []byte) string {
	var sum [4]byte
	n := crc32.ChecksumIEEE(body)
	for i := range sum {
		sum[i] = byte(n >> (8 * (3 - i)))
	}
	return hex.EncodeToString(sum[:])
}

// check compares the first record of a file with the header of this exchange.
func (h stateHeader) check(first []stateEntry) error {
	var found stateHeader
	if len(first) != 1 || first[0].Kind != kindHeader || json.Unmarshal(first[0].Value, &found) != nil {
		return errStateDamaged
	}
	if found != h {
		return fmt.Errorf("%w: version %d, %s, seed %d", errStateForeign, found.Version, strconv.Quote(found.Venue), found.Seed)
	}
	return nil
}

// stateRecord collects entries.
type stateRecord struct {
	entries []stateEntry
	bytes   int
	err     error
}

func (r *stateRecord) put(kind string, value any) {
	encoded, err := json.Marshal(value)
	if err != nil {
		r.err = errors.Join(r.err, fmt.Errorf("encode %s: %w", kind, err))
		return
	}
	r.entries = append(r.entries, stateEntry{kind, encoded})
	r.bytes += len(encoded)
}

// line returns the record as a line of a file, and empties the record.
func (r *stateRecord) line() ([]byte, error) {
	body, err := json.Marshal(r.entries)
	err = errors.Join(r.err, err)
	*r = stateRecord{}
	if err != nil {
		return nil, err
	}
	line := append(make([]byte, 0, checksumLen+len(body)+2), checksumOf(body)...)
	return append(append(append(line, ' '), body...), '\n'), nil
}

// stateFile is a state file that is open for writing. Records are written to the file
// before append returns, but not synced to disk.
type stateFile struct {
	path   string
	header stateHeader
	file   *os.File
	// grown is the size of the records that were appended since the last rewrite, growthMax
	// its maximum.
	grown, growthMax int
}

// read loads the file, if there is one.
func (f *stateFile) read(load func(stateEntry) error) error {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(readState(file, f.header, load), file.Close())
}

// append writes one record.
func (f *stateFile) append(record *stateRecord) error {
	line, err := record.line()
	if err != nil {
		return err
	}
	f.grown += len(line)
	_, err = f.file.Write(line)
	return err
}

// rewrite replaces the file by one with the entries that save puts. A process that is
// killed meanwhile leaves the old file.
func (f *stateFile) rewrite(save func(put func(kind string, value any))) error {
	next, err := os.OpenFile(f.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	written := &stateFile{file: next}
	record := &stateRecord{}
	record.put(kindHeader, f.header)
	err = written.append(record)
	save(func(kind string, value any) {
		record.put(kind, value)
		if record.bytes >= stateChunkBytes && err == nil {
			err = written.append(record)
		}
	})
	if err == nil && (len(record.entries) > 0 || record.err != nil) {
		err = written.append(record)
	}
	if err == nil {
		err = os.Rename(next.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, next.Close())
	}
	if f.file != nil {
		err = f.file.Close()
	}
	f.file, f.grown = next, 0
	return err
}

func (f *stateFile) close() error { return f.file.Close() }
