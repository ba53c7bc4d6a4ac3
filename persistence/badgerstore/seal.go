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
	"sync/atomic"
	"time"

	"venuegate/persistence/internal/fsync"
	"venuegate/persistence/internal/wal"
)

// sealName is the name of the seal file.
const sealName = "seal"

// sealed is the content of the seal: the position of a commit group in the log.
type sealed struct {
	wal.Position
	// isLegacy marks a seal of schema 3 or older, which had legacyChain instead of the
	// checksum.
	isLegacy    bool
	legacyChain [sha256.Size]byte
	// isPartial marks a seal whose other slot is damaged. That may have had a position
	// behind this one.
	isPartial bool
}

// seal is the open seal file. It has two slots in separate pages, written in turn, so
// that a torn write leaves the previous one intact. Only the writer uses it, except for
// synced.
type seal struct {
	file  *os.File
	dirty bool
	// slot is the one with the newest position, 0 or 1.
	slot int64
	// unsynced is the number of groups since the last sync, at syncedAt.
	unsynced int
	syncedAt time.Time
	// seq is the number of the group of the last write, synced that of the last sync.
	seq    uint64
	synced atomic.Uint64
}

const (
	sealSlotBytes = 4096
	sealMagic     = "vgseal2\n"
	// legacyMagic is that of schema 3 and older, with a chain value for the checksum.
	legacyMagic = "vgseal1\n"
	// sealBytes is magic, number, checksum or chain value, and a hash over them.
	sealBytes = len(sealMagic) + 8 + 2*sha256.Size
)

func encodeSeal(at wal.Position) []byte {
	out := append(make([]byte, 0, sealBytes), sealMagic...)
	out = binary.BigEndian.AppendUint64(out, at.Seq)
	out = binary.BigEndian.AppendUint32(out, at.Sum)
	out = append(out, make([]byte, sealBytes-sha256.Size-len(out))...)
	digest := sha256.Sum256(out)
	return append(out, digest[:]...)
}

func decodeSealed(data []byte) (sealed, bool) {
	if len(data) != sealBytes {
		return sealed{}, false
	}
	body := data[:sealBytes-sha256.Size]
	if sha256.Sum256(body) != [sha256.Size]byte(data[len(body):]) {
		return sealed{}, false
	}
	magic, body := string(body[:len(sealMagic)]), body[len(sealMagic):]
	s := sealed{Position: wal.Position{Seq: binary.BigEndian.Uint64(body)}}
	switch magic {
	case sealMagic:
		s.Sum = binary.BigEndian.Uint32(body[8:])
	case legacyMagic:
		s.isLegacy, s.legacyChain = true, [sha256.Size]byte(body[8:])
	default:
		return sealed{}, false
	}
	return s, true
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
	if !evenValid && !oddValid {
		return sealed{}, errSealDamaged
	}
	newer := odd
	s.slot = 1
	if evenValid && (!oddValid || even.Seq > odd.Seq) {
		newer, s.slot = even, 0
	}
	// The first seal of schema 3 and older had one slot.
	newer.isPartial = evenValid != oddValid && !newer.isLegacy
	return newer, nil
}

// complete writes both slots of a seal with a damaged slot if the log ends at a later
// position: a write that a power failure has torn is of a group that the log already had.
// Otherwise the damaged slot may be of a group that is missing from the log.
func (s *seal) complete(found sealed, end wal.Position) error {
	if end.Seq <= found.Seq {
		return fmt.Errorf("%w: one slot has commit %d, with which the log ends, the other none", errSealDamaged, found.Seq)
	}
	return s.reset(end)
}

// write writes the seal of a durable group. After it the seal survives the end of the
// process, not a power failure.
func (s *seal) write(at wal.Position) error {
	s.dirty = true
	s.unsynced++
	s.seq = at.Seq
	slot := 1 - s.slot
	if _, err := s.file.WriteAt(encodeSeal(at), slot*sealSlotBytes); err != nil {
		return fmt.Errorf("write the seal: %w", err)
	}
	s.slot = slot
	if s.unsynced >= sealSyncGroups {
		return s.sync()
	}
	return nil
}

// reset durably writes both slots.
func (s *seal) reset(at wal.Position) error {
	value := encodeSeal(at)
	for slot := range int64(2) {
		if _, err := s.file.WriteAt(value, slot*sealSlotBytes); err != nil {
			return fmt.Errorf("write the seal: %w", err)
		}
	}
	s.dirty, s.seq = true, at.Seq
	return s.sync()
}

func (s *seal) sync() error {
	if !s.dirty {
		return nil
	}
	if err := fsync.File(s.file); err != nil {
		return fmt.Errorf("sync the seal: %w", err)
	}
	s.dirty, s.unsynced, s.syncedAt = false, 0, time.Now()
	s.synced.Store(s.seq)
	return nil
}

func (s *seal) close() error { return errors.Join(s.sync(), s.file.Close()) }

// lostInfix is in the name of a log whose end was accepted as lost.
const lostInfix = ".lost-"

// reseal makes a damaged store intact with the rows as they are: it begins a new log
// behind the database, the old log and the seal. The old log is kept under another name,
// in place of one that was lost before. If it is interrupted, the store is damaged as before.
func (w *writer) reseal() error {
	head := w.views.latest().head
	head.Position = wal.Position{Seq: w.damaged.end.Seq + 1}
	if err := w.writeActive(); err != nil {
		return err
	}
	if err := setLedger(w.views.db, head, w.damaged.found.staleKeys); err != nil {
		return err
	}
	w.views.reset(head)
	earlier, err := filepath.Glob(w.logDir + lostInfix + "*")
	if err != nil {
		return err
	}
	lost := fmt.Sprintf("%s%s%d", w.logDir, lostInfix, head.Seq)
	if err := os.Rename(w.logDir, lost); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := wal.RemoveUnused(lost); err != nil {
		return err
	}
	for _, dir := range earlier {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := w.openLog(head.Position); err != nil {
		return err
	}
	return w.seal.reset(head.Position)
}

// exists reports whether a path exists. It returns true if that cannot be determined,
// so that nothing is created in its place.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
