package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"venuegate/persistence/internal/fsync"
)

// SegmentBytesDefault is the size of a segment if Options has none.
const SegmentBytesDefault = 4 << 20

// RecordBytesMax bounds the body of a record.
const RecordBytesMax = 64 << 20

// ErrDamaged reports a log in which records are missing or altered.
var ErrDamaged = errors.New("the log is damaged")

// Options are the options of a log. The zero value is usable.
type Options struct {
	// SegmentBytes is the size of a segment; zero is SegmentBytesDefault.
	SegmentBytes int64
	// OnlyReserve starts the log on a full disk; see Log.UseReserve.
	OnlyReserve bool
	// Sync is fdatasync, replaced in tests.
	Sync func(*os.File) error
}

func (o Options) withDefaults() Options {
	if o.SegmentBytes == 0 {
		o.SegmentBytes = SegmentBytesDefault
	}
	if o.Sync == nil {
		o.Sync = fsync.File
	}
	return o
}

// Log is a log that is open for appending. Append and Sync must not be called
// concurrently; Prepare, Trim, Reserve and UseReserve may be called by another goroutine.
type Log struct {
	dir     string
	options Options

	// end is the position of the last record, at its offset in the newest segment.
	end  Position
	file *os.File
	at   int64
	size int64
	// buffer is reused for the bytes of a record.
	buffer []byte

	// spare is a prepared segment, nil if there is none.
	mu    sync.Mutex
	spare *os.File
	// onlyReserve is set while no file is created.
	onlyReserve bool
}

// Read calls visit for the records of a log after a position, in order, and returns
// the position of the last record, or from if there is none. It changes nothing. The
// body is valid only during the call. The record at from need not be in the log any
// more. Read returns ErrDamaged if records after from are missing or altered, and the
// error of visit, with the position up to which visit has succeeded.
func Read(dir string, from Position, visit func(at Position, body []byte) error) (Position, error) {
	paths, err := segmentPaths(dir)
	if err != nil {
		return from, err
	}
	r := reader{from: from, end: from, visit: visit}
	for i, path := range paths {
		newest := i == len(paths)-1
		if !newest {
			if next, err := firstOf(paths[i+1]); err == nil && next <= from.Seq+1 {
				continue // All its records are at or before from.
			}
		}
		if err := r.segment(path, newest); err != nil {
			return r.end, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return r.end, nil
}

// reader reads the segments of a log in order.
type reader struct {
	from  Position
	visit func(at Position, body []byte) error
	// end is the last record, or from. last is the last record of the previous segment.
	end, last Position
	begun     bool
}

func (r *reader) segment(path string, newest bool) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := decodeHeader(content)
	switch {
	case err != nil && newest:
		return nil // It was created and, as far as the log shows, never used.
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case r.begun && after != r.last:
		return fmt.Errorf("%w: it begins after record %d, the one before ends with %d", ErrDamaged, after.Seq, r.last.Seq)
	case !r.begun && after.Seq > r.from.Seq:
		return fmt.Errorf("%w: the records from %d to %d are missing", ErrDamaged, r.from.Seq+1, after.Seq)
	}
	r.begun = true
	if err := r.check(after); err != nil {
		return err
	}
	r.last, err = scanRecords(content[headerBytes:], after, func(at Position, body []byte) error {
		if at.Seq <= r.from.Seq {
			return r.check(at)
		}
		if err := r.visit(at, body); err != nil {
			return err
		}
		r.end = at
		return nil
	})
	return err
}

// check compares a position with from.
func (r *reader) check(at Position) error {
	if at.Seq == r.from.Seq && at.Sum != r.from.Sum {
		return fmt.Errorf("%w: record %d differs", ErrDamaged, at.Seq)
	}
	return nil
}

// Oldest returns the position before the first record of a log, unless it has no segment.
func Oldest(dir string) (after Position, exists bool, err error) {
	paths, err := segmentPaths(dir)
	if err != nil || len(paths) == 0 {
		return Position{}, false, err
	}
	header, err := readHeader(paths[0])
	if err != nil {
		return Position{}, false, err
	}
	if after, err = decodeHeader(header); err != nil {
		return Position{}, false, fmt.Errorf("%s: %w: %w", filepath.Base(paths[0]), ErrDamaged, err)
	}
	return after, true, nil
}

// readHeader returns the beginning of a segment, which is shorter than a header if the
// file is.
func readHeader(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	header, err := io.ReadAll(io.LimitReader(file, int64(headerBytes)))
	return header, errors.Join(err, file.Close())
}

// Start opens a log for appending after a record, in a new segment. The records of the
// log up to there must have been read (Read) or be applied elsewhere. They are durable
// afterwards.
func Start(dir string, after Position, o Options) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := fsync.Dir(filepath.Dir(dir)); err != nil {
		return nil, err
	}
	l := &Log{dir: dir, options: o.withDefaults(), end: after, onlyReserve: o.OnlyReserve}
	if err := l.rewriteNewest(); err != nil {
		return nil, err
	}
	if err := os.Remove(filepath.Join(dir, spareName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := l.begin(0); err != nil {
		return nil, err
	}
	return l, nil
}

// rewriteNewest writes the newest segment again and syncs it. An earlier process may have
// been killed before it did, or its sync may have failed; then a sync alone would not
// write pages that count as clean.
func (l *Log) rewriteNewest() error {
	paths, err := segmentPaths(l.dir)
	if err != nil || len(paths) == 0 {
		return err
	}
	path := paths[len(paths)-1]
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(content, 0)
	if err == nil {
		err = l.options.Sync(file)
	}
	return errors.Join(err, file.Close())
}

// End returns the position of the last record.
func (l *Log) End() Position { return l.end }

// Append writes a record, which is not durable before Sync. If it returns ErrNoSegment,
// nothing has changed. After any other error the end of the log is unknown, and the log
// must not be used any more.
func (l *Log) Append(body []byte) (Position, error) {
	if len(body) == 0 || len(body) > RecordBytesMax {
		return l.end, fmt.Errorf("%w: a record of %d bytes", ErrNoSegment, len(body))
	}
	if l.at+int64(recordHeaderBytes+len(body)) > l.size {
		if err := l.begin(len(body)); err != nil {
			return l.end, err
		}
	}
	next := l.end.next(body)
	l.buffer = binary.BigEndian.AppendUint32(l.buffer[:0], uint32(len(body)))
	l.buffer = binary.BigEndian.AppendUint32(l.buffer, next.Sum)
	l.buffer = append(l.buffer, body...)
	if _, err := l.file.WriteAt(l.buffer, l.at); err != nil {
		return l.end, fmt.Errorf("write the log: %w", err)
	}
	l.at += int64(len(l.buffer))
	l.end = next
	if cap(l.buffer) > bufferBytesMax {
		l.buffer = nil
	}
	return next, nil
}

// bufferBytesMax bounds the buffer that is kept for the next record.
const bufferBytesMax = 1 << 20

// ErrNoSegment reports that a record was not written, because there is no segment for
// it.
var ErrNoSegment = errors.New("there is no segment for the record")

// Sync makes all records durable.
func (l *Log) Sync() error {
	if err := l.options.Sync(l.file); err != nil {
		return fmt.Errorf("sync the log: %w", err)
	}
	return nil
}

// begin begins a new segment, for a record of at least so many bytes. What was written
// to the previous one is durable afterwards. If it returns ErrNoSegment, nothing has
// changed.
func (l *Log) begin(bodyBytes int) error {
	if l.file != nil {
		if err := l.Sync(); err != nil {
			return err
		}
	}
	size := max(l.options.SegmentBytes, int64(headerBytes+recordHeaderBytes+bodyBytes))
	// Prepare must not create a segment until this one has its name.
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := l.take(size)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoSegment, err)
	}
	if _, err = file.WriteAt(encodeHeader(l.end), 0); err == nil {
		err = l.options.Sync(file)
	}
	if err == nil {
		err = os.Rename(filepath.Join(l.dir, spareName), filepath.Join(l.dir, segmentName(l.end.Seq+1)))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoSegment, errors.Join(err, file.Close()))
	}
	if err := fsync.Dir(l.dir); err != nil {
		return errors.Join(fmt.Errorf("sync the directory of the log: %w", err), file.Close())
	}
	if l.file != nil {
		_ = l.file.Close() // It is synced.
	}
	l.file, l.at, l.size = file, int64(headerBytes), size
	return nil
}

// take returns the prepared segment if it has that size, or else creates one. The
// caller holds mu.
func (l *Log) take(size int64) (*os.File, error) {
	spare := l.spare
	l.spare = nil
	if spare != nil {
		if size == l.options.SegmentBytes {
			return spare, nil
		}
		_ = spare.Close() // It is created again with another size.
	}
	if l.onlyReserve {
		return l.takeReserved(size)
	}
	return createFilled(filepath.Join(l.dir, spareName), size)
}

// Prepare creates the next segment ahead, unless there is one.
func (l *Log) Prepare() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare != nil || l.onlyReserve {
		return nil
	}
	var err error
	l.spare, err = createFilled(filepath.Join(l.dir, spareName), l.options.SegmentBytes)
	return err
}

// IsTrimmable reports whether Trim would delete a segment.
func (l *Log) IsTrimmable(seq uint64) (bool, error) {
	paths, err := segmentPaths(l.dir)
	if err != nil || len(paths) < 2 {
		return false, err
	}
	next, err := firstOf(paths[1])
	return next <= seq+1, err
}

// Trim deletes the segments that have no record after seq, except the newest one.
func (l *Log) Trim(seq uint64) error {
	paths, err := segmentPaths(l.dir)
	if err != nil {
		return err
	}
	for i := range len(paths) - 1 {
		next, err := firstOf(paths[i+1])
		if err != nil {
			return err
		}
		if next > seq+1 {
			return nil
		}
		if err := os.Remove(paths[i]); err != nil {
			return err
		}
	}
	return nil
}

// Segments returns the number of segments.
func (l *Log) Segments() (int, error) {
	paths, err := segmentPaths(l.dir)
	return len(paths), err
}

// Close syncs the log and closes its files.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := errors.Join(l.Sync(), l.file.Close())
	if l.spare != nil {
		err = errors.Join(err, l.spare.Close())
		l.spare = nil
	}
	return err
}
