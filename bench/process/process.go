// Package process reads what Linux counts of a running process, this one or another one of the
// same user: processor time, memory, waits and calls. On other systems its functions return
// an error.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ResidentBytes returns the memory of a process that is resident now.
func ResidentBytes(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(string(bytes.Fields(data)[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// CPUTime returns how long the threads of a process have run so far.
func CPUTime(pid int) (time.Duration, error) {
	var total time.Duration
	err := eachThread(pid, "schedstat", func(stat string) error {
		ran, _, _ := strings.Cut(stat, " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		total += time.Duration(nanoseconds)
		return err
	})
	return total, err
}

// CPUTimeDuring returns the processor time of a process while do runs.
func CPUTimeDuring(pid int, do func() error) (time.Duration, error) {
	before, err := CPUTime(pid)
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := CPUTime(pid)
	return after - before, err
}

// ContextSwitches returns how often the threads of a process have left a processor so
// far, because they waited or because another thread preempted them.
func ContextSwitches(pid int) (int64, error) {
	var total int64
	err := eachThread(pid, "status", func(status string) error {
		for _, name := range []string{"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"} {
			n, err := fieldOf(status, name)
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	return total, err
}

// IOCalls returns how often a process has called read, write and their variants so far,
// on sockets too. Calls that only wait, such as epoll_wait and futex, are not counted.
func IOCalls(pid int) (int64, error) {
	counters, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, err
	}
	reads, errReads := fieldOf(string(counters), "syscr:")
	writes, errWrites := fieldOf(string(counters), "syscw:")
	return reads + writes, errors.Join(errReads, errWrites)
}

// ResetPeak begins a new measurement of PeakBytes.
func ResetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// PeakBytes returns the largest resident memory of a process.
func PeakBytes(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	kilobytes, err := fieldOf(string(status), "\nVmHWM:")
	return kilobytes << 10, err
}

// fieldOf returns the number that follows a name in a file of /proc.
func fieldOf(text, name string) (int64, error) {
	_, rest, found := strings.Cut(text, name)
	if !found {
		return 0, fmt.Errorf("no %s in the counters of a process", strings.TrimSpace(name))
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, " kB")), 10, 64)
}

// eachThread calls visit with a file of every thread of a process.
func eachThread(pid int, file string, visit func(content string) error) error {
	names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("process %d has no counters in /proc", pid)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
		}
		if err != nil {
			return err
		}
		if err := visit(string(content)); err != nil {
			return err
		}
	}
	return nil
}
