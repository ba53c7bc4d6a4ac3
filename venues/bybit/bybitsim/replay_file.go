package bybitsim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// replayLineMax bounds one line of a recording.
const replayLineMax = 4 << 20

// frame is one public message of a recording.
type frame struct {
	at    time.Duration
	topic string
	// whole says that the message is a snapshot.
	whole bool
	data  json.RawMessage
	// raw is the message as it was received.
	raw []byte
}

// symbol is the last part of the topic.
func (f *frame) symbol() string { return f.topic[strings.LastIndexByte(f.topic, '.')+1:] }

// replayReader reads a recording, gzipped or plain: a JSON object a line, of
// which those with t "recv" carry a message as text and its time in seconds.
type replayReader struct {
	file  *os.File
	lines *bufio.Reader
}

var gzipMagic = []byte{0x1f, 0x8b}

func openReplay(path string) (*replayReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	buffered := bufio.NewReaderSize(file, 1<<16)
	head, err := buffered.Peek(len(gzipMagic))
	if err == nil && bytes.Equal(head, gzipMagic) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("recording %s: %w", path, err), file.Close())
		}
		buffered = bufio.NewReaderSize(unzipped, 1<<16)
	}
	return &replayReader{file: file, lines: buffered}, nil
}

// close ends reading; the outcome is decided by then.
func (r *replayReader) close() { _ = r.file.Close() }

// next is the next message, or io.EOF. A recording that is cut off in the middle
// of a line ends before it.
func (r *replayReader) next() (frame, error) {
	for {
		line, err := r.lines.ReadBytes('\n')
		if len(line) > replayLineMax {
			return frame{}, bufio.ErrTooLong
		}
		if f, ok := parseFrame(line); ok {
			return f, nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		if err != nil {
			return frame{}, err
		}
	}
}

func parseFrame(line []byte) (frame, bool) {
	var outer struct {
		Kind string      `json:"t"`
		TS   json.Number `json:"ts"`
		Data string      `json:"data"`
	}
	if json.Unmarshal(line, &outer) != nil || outer.Kind != "recv" {
		return frame{}, false
	}
	var message struct {
		Topic string          `json:"topic"`
		Type  string          `json:"type"`
		Data  json.RawMessage `json:"data"`
	}
	if json.Unmarshal([]byte(outer.Data), &message) != nil || message.Topic == "" || len(message.Data) == 0 {
		return frame{}, false
	}
	at, ok := parseReplayTime(outer.TS.String())
	return frame{
		at: at, topic: message.Topic, whole: message.Type == typeSnapshot, data: message.Data, raw: []byte(outer.Data),
	}, ok
}

// parseReplayTime reads seconds with a fraction.
func parseReplayTime(text string) (time.Duration, bool) {
	const nanoDigits, secondsMax = 9, 1 << 33
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = (fraction + "000000000")[:nanoDigits]
	seconds, err := strconv.ParseInt(whole, 10, 64)
	nanos, badFraction := strconv.ParseUint(fraction, 10, 32)
	return time.Duration(seconds)*time.Second + time.Duration(nanos),
		err == nil && badFraction == nil && seconds >= 0 && seconds < secondsMax
}
