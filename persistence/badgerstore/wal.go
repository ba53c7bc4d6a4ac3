package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// walPattern are badger's logs of what is not in a table yet.
const walPattern = "*.mem"

// wal makes badger's logs durable. With SyncWrites badger would do so itself, but
// it syncs its value log with every transaction too, in which this store keeps
// nothing: a second flush of the disk for each group.
//
// badger writes a transaction whole into its newest log. When that is full it begins
// another one first, under the next number, and never writes to the ones before.
// Only the writer uses a wal.
type wal struct {
	database string
	// number and file are the newest log, next is where the one after it will be.
	number int
	file   *os.File
	next   string
	// written is about how much badger has put into the newest log, filled as far as
	// zeros were put there for it (see fill).
	written, filled int64
	// sync is fdatasync, but for tests.
	sync func(*os.File) error
}

func openWAL(database string) (*wal, error) {
	w := &wal{database: database, sync: fdatasync}
	if err := w.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log: %w", err), w.close())
	}
	return w, nil
}

// open finds the newest log of an open database. It syncs them all: a process that
// was killed may not have come to it.
func (w *wal) open() error {
	logs, err := filepath.Glob(filepath.Join(w.database, walPattern))
	if err != nil {
		return err
	}
	for _, path := range logs {
		if err := w.adopt(path); err != nil {
			return err
		}
	}
	if w.file == nil {
		return errors.New("there is none")
	}
	return syncDir(w.database)
}

// adopt syncs a log and keeps it if it is the newest so far. badger may have
// removed an older one meanwhile, since its rows are in a table.
func (w *wal) adopt(path string) error {
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
	w.be(number, file)
	return err
}

// flush makes durable whatever badger has written.
func (w *wal) flush() error {
	for {
		err := unix.Access(w.next, unix.F_OK)
		if errors.Is(err, unix.ENOENT) {
			break
		}
		if err == nil {
			err = w.follow()
		}
		if err != nil {
			return fmt.Errorf("follow the log: %w", err)
		}
	}
	if err := w.sync(w.file); err != nil {
		return fmt.Errorf("sync the log: %w", err)
	}
	return nil
}

// follow goes on to the next log.
func (w *wal) follow() error {
	next, err := openLog(w.next)
	if err != nil {
		return err
	}
	err = errors.Join(w.close(), syncDir(w.database))
	w.be(w.number+1, next)
	return err
}

func openLog(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

func (w *wal) be(number int, file *os.File) {
	w.number, w.file, w.written, w.filled = number, file, 0, 0
	w.next = filepath.Join(w.database, fmt.Sprintf("%05d.mem", number+1))
}

func (w *wal) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// fdatasync makes a file's content durable, and of what describes it as much as
// is needed to read it: not the time of its last change, which would cost a second
// write. What was written through a mapping is content like any other.
func fdatasync(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
