//go:build unix

package stream

import (
	"errors"
	"syscall"
)

// writeDescriptor writes k.data as far as the kernel takes it without waiting.
// It always reports itself done, so that the runtime never waits either.
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
