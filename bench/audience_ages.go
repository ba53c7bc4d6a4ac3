package bench

import (
	"sync"
	"time"
)

// agesMax bounds the ages of a subscriber between two answers; further ones are not noted.
const agesMax = 1 << 16

// frameAges are the ages of the frames of one subscriber since the last answer.
type frameAges struct {
	mu   sync.Mutex
	ages []time.Duration
}

func (f *frameAges) add(age time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.ages) < agesMax {
		f.ages = append(f.ages, age)
	}
}

func (f *frameAges) take() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	ages := f.ages
	f.ages = nil
	return ages
}

// ageSummary has percentiles of the ages of all sampled subscribers, in microseconds, and
// the lowest and the highest of their medians.
type ageSummary struct {
	Frames    int     `json:"frames"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	MedianMin float64 `json:"medianMin"`
	MedianMax float64 `json:"medianMax"`
}

// summarize takes the ages of the sampled subscribers.
func summarize(sampled []*frameAges) (s ageSummary) {
	var all []time.Duration
	for _, one := range sampled {
		ages := one.take()
		if len(ages) == 0 {
			continue
		}
		middle := median(ages)
		if len(all) == 0 || middle < s.MedianMin {
			s.MedianMin = middle
		}
		s.MedianMax = max(s.MedianMax, middle)
		all = append(all, ages...)
	}
	s.Frames, s.P50, s.P99 = len(all), median(all), quantile(all, 990)
	return s
}
