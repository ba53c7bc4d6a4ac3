package bench

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

// ticksPerSecond is the unit of /proc/<pid>/stat on Linux.
const ticksPerSecond = 100

// processorTicks returns the user and system time of a process so far.
func processorTicks(pid int) (int64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the process may contain spaces; fields are counted after it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var total int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func residentBytes(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(string(bytes.Fields(data)[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// processorTime returns how long the threads of a process have run so far.
func processorTime(pid int) (time.Duration, error) {
	var total time.Duration
	err := eachThread(pid, "schedstat", func(stat string) error {
		ran, _, _ := strings.Cut(stat, " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		total += time.Duration(nanoseconds)
		return err
	})
	return total, err
}

// busyTime returns the processor time of a process while do runs.
func busyTime(pid int, do func() error) (time.Duration, error) {
	before, err := processorTime(pid)
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := processorTime(pid)
	return after - before, err
}

// contextSwitches returns how often the threads of a process have left a processor so
// far, because they waited or because another thread preempted them.
func contextSwitches(pid int) (int64, error) {
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

// ioCalls returns how often a process has called read, write and their variants so far,
// on sockets too. Calls that only wait, such as epoll_wait and futex, are not counted.
func ioCalls(pid int) (int64, error) {
	counters, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, err
	}
	reads, errReads := fieldOf(string(counters), "syscr:")
	writes, errWrites := fieldOf(string(counters), "syscw:")
	return reads + writes, errors.Join(errReads, errWrites)
}

// fieldOf returns the number that follows a name in a file of /proc.
func fieldOf(text, name string) (int64, error) {
	_, rest, found := strings.Cut(text, name)
	if !found {
		return 0, fmt.Errorf("no %s in the counters of a process", strings.TrimSpace(name))
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseInt(strings.TrimSpace(line), 10, 64)
}

// eachThread calls visit with a file of every thread of a process.
func eachThread(pid int, file string, visit func(content string) error) error {
	names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	if err != nil {
		return err
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
