package simnet

import (
	"fmt"
	"time"
)

// Pace is how many markets a simulated venue has and how fast they move. Zero values are
// the venue's own.
type Pace struct {
	// Rate is the number of trades per second in each market; default one or two with
	// each change of its book.
	Rate int
	// Symbols is the number of instruments: the first ones of the venue's listing, and
	// beyond it copies of them with the coins SIM1, SIM2 and so on.
	Symbols int
	// BookStep is the interval in which the books change; default 100 ms. With a
	// shorter one, changes of books and aggregated trades are sent with each step, not
	// in the intervals of the venue.
	BookStep time.Duration
}

// Limits of a [Pace].
const (
	RateMax     = 20_000
	SymbolsMax  = 500
	BookStepMin = time.Millisecond
	BookStepMax = time.Minute
)

// bookStepDefault is the interval in which books change at the venue's own pace.
const bookStepDefault = 100 * time.Millisecond

// Check returns an error for a value out of range.
func (p Pace) Check() error {
	switch {
	case p.Rate < 0 || p.Rate > RateMax:
		return fmt.Errorf("rate must be between 1 and %d, not %d", RateMax, p.Rate)
	case p.Symbols < 0 || p.Symbols > SymbolsMax:
		return fmt.Errorf("symbols must be between 1 and %d, not %d", SymbolsMax, p.Symbols)
	case p.BookStep != 0 && (p.BookStep < BookStepMin || p.BookStep > BookStepMax):
		return fmt.Errorf("book-step must be between %s and %s, not %s", BookStepMin, BookStepMax, p.BookStep)
	}
	return nil
}

// IsEager reports whether changes of books are sent with each step.
func (p Pace) IsEager() bool { return p.BookStep > 0 && p.BookStep < bookStepDefault }

// pumpInterval returns the interval of the steps of a serving venue.
func (p Pace) pumpInterval() time.Duration {
	if p.BookStep > 0 {
		return min(PumpInterval, p.BookStep)
	}
	return PumpInterval
}
