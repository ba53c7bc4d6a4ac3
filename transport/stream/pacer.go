package stream

import "time"

// pacer spaces the messages of one client: opsPerSecond at once, then evenly as
// many a second. It is for one goroutine.
type pacer struct {
	// due is when the last message would have come, had they all been spaced.
	due time.Time
}

// wait is how long the message that has just come must wait.
func (p *pacer) wait(now time.Time) time.Duration {
	const interval = time.Second / opsPerSecond
	if p.due.Before(now) {
		p.due = now
	}
	p.due = p.due.Add(interval)
	return max(p.due.Sub(now)-opsPerSecond*interval, 0)
}
