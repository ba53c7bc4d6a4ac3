//go:build !linux

package bench

import (
	"errors"
	"os"
)

// pin is not implemented on this system.
func pin([]int) (free func() error, err error) {
	return nil, errors.New("processes can be restricted to a processor on Linux only")
}

// dataSync makes the content of a file durable.
func dataSync(file *os.File) error { return file.Sync() }
