package load

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Bounds of a histogram, in microseconds, and its precision. A longer latency is counted as the
// longest.
const (
	latencyMinUs    = 1
	latencyMaxUs    = int64(time.Minute / time.Microsecond)
	latencyDigits   = 3
	secondsMax      = 24 * 3600
	kindsMax        = 64
	errorCodesMax   = 256
	errorCodesOther = "other"
)

// recorder collects what became of requests. It is safe for concurrent use.
type recorder struct {
	round time.Duration

	mu sync.Mutex
	// start is when the clock of the run started, from the end of the warm-up. Until begin they
	// are zero and nothing is kept.
	start, from time.Time
	kinds       map[string]*kindRecord
	// seconds are those since the start, the warm-up included.
	seconds []Second
	// last is the latency of all kinds since the last progress.
	last *hdrhistogram.Histogram
}

// kindRecord is what became of the requests of one kind since the warm-up.
type kindRecord struct {
	rounds []*hdrhistogram.Histogram
	errors map[string]int64
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(latencyMinUs, latencyMaxUs, latencyDigits)
}

// newRecorder returns a recorder of a run that measures for a duration.
func newRecorder(duration time.Duration) *recorder {
	return &recorder{round: duration / Rounds, kinds: map[string]*kindRecord{}, last: newHistogram()}
}

// begin starts the clock of the run.
func (r *recorder) begin(start time.Time, warmup time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start, r.from = start, start.Add(warmup)
}

// counts reports whether what was due at a time belongs to the measurement.
func (r *recorder) counts(due time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.measures(due)
}

func (r *recorder) measures(due time.Time) bool { return !r.start.IsZero() && !due.Before(r.from) }

// record adds a response, or a message, that was due at a time and came at another one.
func (r *recorder) record(kind string, due, came time.Time) {
	us := min(max(came.Sub(due).Microseconds(), latencyMinUs), latencyMaxUs)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start.IsZero() {
		return
	}
	r.second(came).Done++
	_ = r.last.RecordValue(us) // it is within the bounds
	if k, round := r.kind(kind, due); k != nil {
		_ = k.rounds[round].RecordValue(us)
	}
}

// fail adds a request that failed, by the code of its error.
func (r *recorder) fail(kind string, due time.Time, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start.IsZero() {
		return
	}
	r.second(time.Now()).Errors++
	k, _ := r.kind(kind, due)
	if k == nil {
		return
	}
	if _, known := k.errors[code]; !known && len(k.errors) >= errorCodesMax {
		code = errorCodesOther
	}
	k.errors[code]++
}

// kind returns the record of a kind and the round in which a request was due; nil during the
// warm-up.
func (r *recorder) kind(name string, due time.Time) (*kindRecord, int) {
	if !r.measures(due) {
		return nil, 0
	}
	k := r.kinds[name]
	if k == nil {
		if len(r.kinds) >= kindsMax {
			return nil, 0
		}
		k = &kindRecord{errors: map[string]int64{}}
		for range Rounds {
			k.rounds = append(k.rounds, newHistogram())
		}
		r.kinds[name] = k
	}
	return k, min(int(due.Sub(r.from)/r.round), Rounds-1)
}

// second returns the counters of the second of a time.
func (r *recorder) second(at time.Time) *Second {
	n := min(max(int(at.Sub(r.start)/time.Second), 0), secondsMax)
	for len(r.seconds) <= n {
		r.seconds = append(r.seconds, Second{})
	}
	return &r.seconds[n]
}

// tick returns the counters of the second that ends now, with the latencies since the last
// tick. usage is what the service used in it.
func (r *recorder) tick(now time.Time, usage Usage) Second {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.second(now.Add(-time.Second / 2))
	s.P50Us, s.P99Us = r.last.ValueAtQuantile(50), r.last.ValueAtQuantile(99)
	s.Usage = usage
	r.last.Reset()
	return *s
}

// latencies returns the latencies by kind, in the order of their names.
func (r *recorder) latencies() (all []Latency, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.kinds)) {
		l, err := newLatency(name, r.kinds[name])
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}
