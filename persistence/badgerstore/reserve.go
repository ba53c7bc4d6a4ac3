package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/fsync"
	"venuegate/persistence/internal/wal"
)

// Sizes of the reserve. Each part is at most a tenth of a small file system
// (freeShareDivisor).
const (
	// ReserveLogBytes are segments of the log in reserve. The cancel of an order takes about
	// 350 bytes; TestReserveIsEnoughForManyCancels has the guaranteed number.
	ReserveLogBytes = 32 << 20
	// ReserveOpenBytes is the size of the file that is deleted when the store is opened on
	// a full disk, so that badger has space to write its log to tables.
	ReserveOpenBytes = 24 << 20
	// openBytesFixed is what badger needs to be opened in addition to the content of its
	// logs, and what is left to the other files of the data directory.
	openBytesFixed = 4 << 20
)

const reserveName = "reserve"

// reserve is the space that is kept for a full disk: segments of the log, and a file.
// It is safe for concurrent use.
type reserve struct {
	dir    string
	disk   *diskSpace
	logger *zap.Logger

	mu sync.Mutex
	// complete is set once all parts have been made, and cleared by use.
	complete bool
	// reported is set while an incomplete reserve has been logged.
	reported bool
}

func (r *reserve) path() string   { return filepath.Join(r.dir, reserveName) }
func (r *reserve) logDir() string { return filepath.Join(r.dir, logName) }

// use notes that a part of the reserve may be used.
func (r *reserve) use() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complete = false
}

// fill makes the missing parts of the reserve as long as that leaves enough space for
// commits.
func (r *reserve) fill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.complete || r.disk.freeBytesMin < 0 {
		return
	}
	free, floor, err := r.disk.floor(resumePercent)
	var missing int64
	if err == nil {
		missing, err = r.fillTo(free, floor)
	}
	r.complete = err == nil && missing == 0
	switch {
	case r.complete && r.reported:
		r.logger.Info("the reserve for a full disk is complete")
	case !r.complete && !r.reported:
		r.logger.Warn("the reserve for a full disk is not complete: there is too little space", zap.Int64("missing_bytes", missing), zap.Error(err))
	}
	r.reported = !r.complete
}

// fillTo makes the missing parts of the reserve as long as that leaves floor bytes free.
// It returns the number of missing bytes.
func (r *reserve) fillTo(free, floor int64) (missing int64, err error) {
	_, total, err := r.disk.stat(r.dir)
	if err != nil {
		return 0, err
	}
	share := total / freeShareDivisor
	segments := int(max(min(ReserveLogBytes, share)/wal.SegmentBytesDefault, 1))
	have, err := wal.Reserved(r.logDir())
	for ; err == nil && have < segments && free-floor >= wal.SegmentBytesDefault; have++ {
		free -= wal.SegmentBytesDefault
		_, err = wal.Reserve(r.logDir(), wal.SegmentBytesDefault, segments)
	}
	missing = int64(max(segments-have, 0)) * wal.SegmentBytesDefault
	if err != nil {
		return missing, err
	}
	file, err := r.fillFile(min(ReserveOpenBytes, share), free-floor)
	return missing + file, err
}

// fillFile extends the file to a size, or as far as spare bytes allow. It returns the
// number of missing bytes.
func (r *reserve) fillFile(size, spare int64) (missing int64, err error) {
	file, err := os.OpenFile(r.path(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return size, err
	}
	info, err := file.Stat()
	if err != nil {
		return size, errors.Join(err, file.Close())
	}
	to := min(size, info.Size()+max(spare, 0))
	if to > info.Size() {
		err = fsync.Allocate(file, to)
	}
	return size - to, errors.Join(err, file.Close())
}

// prepareOpen makes space for badger to be opened on a full disk. It deletes the file of
// the reserve if that is necessary and sufficient.
func (r *reserve) prepareOpen(database string) error {
	needed, err := openBytes(database)
	if err != nil {
		return err
	}
	free, _, err := r.disk.floor(0)
	if err != nil || free >= needed {
		return err
	}
	info, err := os.Stat(r.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.disk.compare(free, needed)
	case err != nil:
		return err
	}
	if err := r.disk.compare(free+info.Size(), needed); err != nil {
		return err
	}
	return os.Remove(r.path())
}

// openBytes returns how many bytes must be free to open a database without compaction:
// badger writes its logs to tables, before it deletes them.
func openBytes(database string) (int64, error) {
	logs, err := filesOf(database, memLogSuffix)
	if err != nil {
		return 0, err
	}
	bytes := int64(openBytesFixed)
	for _, path := range logs {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		bytes += allocatedBytes(info)
	}
	return bytes, nil
}

// Bounds of the wait for badger to write its old logs to tables.
const (
	settleMax   = 30 * time.Second
	settleEvery = 10 * time.Millisecond
)

// settle waits until badger, opened on a full disk, has written its old logs to tables,
// and makes what it can of the reserve again.
func (r *reserve) settle(database string) error {
	for deadline := time.Now().Add(settleMax); ; time.Sleep(settleEvery) {
		logs, err := filesOf(database, memLogSuffix)
		if err != nil {
			return err
		}
		if len(logs) <= 1 {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: the database has not written its logs in %s", persistence.ErrUnavailable, settleMax)
		}
	}
	free, _, err := r.disk.floor(0)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err = r.fillTo(free, openBytesFixed)
	return err
}
