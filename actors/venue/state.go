package venue

import (
	"errors"
	"slices"
	"time"

	"venuegate/venues"
)

// Times and bounds of what a venue keeps up.
const (
	// catalogueEvery and clockEvery are the times between two reads; up to a quarter
	// is added at random.
	catalogueEvery = 15 * time.Minute
	clockEvery     = time.Minute
	// refreshGapMin is the least time between two reads of the catalogue, however
	// many ask for it.
	refreshGapMin = 10 * time.Second
	// A failed request is tried again after retryMin, doubling to retryMax.
	retryMin = time.Second
	retryMax = 30 * time.Second
	// A catalogue without leverages is read again after retryMin, doubling to
	// leverageRetryMax.
	leverageRetryMax = time.Minute
	// failuresDown is how many failures in a row mean that the venue is down.
	failuresDown = 3
	// skewMax is how far the clocks may differ before it is worth a warning.
	// Venues refuse orders whose time is further off than their window.
	skewMax = time.Second
)

// state is what a venue knows. The set of instruments is its result; everything
// else says when to ask again and how the venue stands.
type state struct {
	every time.Duration // between two reads of the catalogue

	instruments *venues.InstrumentSet
	catalogue   poll
	// lacking is how many catalogues in a row told no leverage: some venues tell it
	// once an account has asked.
	lacking int
	clock   poll
	offset  time.Duration
	feed    Feed
	health  Health
}

// poll is one request that is made again and again.
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

// wait is how long the next request waits, and how much may be added at random.
type wait struct{ after, jitter time.Duration }

func (p *poll) succeeded(now time.Time, every time.Duration) wait {
	p.running, p.at, p.failures = false, now, 0
	return wait{every, every / 4}
}

func (p *poll) failed() wait {
	p.running = false
	p.failures++
	after := doubled(retryMin, p.failures, retryMax)
	return wait{after, after / 4}
}

// errEmptyCatalogue refuses a list that would take every instrument away.
var errEmptyCatalogue = errors.New("venue listed no instruments")

// listed is what a new catalogue has changed.
type listed struct {
	added, removed, changed int
	// rescaled are the instruments whose fixed-point numbers mean something
	// else now.
	rescaled []venues.Instrument
}

// catalogueCame takes the answer to a request for the instruments.
func (s *state) catalogueCame(now time.Time, instruments []venues.Instrument, err error) (listed, wait) {
	defer s.assess(now)
	if err == nil && len(instruments) == 0 {
		err = errEmptyCatalogue
	}
	if err != nil {
		s.failed(now, err)
		return listed{}, s.catalogue.failed()
	}
	changes := s.list(now, instruments)
	return changes, s.catalogue.succeeded(now, s.untilNext(instruments))
}

// untilNext is when the catalogue is read again.
func (s *state) untilNext(instruments []venues.Instrument) time.Duration {
	if slices.ContainsFunc(instruments, func(i venues.Instrument) bool { return i.MaxLeverage.Valid }) {
		s.lacking = 0
		return s.every
	}
	s.lacking++
	return min(doubled(retryMin, s.lacking, leverageRetryMax), s.every)
}

// doubled is a wait before the nth try, doubling to longest.
func doubled(first time.Duration, n int, longest time.Duration) time.Duration {
	after := first
	for ; n > 1 && after < longest; n-- {
		after *= 2
	}
	return min(after, longest)
}

// list makes the new set. Instruments that did not change keep the time of their
// last change.
func (s *state) list(now time.Time, instruments []venues.Instrument) (changes listed) {
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

// sameInstrument compares everything but UpdatedAt, decimals by value.
func sameInstrument(a, b *venues.Instrument) bool {
	return a.Symbol == b.Symbol && a.Exchange == b.Exchange && a.Kind == b.Kind && a.Status == b.Status &&
		a.BaseCurrency == b.BaseCurrency && a.QuoteCurrency == b.QuoteCurrency && a.SettleCurrency == b.SettleCurrency &&
		a.VenueSymbol == b.VenueSymbol &&
		a.TickSize.Equal(b.TickSize) && a.MinQty.Equal(b.MinQty) && a.QtyStep.Equal(b.QtyStep) && a.ContractSize.Equal(b.ContractSize) &&
		venues.EqualOptional(a.MinNotional, b.MinNotional) && venues.EqualOptional(a.MaxQty, b.MaxQty) &&
		venues.EqualOptional(a.MaxMarketQty, b.MaxMarketQty) && venues.EqualOptional(a.MaxLeverage, b.MaxLeverage) &&
		venues.EqualOptional(a.MinPrice, b.MinPrice) && venues.EqualOptional(a.MaxPrice, b.MaxPrice)
}

// refreshWait is when the catalogue may be read because somebody asks for it;
// false if a read is under way.
func (s *state) refreshWait(now time.Time) (time.Duration, bool) {
	if s.catalogue.running {
		return 0, false
	}
	return max(0, refreshGapMin-now.Sub(s.catalogue.at)), true
}

// clockCame takes the answer to a comparison of the clocks.
func (s *state) clockCame(now time.Time, offset time.Duration, err error) wait {
	defer s.assess(now)
	if err != nil {
		s.failed(now, err)
		return s.clock.failed()
	}
	s.offset = offset
	return s.clock.succeeded(now, clockEvery)
}

func (s *state) skewed() bool { return s.offset.Abs() > skewMax }

// feedCame takes a report of the connections.
func (s *state) feedCame(now time.Time, f Feed) {
	s.feed = f
	if f.Cause != nil {
		s.failed(now, f.Cause)
	}
	s.assess(now)
}
