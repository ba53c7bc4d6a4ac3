package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Rounds is the number of equal parts of the duration whose percentiles are kept.
const Rounds = 10

// resultBytesMax bounds the file of a result.
const resultBytesMax = 64 << 20

// Result is what a run measured. Its JSON form is a contract: members are only added.
type Result struct {
	Scenario string            `json:"scenario"`
	Started  time.Time         `json:"started"`
	Version  string            `json:"version"`
	Machine  Machine           `json:"machine"`
	Flags    map[string]string `json:"flags"`
	// Latencies are those of all requests by kind; see Latency.
	Latencies []Latency `json:"latencies"`
	// Seconds are the seconds of the run, the warm-up of WarmupSec included.
	Seconds     []Second `json:"seconds"`
	WarmupSec   float64  `json:"warmupSec"`
	DurationSec float64  `json:"durationSec"`
	// Figures are those of the scenario besides latencies, such as frames per second.
	Figures []Figure `json:"figures"`
	// Faults are violations of what the service promises, such as a break of a sequence.
	Faults []string `json:"faults"`
}

// Machine is where the load was made.
type Machine struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Processors int    `json:"processors"`
	Model      string `json:"model"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
}

// Latency has the times from when requests of a kind were due to their
// responses, in microseconds.
type Latency struct {
	Kind   string           `json:"kind"`
	Count  int64            `json:"count"`
	Errors map[string]int64 `json:"errors"`
	Percentiles
	MaxUs  int64   `json:"maxUs"`
	MeanUs float64 `json:"meanUs"`
	// Rounds are the percentiles of equal parts of the duration.
	Rounds []Percentiles `json:"rounds"`
	// Histogram is the whole distribution, in the compressed form V2 of HdrHistogram.
	Histogram string `json:"histogram"`
}

// Percentiles of latencies in microseconds.
type Percentiles struct {
	P50Us  int64 `json:"p50Us"`
	P90Us  int64 `json:"p90Us"`
	P99Us  int64 `json:"p99Us"`
	P999Us int64 `json:"p999Us"`
}

// Second has what happened in one second.
type Second struct {
	Done   int64 `json:"done"`
	Errors int64 `json:"errors"`
	P50Us  int64 `json:"p50Us"`
	P99Us  int64 `json:"p99Us"`
	Usage
}

// Usage is what the process of the service used; zero if it is not on this machine.
type Usage struct {
	// Processors is the average number of processors that it kept busy.
	Processors    float64 `json:"processors"`
	ResidentBytes int64   `json:"residentBytes"`
	Connections   int64   `json:"connections"`
}

// Figure is a number with its unit.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

func newLatency(kind string, k *kindRecord) (Latency, error) {
	all := newHistogram()
	l := Latency{Kind: kind, Errors: k.errors}
	for _, round := range k.rounds {
		all.Merge(round)
		if round.TotalCount() > 0 {
			l.Rounds = append(l.Rounds, percentilesOf(round))
		}
	}
	l.Count, l.MaxUs, l.MeanUs, l.Percentiles = all.TotalCount(), all.Max(), all.Mean(), percentilesOf(all)
	text, err := all.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	l.Histogram = string(text)
	return l, err
}

func percentilesOf(h *hdrhistogram.Histogram) Percentiles {
	return Percentiles{
		P50Us: h.ValueAtQuantile(50), P90Us: h.ValueAtQuantile(90),
		P99Us: h.ValueAtQuantile(99), P999Us: h.ValueAtQuantile(99.9),
	}
}

// distribution returns the histogram of a latency.
func (l *Latency) distribution() (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode([]byte(l.Histogram))
	if err != nil {
		return nil, fmt.Errorf("histogram of %s: %w", l.Kind, err)
	}
	return h, nil
}

// WriteHDR writes the distributions of a result as percentiles in milliseconds, in the form that
// the plotting tools of HdrHistogram read, one after the other.
func (r *Result) WriteHDR(w io.Writer) error {
	const (
		ticksPerHalf = 5
		scale        = 1000
	)
	for i := range r.Latencies {
		h, err := r.Latencies[i].distribution()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "# %s\n", r.Latencies[i].Kind)
		if _, err := h.PercentilesPrint(w, ticksPerHalf, scale); err != nil {
			return err
		}
	}
	return nil
}

// ReadResult reads a result from a file.
func ReadResult(name string) (*Result, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(file, resultBytesMax+1))
	if err != nil {
		return nil, err
	}
	if len(text) > resultBytesMax {
		return nil, fmt.Errorf("%s has more than %d MB", name, resultBytesMax>>20)
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s is not a result of a load: %w", name, err)
	}
	if r.Scenario == "" {
		return nil, fmt.Errorf("%s is not a result of a load: it names no scenario", name)
	}
	return &r, nil
}

// thisMachine describes this machine. What cannot be read is empty.
func thisMachine() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Processors: runtime.NumCPU(), Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for scanner := bufio.NewScanner(bytes.NewReader(text)); scanner.Scan(); {
			if name, value, found := strings.Cut(scanner.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
				m.Model = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(text))
	}
	return m
}
