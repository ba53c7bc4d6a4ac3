package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// lineBytesMax bounds one line of a recording.
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
// passed over. The caller closes the reader.
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

// Close gives the file back. It was only read: a failure loses nothing.
func (r *Reader[Frame]) Close() { _ = r.file.Close() }

// Next is the next frame, or io.EOF. A recording that is cut off in the middle
// of a line ends before it.
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

// Each visits the frames of a recording until visit has enough.
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
