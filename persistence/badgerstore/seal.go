package badgerstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sealName is the name of the seal file.
const sealName = "seal"

// sealed is the content of the seal: the number and the chain value of a group.
type sealed struct {
	seq   uint64
	chain [sha256.Size]byte
}

// seal is the open seal file. It has two slots in separate pages, written in turn, so
// that a torn write leaves the previous one intact. Only the writer uses it.
type seal struct {
	file  *os.File
	dirty bool
	// unsynced is the number of groups since the last sync.
	unsynced int
}

const (
	sealSlotBytes = 4096
	sealMagic     = "vgseal1\n"
	// sealBytes is magic, number, chain and a hash over them.
	sealBytes = len(sealMagic) + 8 + 2*sha256.Size
)

func (s sealed) encode() []byte {
	out := append(make([]byte, 0, sealBytes), sealMagic...)
	out = binary.BigEndian.AppendUint64(out, s.seq)
	out = append(out, s.chain[:]...)
	digest := sha256.Sum256(out)
	return append(out, digest[:]...)
}

func decodeSealed(data []byte) (sealed, bool) {
	if len(data) != sealBytes || string(data[:len(sealMagic)]) != sealMagic {
		return sealed{}, false
	}
	body := data[:sealBytes-sha256.Size]
	if sha256.Sum256(body) != [sha256.Size]byte(data[len(body):]) {
		return sealed{}, false
	}
	body = body[len(sealMagic):]
	return sealed{seq: binary.BigEndian.Uint64(body), chain: [sha256.Size]byte(body[8:])}, true
}

// errUnsealed reports a seal file that was never written to, errSealDamaged one
// without a valid slot.
var (
	errUnsealed    = errors.New("the store has no seal")
	errSealDamaged = errors.New("the seal is damaged")
)

// openSeal opens the seal of a store, or creates an empty one.
func openSeal(dir string) (*seal, error) {
	file, err := os.OpenFile(filepath.Join(dir, sealName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &seal{file: file}, nil
}

// read returns the newer of the two slots.
func (s *seal) read() (sealed, error) {
	content := make([]byte, 2*sealSlotBytes)
	n, err := s.file.ReadAt(content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return sealed{}, fmt.Errorf("read the seal: %w", err)
	}
	if bytes.Count(content[:n], []byte{0}) == n {
		return sealed{}, errUnsealed
	}
	even, evenValid := decodeSealed(content[:sealBytes])
	odd, oddValid := decodeSealed(content[sealSlotBytes:][:sealBytes])
	switch {
	case evenValid && (!oddValid || even.seq > odd.seq):
		return even, nil
	case oddValid:
		return odd, nil
	}
	return sealed{}, errSealDamaged
}

// write writes the seal of a durable group. The seal then survives the end of the process,
// but not a power failure.
func (s *seal) write(l ledger) error {
	value := sealed{seq: l.seq, chain: l.chain}
	s.dirty = true
	s.unsynced++
	if _, err := s.file.WriteAt(value.encode(), int64(l.seq%2)*sealSlotBytes); err != nil {
		return fmt.Errorf("write the seal: %w", err)
	}
	if s.unsynced >= sealSyncGroups {
		return s.sync()
	}
	return nil
}

// reset durably writes both slots.
func (s *seal) reset(l ledger) error {
	value := sealed{seq: l.seq, chain: l.chain}.encode()
	for slot := range int64(2) {
		if _, err := s.file.WriteAt(value, slot*sealSlotBytes); err != nil {
			return fmt.Errorf("write the seal: %w", err)
		}
	}
	s.dirty = true
	return s.sync()
}

func (s *seal) sync() error {
	if !s.dirty {
		return nil
	}
	if err := fdatasync(s.file); err != nil {
		return fmt.Errorf("sync the seal: %w", err)
	}
	s.dirty, s.unsynced = false, 0
	return nil
}

func (s *seal) close() error { return errors.Join(s.sync(), s.file.Close()) }

// reseal seals a damaged database as it is: it starts a new chain with the rows found, at
// a number above those of the database and the seal.
func (w *writer) reseal(found inspection) error {
	tx := w.begin(found.counted)
	defer tx.txn.Discard()
	for _, key := range found.ledgerKeys {
		if err := tx.txn.Delete(key); err != nil {
			return err
		}
	}
	previous := found.head
	previous.seq = max(previous.seq, found.sealed.seq)
	if err := tx.addLedger(previous); err != nil {
		return err
	}
	if err := w.commitDurably(tx.txn); err != nil {
		return err
	}
	w.head = tx.ledger
	return w.seal.reset(w.head)
}

// exists reports whether a path exists. It returns true if that cannot be determined,
// so that nothing is created in its place.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
