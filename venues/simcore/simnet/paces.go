package simnet

import "time"

// Paces say when what is sent by the clock is due. The zero value is ready: all
// of it is due at once. Its owner's lock guards it.
type Paces struct{ last map[time.Duration]time.Time }

// Due says whether a pace has come round at this moment of the base clock, and
// begins it anew. Steps come a little early or late: half a step does not count.
func (p *Paces) Due(pace time.Duration, base time.Time) bool {
	if base.Sub(p.last[pace]) < pace-PumpInterval/2 {
		return false
	}
	if p.last == nil {
		p.last = map[time.Duration]time.Time{}
	}
	p.last[pace] = base
	return true
}

// Hasten makes a pace due at the next step.
func (p *Paces) Hasten(pace time.Duration) { delete(p.last, pace) }
