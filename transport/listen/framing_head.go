package listen

// headerNameMax is the length of the longest name that matters.
const headerNameMax = len("transfer-encoding")

// head is what is known of the current request.
type head struct {
	// header is the current header, if its value matters.
	header headerKind
	// length is the Content-Length, of which digits were received; lengths counts the
	// headers, and ended is set after a blank behind the digits.
	length  uint64
	lengths int
	digits  int
	ended   bool
	// matched is how much of "websocket" precedes in the value of Upgrade; upgrade is set
	// once it is in one.
	matched int
	upgrade bool
	// encoded is set if there is a Transfer-Encoding.
	encoded bool
}

type headerKind uint8

const (
	headerOther headerKind = iota
	headerLength
	headerUpgrade
)

// line follows a byte of a line: after CR the state is ended, else inside.
func (f *framing) line(b byte, ended, inside framingState) bool {
	f.state = inside
	if b == '\r' {
		f.state = ended
	}
	return b != '\n'
}

// nameAhead follows the characters of a header name.
func (f *framing) nameAhead(p []byte) int {
	n := 0
	for n < len(p) && tokenBytes[p[n]] {
		if at := f.nameLen + n; at < headerNameMax {
			f.name[at] = lower(p[n])
		}
		n++
	}
	f.nameLen += n
	return n
}

// nameByte follows a byte that is no character of a name.
func (f *framing) nameByte(b byte) bool {
	switch {
	case b == '\r' && f.nameLen == 0:
		f.state = headLF
		return true
	case b == ':' && f.nameLen > 0:
		f.endName()
		return true
	default:
		return false
	}
}

func (f *framing) endName() {
	f.state = headerValue
	if f.nameLen <= headerNameMax {
		switch string(f.name[:f.nameLen]) {
		case "content-length":
			f.head.header = headerLength
			f.head.lengths++
		case "upgrade":
			f.head.header, f.head.matched = headerUpgrade, 0
		case "transfer-encoding":
			f.head.encoded = true
		}
	}
	f.nameLen = 0
}

// lengthDigitsMax keeps the length below the range of its type.
const lengthDigitsMax = 18

func (f *framing) valueByte(b byte) bool {
	switch {
	case b == '\r' || f.head.header == headerOther:
		return true
	case f.head.header == headerLength:
		return f.head.lengthByte(b)
	default:
		f.head.upgradeByte(b)
		return true
	}
}

func (h *head) lengthByte(b byte) bool {
	switch {
	case b == ' ' || b == '\t':
		h.ended = h.digits > 0
		return true
	case b < '0' || b > '9' || h.ended || h.digits == lengthDigitsMax:
		return false
	default:
		h.length = h.length*10 + uint64(b-'0')
		h.digits++
		return true
	}
}

// protocolWebSocket is the protocol in Upgrade after which frames follow. No other one is
// served: such a header is ignored.
const protocolWebSocket = "websocket"

// upgradeByte searches for protocolWebSocket, whose first letter it has only once.
func (h *head) upgradeByte(b byte) {
	switch b = lower(b); {
	case h.upgrade:
	case b == protocolWebSocket[h.matched]:
		h.matched++
		h.upgrade = h.matched == len(protocolWebSocket)
	case b == protocolWebSocket[0]:
		h.matched = 1
	default:
		h.matched = 0
	}
}

func (f *framing) endValue() bool {
	valid := f.head.header != headerLength || f.head.digits > 0 && f.head.lengths == 1
	f.head.header = headerOther
	return valid
}

// endHead continues after a head. The server rejects a Transfer-Encoding and closes the
// connection. It also closes the connection of a request that is not upgraded.
func (f *framing) endHead() bool {
	h := f.head
	f.head, f.skip = head{}, h.length
	switch {
	case h.encoded:
		f.state = unchecked
	case h.upgrade && h.length > 0:
		return false
	case h.upgrade:
		f.state = frameStart
	case h.length > 0:
		f.state = body
	default:
		f.state = beforeRequest
	}
	return true
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// tokenBytes are the bytes that may be in a header name (RFC 9110, 5.6.2).
var tokenBytes = func() (set [256]bool) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, b := range []byte(letters + "0123456789!#$%&'*+-.^_`|~") {
		set[b] = true
	}
	return set
}()
