package listen

// Parts of the header of a frame (RFC 6455, 5.2).
const (
	frameMasked    = 0x80
	frameLen16     = 126
	frameLen64     = 127
	frameMaskBytes = 4
)

func (f *framing) frameByte(b byte) bool {
	switch f.state {
	case frameStart:
		f.state = frameSize
		return true
	case frameSize:
		f.maskBytes, f.frameLen = 0, 0
		if b&frameMasked != 0 {
			f.maskBytes = frameMaskBytes
		}
		switch size := b &^ frameMasked; size {
		case frameLen16:
			f.lenBytes = 2
		case frameLen64:
			f.lenBytes = 8
		default:
			f.frameLen = uint64(size)
			return f.beginPayload()
		}
		f.state = frameLength
		return true
	default:
		f.frameLen = f.frameLen<<8 | uint64(b)
		f.lenBytes--
		return f.lenBytes > 0 || f.beginPayload()
	}
}

func (f *framing) beginPayload() bool {
	if f.frameLen > f.frameBytesMax {
		return false
	}
	f.skip, f.state = f.frameLen+uint64(f.maskBytes), framePayload
	if f.skip == 0 {
		f.state = frameStart
	}
	return true
}
