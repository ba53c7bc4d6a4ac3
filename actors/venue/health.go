package venue

import "time"

// Status is the status of a venue.
type Status string

// Statuses of a venue; see the package comment.
const (
	StatusUp       Status = "up"
	StatusDegraded Status = "degraded"
	StatusDown     Status = "down"
)

// Feed is the state of the venue's public connections.
type Feed struct {
	Topics      int   // subscribed
	Interrupted int   // of them
	Cause       error // of the interruption
}

// Streams counts the private connections of accounts at a venue.
type Streams struct{ Wanted, Connected int }

// Health is the health of a venue.
type Health struct {
	Status Status
	Since  time.Time
	// Reason is why the venue is not up, in words.
	Reason string
	// Maintenance is set while the venue does not respond and announces a maintenance.
	Maintenance bool
	// LastError is the newest failure of a request or a connection. It is kept after
	// the failure has ended.
	LastError   string
	LastErrorAt time.Time
}

// Stats is the state of a venue.
type Stats struct {
	Health
	Instruments int
	// InstrumentsAt is when the instruments were last read, ClockAt when the clocks
	// were last compared; zero if never.
	InstrumentsAt time.Time
	ClockAt       time.Time
	// ClockOffset is the venue's clock minus ours.
	ClockOffset time.Duration
	Feed        Feed
	Private     Streams
	Books       int
}

// assess derives the health from what is known.
func (s *state) assess(now time.Time) {
	if wanted, connected := s.streams(); wanted == 0 || connected > 0 {
		s.streamsLostAt = time.Time{}
	} else if s.streamsLostAt.IsZero() {
		s.streamsLostAt = now
	}
	status, reason := s.currentStatus(now)
	if status != s.health.Status {
		s.health.Status, s.health.Since = status, now
	}
	s.health.Reason = reason
}

// streams returns how many streams of the venue are wanted and how many of them are
// connected: topics of the public connections, and private connections.
func (s *state) streams() (wanted, connected int) {
	return s.feed.Topics + s.private.Wanted, s.feed.Topics - s.feed.Interrupted + s.private.Connected
}

// streamsDue returns when the health must be assessed again because all streams are
// lost; zero if they are not, or if that has been assessed.
func (s *state) streamsDue() time.Time {
	if s.streamsLostAt.IsZero() || s.health.Status == StatusDown {
		return time.Time{}
	}
	return s.streamsLostAt.Add(streamsLostMax)
}

func (s *state) currentStatus(now time.Time) (Status, string) {
	wanted, connected := s.streams()
	allLost := wanted > 0 && connected == 0
	switch {
	case s.listing.at.IsZero():
		return StatusDown, "instruments not read yet"
	case s.clock.failures >= failuresDown:
		return StatusDown, "requests go unanswered"
	case allLost && now.Sub(s.streamsLostAt) >= streamsLostMax:
		return StatusDown, "all streams are lost"
	case s.listing.failures > 0:
		return StatusDegraded, "instruments could not be read again"
	case s.clock.failures > 0 || s.clock.at.IsZero():
		return StatusDegraded, "clock not compared"
	case s.skewed():
		return StatusDegraded, "clocks differ by " + s.offset.String()
	case s.feed.Interrupted > 0:
		return StatusDegraded, "market data interrupted"
	case allLost:
		return StatusDegraded, "no private stream is connected"
	}
	return StatusUp, ""
}

// failed records the newest failure.
func (s *state) failed(now time.Time, err error) {
	s.health.LastError, s.health.LastErrorAt = err.Error(), now
}
