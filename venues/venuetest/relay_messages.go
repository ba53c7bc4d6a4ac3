package venuetest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Format of a WebSocket frame of a server (RFC 6455, section 5.2).
const (
	finalText       = 0x81
	lengthIn2Bytes  = 126
	lengthIn8Bytes  = 127
	frameBytesMax   = 16 << 20
	handshakeEnd    = "\r\n\r\n"
	handshakeTaken  = " 101 "
	handshakeMaxLen = 64 << 10
)

// messages reads what a simulator sends on a connection message by message, so that the
// relay can change each. Anything but a WebSocket passes unchanged.
type messages struct {
	relay *relay
	from  *bufio.Reader
	ready []byte
	// upgraded reports whether the handshake is over; foreign whether the connection is
	// not a WebSocket.
	upgraded, foreign bool
}

func (m *messages) Read(p []byte) (int, error) {
	if m.foreign && len(m.ready) == 0 {
		return m.from.Read(p)
	}
	if len(m.ready) == 0 {
		next := m.frame
		if !m.upgraded {
			next = m.handshake
		}
		if err := next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// handshake reads the head of the answer to the handshake.
func (m *messages) handshake() error {
	for !strings.HasSuffix(string(m.ready), handshakeEnd) {
		line, err := m.from.ReadBytes('\n')
		m.ready = append(m.ready, line...)
		if err != nil || len(m.ready) > handshakeMaxLen {
			m.foreign = true
			return errIfEmpty(err, m.ready)
		}
	}
	status, _, _ := strings.Cut(string(m.ready), "\r\n")
	m.upgraded, m.foreign = true, !strings.Contains(status, handshakeTaken)
	return nil
}

// errIfEmpty returns an error only if nothing was read before it.
func errIfEmpty(err error, read []byte) error {
	if len(read) > 0 {
		return nil
	}
	return err
}

// frame reads one frame and changes it if it is a complete text message.
func (m *messages) frame() error {
	head := make([]byte, 2)
	if _, err := io.ReadFull(m.from, head); err != nil {
		return err
	}
	size := uint64(head[1])
	var err error
	switch size {
	case lengthIn2Bytes:
		var short uint16
		err = binary.Read(m.from, binary.BigEndian, &short)
		size = uint64(short)
	case lengthIn8Bytes:
		err = binary.Read(m.from, binary.BigEndian, &size)
	}
	if err != nil || size > frameBytesMax {
		return errors.Join(err, fmt.Errorf("a frame of %d bytes", size))
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(m.from, body); err != nil {
		return err
	}
	if head[0] == finalText {
		body = m.relay.changed(body)
	}
	m.ready = framed(head[0], body)
	return nil
}

// framed returns a frame with its length.
func framed(kind byte, body []byte) []byte {
	frame := []byte{kind}
	switch size := len(body); {
	case size < lengthIn2Bytes:
		frame = append(frame, byte(size))
	case size < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, lengthIn2Bytes), uint16(size))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, lengthIn8Bytes), uint64(size))
	}
	return append(frame, body...)
}
