package operations

import "venuegate/venues"

// Venue is the state of the connection to a venue.
type Venue struct {
	Exchange    venues.Venue `json:"exchange"`
	Environment string       `json:"environment"`
	OrderEntry  string       `json:"orderEntry"`
	// Status is up, degraded or down.
	Status string      `json:"status"`
	Since  venues.Time `json:"since"`
	// Reason is why the venue is not up, in words; null if it is.
	Reason *string `json:"reason"`
	// LastError is the newest failure of a request or a connection, also after it has ended.
	LastError   *string     `json:"lastError"`
	LastErrorAt venues.Time `json:"lastErrorAt"`

	Instruments int `json:"instruments"`
	// InstrumentsAt is when the instruments were last read, ClockAt when the clocks were last
	// compared; null if never. ClockOffsetMs is the venue's clock minus that of the service.
	InstrumentsAt venues.Time `json:"instrumentsAt"`
	ClockAt       venues.Time `json:"clockAt"`
	ClockOffsetMs int64       `json:"clockOffsetMs"`

	// Public counts the subscriptions of market data, Private the connections of accounts.
	Public        Connections `json:"public"`
	Private       Connections `json:"private"`
	Interruptions uint64      `json:"interruptions"`
	Books         int         `json:"books"`

	Limits []RateLimit `json:"limits"`
	// FrozenUntil is set while the venue has stopped all requests.
	FrozenUntil venues.Time `json:"frozenUntil"`
	// Waiting has the requests that wait for a limit, the most urgent priority first.
	Waiting []Waiting `json:"waiting"`
}

// Connections counts what should be connected, and what is.
type Connections struct {
	Wanted    int `json:"wanted"`
	Connected int `json:"connected"`
}

// RateLimit is the use of a rate limit of a venue. If each account has a limit of its own, it
// is that of the account that has used most of it.
type RateLimit struct {
	Name  string `json:"name"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
	// FrozenUntil is set while only cancels are sent, because the venue has reported that the
	// limit is used up.
	FrozenUntil venues.Time `json:"frozenUntil"`
}

// Waiting are the requests of one priority that wait for a limit.
type Waiting struct {
	Priority string `json:"priority"`
	Requests int    `json:"requests"`
}

// Book is the state of an order book.
type Book struct {
	Exchange venues.Venue `json:"exchange"`
	Symbol   string       `json:"symbol"`
	// Phase is the phase of the book, for PhaseMs; SilentMs is the time since the newest
	// message.
	Phase       string `json:"phase"`
	PhaseMs     int64  `json:"phaseMs"`
	SilentMs    int64  `json:"silentMs"`
	Subscribers int    `json:"subscribers"`

	Updates    uint64 `json:"updates"`
	Duplicates uint64 `json:"duplicates"`
	Gaps       uint64 `json:"gaps"`
	Crossings  uint64 `json:"crossings"`
	Overruns   uint64 `json:"overruns"`
	Resyncs    uint64 `json:"resyncs"`
	Snapshots  uint64 `json:"snapshots"`
	// Mismatches counts comparisons with a snapshot of the venue that have found a difference.
	Mismatches uint64 `json:"mismatches"`
}
