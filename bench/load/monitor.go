package load

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"venuegate/bench/process"
)

// monitor reads what the process of the service uses, and prints the progress.
type monitor struct {
	pid int
	out io.Writer
	// connections is the number of open connections of the scenario.
	connections atomic.Int64
}

func newMonitor(pid int, out io.Writer) *monitor { return &monitor{pid: pid, out: out} }

// processorTime returns the processor time of the service so far, zero if it cannot be read.
func (m *monitor) processorTime() time.Duration {
	if m.pid == 0 {
		return 0
	}
	used, _ := process.CPUTime(m.pid) // it is reported as not known
	return used
}

// residentBytes returns the memory of the service, zero if it cannot be read.
func (m *monitor) residentBytes() int64 {
	if m.pid == 0 {
		return 0
	}
	n, _ := process.ResidentBytes(m.pid) // it is reported as not known
	return n
}

// watch prints a line each second until the returned function is called.
func (m *monitor) watch(ctx context.Context, r *recorder) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		last, used := time.Now(), m.processorTime()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				total := m.processorTime()
				second := r.tick(now, Usage{
					Processors: (total - used).Seconds() / now.Sub(last).Seconds(), ResidentBytes: m.residentBytes(), Connections: m.connections.Load(),
				})
				last, used = now, total
				m.print(now.Sub(r.start), second)
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// print prints the line of a second.
func (m *monitor) print(since time.Duration, s Second) {
	text := fmt.Sprintf("%4.0f s  %7d/s  p50 %9s ms  p99 %9s ms", since.Seconds(), s.Done, milliseconds(s.P50Us), milliseconds(s.P99Us))
	if s.Errors > 0 {
		text += fmt.Sprintf("  %d errors", s.Errors)
	}
	if s.ResidentBytes > 0 {
		text += fmt.Sprintf("  service: %.2f processors, %d MiB", s.Processors, s.ResidentBytes>>20)
	}
	fmt.Fprintln(m.out, text)
}

// milliseconds returns microseconds as milliseconds with three decimals.
func milliseconds(us int64) string { return fmt.Sprintf("%d.%03d", us/1000, us%1000) }

// faultsMax bounds the faults that are kept; more of them are counted.
const faultsMax = 100

// faults are violations of what the service promises. It is safe for concurrent use.
type faults struct {
	mu    sync.Mutex
	texts []string
	more  int
}

func newFaults() *faults { return &faults{} }

func (f *faults) add(format string, values ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.texts) >= faultsMax {
		f.more++
		return
	}
	f.texts = append(f.texts, fmt.Sprintf(format, values...))
}

func (f *faults) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.texts)
	if f.more > 0 {
		all = append(all, fmt.Sprintf("and %d more", f.more))
	}
	return all
}
