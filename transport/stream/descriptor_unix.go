//go:build unix

package stream

import (
	"errors"
	"syscall"
)

// writeDescriptor writes as much of k.data as the kernel accepts without blocking. It
// always returns true, so that the runtime does not wait for the descriptor either.
func (k *socket) writeDescriptor(fd uintptr) bool {
	for k.written < len(k.data) {
		n, err := syscall.Write(int(fd), k.data[k.written:])
		switch {
		case err == nil:
			k.written += n
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return true
		default:
			k.err = err
			return true
		}
	}
	return true
}
