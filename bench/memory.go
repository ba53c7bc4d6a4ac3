package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memorySettle is how long the idle demo runs before its memory is read, and the time
// over which its processor use is measured.
const memorySettle = 20 * time.Second

// memoryQuick is memorySettle of a quick run.
const memoryQuick = 200 * time.Millisecond

var memoryScenario = Scenario{
	Name: "idle",
	Does: "memory and processor time of the whole demo, simulated venues included, with no client connected",
	Run:  measureIdle,
}

func measureIdle(ctx context.Context, o Options) ([]Figure, error) {
	dir, err := os.MkdirTemp("", "venuegate-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d, err := startDemo(ctx, o.Binary, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	span := memorySettle / time.Duration(o.Rounds)
	if o.Quick {
		span = memoryQuick
	}
	var resident, busy []float64
	for range o.Rounds {
		before, err := processorTicks(d.command.Process.Pid)
		if err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(span):
		}
		after, err := processorTicks(d.command.Process.Pid)
		if err != nil {
			return nil, err
		}
		rss, err := residentBytes(d.command.Process.Pid)
		if err != nil {
			return nil, err
		}
		resident = append(resident, float64(rss)/(1<<20))
		busy = append(busy, float64(after-before)/ticksPerSecond/span.Seconds()*100)
	}
	return []Figure{
		{Name: "resident memory", Ours: spreadOf(resident), Unit: "MiB", Goal: "<= 200"},
		{Name: "processor", Ours: spreadOf(busy), Unit: "% of a core", Goal: "<= 50"},
	}, nil
}

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
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0, err
	}
	var total time.Duration
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
		}
		if err != nil {
			return 0, err
		}
		ran, _, _ := strings.Cut(string(stat), " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(nanoseconds)
	}
	return total, nil
}
