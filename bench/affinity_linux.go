package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// pinSettle is how long Go's runtime may take to notice a changed number of
// processors; it checks once a second.
const pinSettle = 1500 * time.Millisecond

// pin restricts processes to one of the processors of this process until free is
// called.
func pin(processes []int) (free func() error, err error) {
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, fmt.Errorf("processors of this process: %w", err)
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	free = func() error { return setAffinity(processes, &all) }
	if err := setAffinity(processes, &one); err != nil {
		return nil, errors.Join(err, free())
	}
	time.Sleep(pinSettle)
	return free, nil
}

// setAffinity sets the processors of every thread. It does so twice, because a thread
// that was not set yet may have started another in the meantime.
func setAffinity(processes []int, to *unix.CPUSet) error {
	for _, process := range append(processes, processes...) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", process))
		if err != nil {
			return err
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(filepath.Base(thread))
			if err != nil {
				return err
			}
			if err := unix.SchedSetaffinity(id, to); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("processors of thread %d: %w", id, err)
			}
		}
	}
	return nil
}
