package stream

import "encoding/binary"

// First bytes of server frames: FIN and the opcode; frames of a server are not
// masked (RFC 6455, 5.1 and 5.2).
const (
	headText     byte = 0x81
	headDeflated byte = 0xc1 // text with RSV1: compressed by permessage-deflate
	headClose    byte = 0x88
	headPong     byte = 0x8a
)

// frameHeadMax is the size of the longest head of a server frame.
const frameHeadMax = 10

// controlPayloadMax bounds the payload of a control frame (RFC 6455, 5.5).
const controlPayloadMax = 125

// appendFrame appends one whole WebSocket frame.
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

// closePayload is the content of a close frame; code zero stands for a close
// frame without one.
func closePayload(code int, reason string) []byte {
	if code == 0 {
		return nil
	}
	payload := binary.BigEndian.AppendUint16(nil, uint16(code))
	return append(payload, reason[:min(len(reason), controlPayloadMax-len(payload))]...)
}
