package listen

import (
	"bytes"
	"errors"
)

// Errors of reads from the connections of HTTP.
var (
	// ErrBadHead is returned where two parsers may understand the head of a request
	// differently: a line that does not end in CR LF, a folded header, a header name that
	// is not a token, more than one Content-Length or one that is not a number.
	ErrBadHead = errors.New("listen: malformed request head")
	// ErrFrameTooBig is returned where the header of a WebSocket frame announces more
	// than the limit.
	ErrFrameTooBig = errors.New("listen: WebSocket frame too big")
)

// framing follows the boundaries of the requests that a connection receives, and after a
// request to upgrade those of WebSocket frames. It keeps nothing of their contents. The
// HTTP library accepts other line ends in places, and waits for the end of a head that
// has them until its timeout.
type framing struct {
	frameBytesMax uint64
	state         framingState
	// skip is the number of bytes to the end of a body, or of a frame with its mask.
	skip uint64

	// name holds the start of the current header name, nameLen its whole length.
	name    [headerNameMax]byte
	nameLen int
	head    head

	// frameLen is the length in the current frame's header, of which lenBytes are to
	// come. maskBytes is the length of its mask.
	frameLen            uint64
	lenBytes, maskBytes uint8
}

type framingState uint8

const (
	beforeRequest framingState = iota
	beforeRequestLF
	requestLine
	requestLineLF
	headerName
	headerValue
	headerValueLF
	headLF
	body
	frameStart
	frameSize
	frameLength
	framePayload
	unchecked
)

// accept follows received bytes and returns how many of them may be processed. An error
// concerns the byte after those; nothing is checked after it.
func (f *framing) accept(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if f.state == unchecked {
			return len(p), nil
		}
		if n := f.ahead(p[i:]); n > 0 {
			i += n
			continue
		}
		err := ErrBadHead
		if f.state >= frameStart {
			err = ErrFrameTooBig
		}
		if !f.next(p[i]) {
			f.state = unchecked
			return i, err
		}
		i++
	}
	return len(p), nil
}

// ahead follows as many bytes as need not be examined one by one, and returns how many
// there are.
func (f *framing) ahead(p []byte) int {
	switch f.state {
	case body, framePayload:
		n := int(min(f.skip, uint64(len(p))))
		f.skip -= uint64(n)
		if f.skip == 0 {
			f.state = f.state.following()
		}
		return n
	case headerName:
		return f.nameAhead(p)
	case requestLine, headerValue:
		if f.head.header != headerOther {
			return 0
		}
		n := bytes.IndexByte(p, '\r')
		if n < 0 {
			n = len(p)
		}
		if lf := bytes.IndexByte(p[:n], '\n'); lf >= 0 {
			return lf
		}
		return n
	default:
		return 0
	}
}

// following is the state after the last byte of a body or payload.
func (s framingState) following() framingState {
	if s == body {
		return beforeRequest
	}
	return frameStart
}

// next follows one byte outside of bodies. It reports whether the byte is accepted.
func (f *framing) next(b byte) bool {
	switch f.state {
	case beforeRequest:
		return f.line(b, beforeRequestLF, requestLine)
	case requestLine:
		return f.line(b, requestLineLF, requestLine)
	case headerName:
		return f.nameByte(b)
	case headerValue:
		return f.line(b, headerValueLF, headerValue) && f.valueByte(b)
	case beforeRequestLF:
		f.state = beforeRequest
		return b == '\n'
	case requestLineLF:
		f.state = headerName
		return b == '\n'
	case headerValueLF:
		f.state = headerName
		return b == '\n' && f.endValue()
	case headLF:
		return b == '\n' && f.endHead()
	default:
		return f.frameByte(b)
	}
}
