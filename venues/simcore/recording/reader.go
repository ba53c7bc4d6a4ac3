// Package recording reads recordings of a real venue, so that its simulator can
// play them: files of lines, gzipped or plain, and the book that the recorded
// messages make. The simulator of the venue interprets the lines.
package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// lineBytesMax bounds a line of a recording.
	lineBytesMax = 4 << 20
	bufferBytes  = 1 << 16
)

var gzipMagic = []byte{0x1f, 0x8b}

// Reader reads the frames of a recording, each a line. Not safe for concurrent
// use.
type Reader[Frame any] struct {
	file  *os.File
	lines *bufio.Reader
	parse func(line []byte) (Frame, bool)
}

// Open opens a recording, gzipped or plain. Lines that parse does not accept are
// skipped. The caller closes the reader.
func Open[Frame any](path string, parse func(line []byte) (Frame, bool)) (*Reader[Frame], error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	buffered := bufio.NewReaderSize(file, bufferBytes)
	head, err := buffered.Peek(len(gzipMagic))
	if err == nil && bytes.Equal(head, gzipMagic) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("recording %s: %w", path, err), file.Close())
		}
		buffered = bufio.NewReaderSize(unzipped, bufferBytes)
	}
	return &Reader[Frame]{file: file, lines: buffered, parse: parse}, nil
}

// Close closes the file. It was only read, so a failure loses nothing.
func (r *Reader[Frame]) Close() { _ = r.file.Close() }

// Next returns the next frame, or io.EOF. A recording that is cut off in the
// middle of a line ends before it.
func (r *Reader[Frame]) Next() (Frame, error) {
	var none Frame
	for {
		line, err := r.lines.ReadBytes('\n')
		if len(line) > lineBytesMax {
			return none, bufio.ErrTooLong
		}
		if f, ok := r.parse(line); ok {
			return f, nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		if err != nil {
			return none, err
		}
	}
}

// Each calls visit for the frames of a recording until visit returns false.
func Each[Frame any](path string, parse func(line []byte) (Frame, bool), visit func(Frame) bool) error {
	r, err := Open(path, parse)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("recording %s: %w", path, err)
		}
		if !visit(f) {
			return nil
		}
	}
}

// ParseSeconds parses the time of a recorded message: seconds since the epoch with
// an optional fraction.
func ParseSeconds(text string) (at time.Duration, ok bool) {
	const nanoDigits, secondsMax = 9, 1 << 33
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = (fraction + "000000000")[:nanoDigits]
	seconds, err := strconv.ParseInt(whole, 10, 64)
	nanos, badFraction := strconv.ParseUint(fraction, 10, 32)
	return time.Duration(seconds)*time.Second + time.Duration(nanos),
		err == nil && badFraction == nil && seconds >= 0 && seconds < secondsMax
}
