package stream

import (
	"bytes"
	"slices"

	"github.com/klauspost/compress/flate"
)

const (
	// deflateLevel is the cheapest: the goroutine that compresses serves many
	// sockets.
	deflateLevel = 1
	// deflateBytesMin is what is worth compressing.
	deflateBytesMin = 256
)

// deflater compresses single messages. Both sides have given up context
// takeover (RFC 7692, 7.1.1), so the same compressed frame suits everyone.
type deflater struct {
	out    bytes.Buffer
	writer *flate.Writer
}

// deflate makes the compressed frame of a text frame, or returns it as it is
// where that saves nothing: each frame says for itself whether it is
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

// compress returns the message's DEFLATE data without the empty block at its
// end (RFC 7692, 7.2.1). It is good until the next call; should the compressor
// fail, which a buffer gives it no reason to, the message is returned.
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
