package venue

import (
	"time"
)

// Status of a venue as the service sees it.
type Status string

// Statuses of a venue; see the package comment.
const (
	StatusUp       Status = "up"
	StatusDegraded Status = "degraded"
	StatusDown     Status = "down"
)

// Feed is the state of the venue's public connections.
type Feed struct {
	Channels    int   // subscribed
	Interrupted int   // of them
	Cause       error // of the interruption
}

// Health of a venue.
type Health struct {
	Status Status
	Since  time.Time
	// Reason says in words why the venue is not up.
	Reason string
	// LastError is the newest failure of a request or a connection, and stays
	// after it has been mended.
	LastError   string
	LastErrorAt time.Time
}

// Stats is how a venue stands.
type Stats struct {
	Health
	Instruments int
	// CatalogueAt is when the catalogue was last read, ClockAt when the clocks
	// were last compared; zero if never.
	CatalogueAt time.Time
	ClockAt     time.Time
	// ClockOffset is the venue's clock minus ours.
	ClockOffset time.Duration
	Feed        Feed
	Books       int
}

// assess derives the health from what is known.
func (s *state) assess(now time.Time) {
	status, reason := s.judge()
	if status != s.health.Status {
		s.health.Status, s.health.Since = status, now
	}
	s.health.Reason = reason
}

func (s *state) judge() (Status, string) {
	switch {
	case s.catalogue.at.IsZero():
		return StatusDown, "instruments not read yet"
	case s.catalogue.failures+s.clock.failures >= failuresDown:
		return StatusDown, "requests go unanswered"
	case s.catalogue.failures > 0:
		return StatusDegraded, "instruments could not be read again"
	case s.clock.failures > 0 || s.clock.at.IsZero():
		return StatusDegraded, "clock not compared"
	case s.skewed():
		return StatusDegraded, "clocks differ by " + s.offset.String()
	case s.feed.Interrupted > 0:
		return StatusDegraded, "market data interrupted"
	}
	return StatusUp, ""
}

// failed notes the newest failure.
func (s *state) failed(now time.Time, err error) {
	s.health.LastError, s.health.LastErrorAt = err.Error(), now
}
