package bench

import (
	"os"

	"golang.org/x/sys/unix"
)

// dataSync makes the content of a file durable.
func dataSync(file *os.File) error { return unix.Fdatasync(int(file.Fd())) }
