package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// memorySettle is how long the idle demo runs before it is looked at, and the
// span over which its use of the processor is taken.
const memorySettle = 20 * time.Second

var memoryScenario = Scenario{
	Name: "idle",
	Does: "memory and processor time of the whole demo, simulated venues included, with nobody connected",
	Run:  measureIdle,
}

func measureIdle(ctx context.Context, o Options) ([]Figure, error) {
	d, err := startDemo(ctx, o.Binary)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	var resident, busy []float64
	for range o.Rounds {
		before, err := processorTicks(d.command.Process.Pid)
		if err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(memorySettle / time.Duration(o.Rounds)):
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
		busy = append(busy, float64(after-before)/ticksPerSecond/(memorySettle.Seconds()/float64(o.Rounds))*100)
	}
	return []Figure{
		{Name: "resident memory", Ours: spreadOf(resident), Unit: "MiB", Goal: "<= 200"},
		{Name: "processor", Ours: spreadOf(busy), Unit: "% of a core", Goal: "<= 50"},
	}, nil
}

// ticksPerSecond is the unit of /proc/<pid>/stat on Linux.
const ticksPerSecond = 100

// processorTicks is the user and system time of a process so far.
func processorTicks(pid int) (int64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the process may hold spaces; fields are counted behind it.
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
