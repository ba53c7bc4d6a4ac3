package stream

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/klauspost/compress/flate"
)

// First bytes of server frames: FIN and the opcode. Frames of a server are not masked
// (RFC 6455, 5.1 and 5.2).
const (
	headText     byte = 0x81
	headDeflated byte = 0xc1 // text with RSV1: compressed by permessage-deflate
	headClose    byte = 0x88
	headPong     byte = 0x8a
)

// frameHeadMax is the size of the longest header of a server frame.
const frameHeadMax = 10

// controlPayloadMax bounds the payload of a control frame (RFC 6455, 5.5).
const controlPayloadMax = 125

// appendFrame appends one complete WebSocket frame.
func appendFrame(dst []byte, head byte, payload []byte) []byte {
	switch n := len(payload); {
	case n < 126:
		dst = append(dst, head, byte(n))
	case n < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, head, 126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, head, 127), uint64(n))
	}
	return append(dst, payload...)
}

// closePayload returns the payload of a close frame, nil for code closeNone.
func closePayload(code int, reason string) []byte {
	if code == 0 {
		return nil
	}
	payload := binary.BigEndian.AppendUint16(nil, uint16(code))
	return append(payload, reason[:min(len(reason), controlPayloadMax-len(payload))]...)
}

const (
	// deflateLevel is the fastest, because the goroutine that compresses serves many
	// sockets.
	deflateLevel = 1
	// deflateBytesMin is the size from which a frame is compressed.
	deflateBytesMin = 256
)

// deflater compresses single messages. Without context takeover (RFC 7692, 7.1.1) the
// same compressed frame can be sent to every client.
type deflater struct {
	out    bytes.Buffer
	writer *flate.Writer
}

// deflate returns the compressed form of a text frame, or the frame itself where
// compression saves nothing: the header of each frame states whether it is
// compressed.
func (sh *shard) deflate(it item) *item {
	if it.head != headText || len(it.payload) < deflateBytesMin {
		return &it
	}
	payload := sh.deflater.compress(it.payload)
	if len(payload) < len(it.payload) {
		it.head, it.payload = headDeflated, slices.Clone(payload)
	}
	return &it
}

// compress returns the DEFLATE data of a message without the empty block at its end
// (RFC 7692, 7.2.1), valid until the next call. If the compressor fails, which cannot
// happen when it writes to a buffer, it returns the message.
func (d *deflater) compress(message []byte) []byte {
	d.out.Reset()
	if d.writer == nil {
		writer, err := flate.NewWriter(&d.out, deflateLevel)
		if err != nil {
			return message
		}
		d.writer = writer
	} else {
		d.writer.Reset(&d.out)
	}
	if _, err := d.writer.Write(message); err != nil {
		return message
	}
	if err := d.writer.Flush(); err != nil {
		return message
	}
	return bytes.TrimSuffix(d.out.Bytes(), []byte{0x00, 0x00, 0xff, 0xff})
}
