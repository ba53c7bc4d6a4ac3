package venue

import (
	"errors"
	"slices"
	"time"

	"venuegate/venues"
)

// Intervals and limits of a venue.
const (
	// instrumentsEvery and clockEvery are the intervals between two requests; up to a
	// quarter is added at random. The comparison of the clocks is also what shows within
	// seconds that a venue does not respond, or does again.
	instrumentsEvery = 15 * time.Minute
	clockEvery       = 2 * time.Second
	// refreshGapMin is the shortest time between two reads of the instruments, however
	// many callers request one.
	refreshGapMin = 10 * time.Second
	// A failed read of the instruments is repeated after retryMin, doubling to retryMax, a
	// failed comparison of the clocks after clockRetry.
	retryMin   = time.Second
	retryMax   = 30 * time.Second
	clockRetry = time.Second
	// A list without leverages is read again after retryMin, doubling to
	// leverageRetryMax.
	leverageRetryMax = time.Minute
	// failuresDown is the number of failed comparisons of the clocks in a row at which
	// the venue is down, streamsLostMax the time after which it is down because all its
	// streams are lost: single connections are renewed in less.
	failuresDown   = 2
	streamsLostMax = 3 * time.Second
	// skewMax is the difference of the clocks above which there is a warning. Venues
	// reject orders whose time differs by more than their window.
	skewMax = time.Second
)

// state is the state of a venue: the set of instruments, the schedule of the requests, and
// the health.
type state struct {
	every time.Duration // between two reads of the instruments

	instruments *venues.InstrumentSet
	listing     poll
	// withoutLeverage counts the lists in a row without leverages: some venues list
	// them only after an account has requested one.
	withoutLeverage int
	clock           poll
	offset          time.Duration
	feed            Feed
	private         Streams
	// streamsLostAt is when the last stream was lost; zero while one is connected or none
	// is wanted.
	streamsLostAt time.Time
	health        Health
}

// poll is a request that is repeated.
type poll struct {
	running  bool
	at       time.Time // of the last success
	failures int       // since then
}

func newState(now time.Time, every time.Duration) *state {
	s := &state{every: every}
	s.assess(now)
	return s
}

// wait is the delay before the next request, and the limit of a random addition.
type wait struct{ after, jitter time.Duration }

func (p *poll) succeeded(now time.Time, every time.Duration) wait {
	p.running, p.at, p.failures = false, now, 0
	return wait{every, every / 4}
}

func (p *poll) failed(longest time.Duration) wait {
	p.running = false
	p.failures++
	after := doubled(retryMin, p.failures, longest)
	return wait{after, after / 4}
}

// errNoInstruments rejects a list that would remove every instrument.
var errNoInstruments = errors.New("venue listed no instruments")

// instrumentChanges are the changes of a new list.
type instrumentChanges struct {
	added, removed, changed int
	// rescaled are the instruments whose fixed-point scale has changed.
	rescaled []venues.Instrument
}

// instrumentsRead handles the result of a request for the instruments.
func (s *state) instrumentsRead(now time.Time, instruments []venues.Instrument, err error) (instrumentChanges, wait) {
	defer s.assess(now)
	if err == nil && len(instruments) == 0 {
		err = errNoInstruments
	}
	if err != nil {
		s.failed(now, err)
		return instrumentChanges{}, s.listing.failed(retryMax)
	}
	changes := s.list(now, instruments)
	return changes, s.listing.succeeded(now, s.untilNext(instruments))
}

// untilNext returns the delay before the next read of the instruments.
func (s *state) untilNext(instruments []venues.Instrument) time.Duration {
	if slices.ContainsFunc(instruments, func(i venues.Instrument) bool { return i.MaxLeverage.Valid }) {
		s.withoutLeverage = 0
		return s.every
	}
	s.withoutLeverage++
	return min(doubled(retryMin, s.withoutLeverage, leverageRetryMax), s.every)
}

// doubled returns the delay before the nth attempt, doubling to longest.
func doubled(first time.Duration, n int, longest time.Duration) time.Duration {
	after := first
	for ; n > 1 && after < longest; n-- {
		after *= 2
	}
	return min(after, longest)
}

// list replaces the set. Instruments that did not change keep their UpdatedAt.
func (s *state) list(now time.Time, instruments []venues.Instrument) (changes instrumentChanges) {
	known := 0
	for n := range instruments {
		i := &instruments[n]
		before, found := s.instruments.Find(i.Symbol)
		if !found || before.Symbol != i.Symbol {
			changes.added++
			i.UpdatedAt = venues.At(now)
			continue
		}
		known++
		if sameInstrument(before, i) {
			i.UpdatedAt = before.UpdatedAt
			continue
		}
		changes.changed++
		i.UpdatedAt = venues.At(now)
		if before.Scale() != i.Scale() {
			changes.rescaled = append(changes.rescaled, *i)
		}
	}
	changes.removed = len(s.instruments.All()) - known
	s.instruments = venues.NewInstrumentSet(instruments)
	return changes
}

// sameInstrument reports whether two instruments are equal in everything but UpdatedAt.
func sameInstrument(a, b *venues.Instrument) bool {
	return a.Symbol == b.Symbol && a.Exchange == b.Exchange && a.Kind == b.Kind && a.Status == b.Status &&
		a.BaseCurrency == b.BaseCurrency && a.QuoteCurrency == b.QuoteCurrency && a.SettleCurrency == b.SettleCurrency &&
		a.VenueSymbol == b.VenueSymbol &&
		a.TickSize.Equal(b.TickSize) && a.MinQty.Equal(b.MinQty) && a.QtyStep.Equal(b.QtyStep) && a.ContractSize.Equal(b.ContractSize) &&
		venues.EqualOptional(a.MinNotional, b.MinNotional) && venues.EqualOptional(a.MaxQty, b.MaxQty) &&
		venues.EqualOptional(a.MaxMarketQty, b.MaxMarketQty) && venues.EqualOptional(a.MaxLeverage, b.MaxLeverage) &&
		venues.EqualOptional(a.MinPrice, b.MinPrice) && venues.EqualOptional(a.MaxPrice, b.MaxPrice)
}

// refreshWait returns the delay before a requested read, or false if one is under way.
func (s *state) refreshWait(now time.Time) (time.Duration, bool) {
	if s.listing.running {
		return 0, false
	}
	return max(0, refreshGapMin-now.Sub(s.listing.at)), true
}

// clockCompared handles the result of a comparison of the clocks.
func (s *state) clockCompared(now time.Time, offset time.Duration, err error) wait {
	defer s.assess(now)
	s.health.Maintenance = venues.CodeOf(err) == venues.CodeMaintenance
	if err != nil {
		s.failed(now, err)
		return s.clock.failed(clockRetry)
	}
	s.offset = offset
	return s.clock.succeeded(now, clockEvery)
}

func (s *state) skewed() bool { return s.offset.Abs() > skewMax }

// privateReported handles a report of the accounts' private connections.
func (s *state) privateReported(now time.Time, private Streams) {
	s.private = private
	s.assess(now)
}

// feedReported handles a report of the connections.
func (s *state) feedReported(now time.Time, f Feed) {
	s.feed = f
	if f.Cause != nil {
		s.failed(now, f.Cause)
	}
	s.assess(now)
}
