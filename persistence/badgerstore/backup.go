package badgerstore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/internal/wal"
)

// A backup is a header, the current ledger, all rows except ledger rows, an end mark
// and a SHA-256 of everything before it:
//
//	"vgbackup2\n"
//	ledger                                         28 bytes, see ledger.encode
//	{ key length + 1, key, value length, value }   lengths as uvarints
//	0
//	hash                                           32 bytes
//
// A backup of schema 3 or older begins with "vgbackup1\n" and a legacyLedger.
const (
	backupMagic       = "vgbackup2\n"
	legacyBackupMagic = "vgbackup1\n"
)

// Bounds of one row in a backup: badger's limit for keys, and a value well above the
// limit of package rows.
const (
	backupKeyBytesMax   = 64 << 10
	backupValueBytesMax = 1 << 20
)

// ErrBackup reports a backup that is damaged or truncated, or data that is no backup.
var ErrBackup = errors.New("the backup is damaged")

// Backup writes a consistent snapshot of what is durable. Commits continue meanwhile.
// The backup includes sealed credentials, but not the keys to open them. It returns
// ErrIntegrity for a store that failed its integrity check, or whose rows are not those of
// its ledger.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	if err := s.Integrity(); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	err := s.View(ctx, func(from rows.Snapshot) error {
		at, err := from.(*reading).open()
		if err != nil {
			return err
		}
		return writeBackup(ctx, w, at)
	})
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func writeBackup(ctx context.Context, w io.Writer, from snapshot) error {
	out := newBackupWriter(w)
	out.write([]byte(backupMagic))
	out.write(from.view.head.encode())
	var counted ledger
	err := from.Scan(nil, nil, false, func(key, value []byte) bool {
		if !bytes.Equal(key, ledgerKey) {
			out.row(key, value)
			counted.replace(key, nil, value)
		}
		if out.err == nil {
			out.err = ctx.Err()
		}
		return out.err == nil
	})
	if err = errors.Join(err, out.err); err != nil {
		return err
	}
	if err := counted.compare(from.view.head); err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrIntegrity, err)
	}
	return out.finish()
}

// backupWriter keeps the first error.
type backupWriter struct {
	out  *bufio.Writer
	hash hash.Hash
	err  error
}

func newBackupWriter(w io.Writer) *backupWriter {
	return &backupWriter{out: bufio.NewWriterSize(w, 1<<16), hash: sha256.New()}
}

func (b *backupWriter) write(data []byte) {
	if b.err != nil {
		return
	}
	b.hash.Write(data)
	_, b.err = b.out.Write(data)
}

func (b *backupWriter) row(key, value []byte) {
	b.write(binary.AppendUvarint(nil, uint64(len(key))+1))
	b.write(key)
	b.write(binary.AppendUvarint(nil, uint64(len(value))))
	b.write(value)
}

func (b *backupWriter) finish() error {
	b.write([]byte{0})
	b.write(b.hash.Sum(nil))
	if b.err != nil {
		return b.err
	}
	return b.out.Flush()
}

// readBackup calls put with each row of a backup. It returns the ledger of the backup
// once it has verified that the rows match it. put may retain its slices.
func readBackup(r io.Reader, put func(key, value []byte) error) (ledger, error) {
	in := &backupReader{in: buffered(r), hash: sha256.New()}
	described, err := in.header()
	if err != nil {
		return ledger{}, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	var counted ledger
	var legacy legacyLedger
	for {
		key, value, more := in.row()
		if in.err != nil {
			return ledger{}, fmt.Errorf("%w: %w", ErrBackup, in.err)
		}
		if !more {
			break
		}
		counted.replace(key, nil, value)
		if described.legacy != nil {
			legacy.add(key, value)
		}
		if err := put(key, value); err != nil {
			return ledger{}, err
		}
	}
	sum := in.hash.Sum(nil)
	if !bytes.Equal(in.take(sha256.Size), sum) {
		return ledger{}, fmt.Errorf("%w: wrong hash", ErrBackup)
	}
	return described.verify(counted, legacy)
}

// BackupRows returns the number of rows that the header of a backup states.
func BackupRows(r io.Reader) (uint64, error) {
	described, err := (&backupReader{in: bufio.NewReader(r), hash: sha256.New()}).header()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	if described.legacy != nil {
		return described.legacy.rows, nil
	}
	return described.head.rows, nil
}

// backupLedger is what the header of a backup describes; legacy is nil for the current
// format.
type backupLedger struct {
	head   ledger
	legacy *legacyLedger
}

func (b *backupReader) header() (described backupLedger, err error) {
	switch magic := string(b.take(len(backupMagic))); magic {
	case backupMagic:
		described.head, err = decodeLedger(b.take(ledgerBytes))
		return described, err
	case legacyBackupMagic:
		legacy, err := decodeLegacyLedger(b.take(legacyLedgerBytes))
		return backupLedger{legacy: &legacy}, err
	}
	return described, errors.New("wrong header")
}

// verify compares the ledger of a backup with what was read, and returns that of the
// restored store.
func (b *backupLedger) verify(counted ledger, legacy legacyLedger) (ledger, error) {
	want, equal := b.head.rows, counted.rows == b.head.rows && counted.hashSum == b.head.hashSum
	counted.Position = b.head.Position
	if b.legacy != nil {
		want, equal = b.legacy.rows, legacy.rows == b.legacy.rows && legacy.sum == b.legacy.sum
		counted.Position = wal.Position{Seq: b.legacy.seq}
	}
	if !equal {
		return ledger{}, fmt.Errorf("%w: %d rows, want %[4]d of commit %[3]d", ErrBackup, counted.rows, counted.Seq, want)
	}
	return counted, nil
}

// buffered returns r if it is buffered, or else a buffered reader of it.
func buffered(r io.Reader) *bufio.Reader {
	if b, is := r.(*bufio.Reader); is {
		return b
	}
	return bufio.NewReaderSize(r, 1<<16)
}

// backupReader keeps the first error.
type backupReader struct {
	in   *bufio.Reader
	hash hash.Hash
	err  error
}

// ReadByte implements io.ByteReader, by which lengths are read.
func (b *backupReader) ReadByte() (byte, error) {
	c, err := b.in.ReadByte()
	if err == nil {
		b.hash.Write([]byte{c})
	}
	return c, err
}

func (b *backupReader) take(n int) []byte {
	if b.err != nil {
		return nil
	}
	data := make([]byte, n)
	if _, b.err = io.ReadFull(b.in, data); b.err != nil {
		return nil
	}
	b.hash.Write(data)
	return data
}

func (b *backupReader) length(limit uint64) int {
	if b.err != nil {
		return 0
	}
	var n uint64
	if n, b.err = binary.ReadUvarint(b); b.err == nil && n > limit {
		b.err = fmt.Errorf("a length of %d, more than %d", n, limit)
	}
	if b.err != nil {
		return 0
	}
	return int(n)
}

// row reads one row; more is false at the end mark.
func (b *backupReader) row() (key, value []byte, more bool) {
	keyLength := b.length(backupKeyBytesMax + 1)
	if keyLength == 0 {
		return nil, nil, false
	}
	key = b.take(keyLength - 1)
	value = b.take(b.length(backupValueBytesMax))
	if b.err == nil && bytes.HasPrefix(key, ledgerKey) {
		b.err = errors.New("unexpected ledger row")
	}
	return key, value, b.err == nil
}
