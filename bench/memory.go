package bench

import (
	"context"
	"os"
	"time"

	"venuegate/bench/process"
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
		ran, err := process.CPUTimeDuring(d.command.Process.Pid, func() error { return waitUntil(ctx, time.Now().Add(span)) })
		if err != nil {
			return nil, err
		}
		rss, err := process.ResidentBytes(d.command.Process.Pid)
		if err != nil {
			return nil, err
		}
		resident = append(resident, float64(rss)/(1<<20))
		busy = append(busy, ran.Seconds()/span.Seconds()*100)
	}
	return []Figure{
		{Name: "resident memory", Ours: spreadOf(resident), Unit: "MiB", Goal: "<= 200"},
		{Name: "processor", Ours: spreadOf(busy), Unit: "% of a core", Goal: "<= 50"},
	}, nil
}
