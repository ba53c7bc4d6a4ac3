package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// walPattern matches badger's logs of rows that are not in a table yet.
const walPattern = "*.mem"

// wal syncs badger's logs. With its option SyncWrites, badger would also sync its value
// log, which this store does not use: a second flush of the disk for each group.
//
// badger writes each transaction completely to its newest log. If that is full, badger
// first creates the next log, with the next number, and never writes to earlier ones
// again. Only the writer uses a wal.
type wal struct {
	database string
	// number and file are those of the newest log.
	number int
	file   *os.File
	// next is the path that the log after it will have.
	next string
	// written is the approximate number of bytes that badger has written to the newest
	// log.
	written int64
	// filled is the end of the zeros that fill has written to it.
	filled int64
	// sync is fdatasync, replaced in tests.
	sync func(*os.File) error
}

func openWAL(database string) (*wal, error) {
	w := &wal{database: database, sync: fdatasync}
	if err := w.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log: %w", err), w.close())
	}
	return w, nil
}

// open finds the newest log of an open database. It syncs all logs, because an earlier
// process may have been killed before it did.
func (w *wal) open() error {
	logs, err := filepath.Glob(filepath.Join(w.database, walPattern))
	if err != nil {
		return err
	}
	for _, path := range logs {
		if err := w.syncLog(path); err != nil {
			return err
		}
	}
	if w.file == nil {
		return errors.New("there is no log")
	}
	return syncDir(w.database)
}

// syncLog syncs a log and keeps it open if it is the newest so far. badger may have
// deleted an older one meanwhile, whose rows are in a table.
func (w *wal) syncLog(path string) error {
	var number int
	if _, err := fmt.Sscanf(filepath.Base(path), "%d.mem", &number); err != nil {
		return err
	}
	file, err := openLog(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.sync(file); err != nil {
		return errors.Join(err, file.Close())
	}
	if w.file != nil && number < w.number {
		return file.Close()
	}
	err = w.close()
	w.setNewest(number, file)
	return err
}

// flush makes durable what badger has written.
func (w *wal) flush() error {
	for {
		err := unix.Access(w.next, unix.F_OK)
		if errors.Is(err, unix.ENOENT) {
			break
		}
		if err == nil {
			err = w.nextLog()
		}
		if err != nil {
			return fmt.Errorf("open the next log: %w", err)
		}
	}
	if err := w.sync(w.file); err != nil {
		return fmt.Errorf("sync the log: %w", err)
	}
	return nil
}

// nextLog closes the log and opens the next one.
func (w *wal) nextLog() error {
	next, err := openLog(w.next)
	if err != nil {
		return err
	}
	err = errors.Join(w.close(), syncDir(w.database))
	w.setNewest(w.number+1, next)
	return err
}

func openLog(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

func (w *wal) setNewest(number int, file *os.File) {
	w.number, w.file, w.written, w.filled = number, file, 0, 0
	w.next = filepath.Join(w.database, fmt.Sprintf("%05d.mem", number+1))
}

func (w *wal) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// fdatasync makes the content of a file durable, including what was written through a
// memory mapping, and the metadata that is needed to read it. It does not sync the
// modification time, which would cost a second write.
func fdatasync(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// logPatterns match the files that badger creates empty before it sets their size.
var logPatterns = []string{walPattern, "*.vlog"}

// removeEmptyLogs deletes empty logs, which a kill leaves between creation and first
// write. badger would fail to open them.
func removeEmptyLogs(database string) error {
	for _, pattern := range logPatterns {
		logs, err := filepath.Glob(filepath.Join(database, pattern))
		if err != nil {
			return err
		}
		for _, path := range logs {
			info, err := os.Lstat(path)
			if err != nil {
				return fmt.Errorf("stat a log: %w", err)
			}
			if info.Mode().IsRegular() && info.Size() == 0 {
				if err := os.Remove(path); err != nil {
					return fmt.Errorf("remove an empty log: %w", err)
				}
			}
		}
	}
	return nil
}
