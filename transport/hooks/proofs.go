package hooks

import (
	"sync"
	"time"
)

const (
	// proofHours is the number of hours for which failed proofs are counted.
	proofHours = 24
	// proofChannelsMax bounds the channels whose failed proofs are counted.
	proofChannelsMax = 4096
)

// Proofs counts the requests to each channel whose sender was not authenticated. It is safe for
// concurrent use.
type Proofs struct {
	began time.Time

	mu     sync.Mutex
	failed map[string]*proofCounts
}

// proofCounts has a number for each of the last proofHours, by the hour modulo proofHours.
type proofCounts struct {
	hour   int64
	counts [proofHours]int
}

// NewProofs returns Proofs without counts.
func NewProofs() *Proofs {
	return &Proofs{began: time.Now(), failed: map[string]*proofCounts{}}
}

// Fail counts a request to an existing channel.
func (p *Proofs) Fail(channel string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.failed[channel]
	if !known {
		if len(p.failed) >= proofChannelsMax {
			for victim := range p.failed { // any of them
				delete(p.failed, victim)
				break
			}
		}
		c = &proofCounts{hour: hourOf(now)}
		p.failed[channel] = c
	}
	c.advance(hourOf(now))
	c.counts[c.hour%proofHours]++
}

// Failed returns the number of failed requests to a channel within the last proofHours, the
// present one included, and since when they are counted.
func (p *Proofs) Failed(channel string) (count int, since time.Time) {
	now := time.Now()
	since = now.Truncate(time.Hour).Add(-(proofHours - 1) * time.Hour)
	if since.Before(p.began) {
		since = p.began
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.failed[channel]
	if !known {
		return 0, since
	}
	c.advance(hourOf(now))
	for _, n := range c.counts {
		count += n
	}
	return count, since
}

// advance clears the hours that have passed. A clock that was set back does not.
func (c *proofCounts) advance(hour int64) {
	if hour-c.hour >= proofHours {
		c.counts, c.hour = [proofHours]int{}, hour
	}
	for c.hour < hour {
		c.hour++
		c.counts[c.hour%proofHours] = 0
	}
}

func hourOf(t time.Time) int64 { return t.Unix() / int64(time.Hour/time.Second) }
