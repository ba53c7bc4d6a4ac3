package payload

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"venuegate/venues"
)

// TextBytesMax bounds what is repeated of a venue's texts.
const TextBytesMax = 256

// millisMax is a bound of a time in milliseconds, far in the future.
const millisMax = 1 << 53

var (
	// ErrMissing is a field without which an object has no meaning.
	ErrMissing = errors.New("field is missing")
	// ErrUnknownWord is a value of an enumeration that decides something and is
	// not known here. It is never guessed.
	ErrUnknownWord = errors.New("unknown value")
	// ErrNoInstrument is an instrument that the venue's catalogue does not have.
	ErrNoInstrument = errors.New("instrument is not in the catalogue")
	// ErrForeign is a message about something that was not asked for.
	ErrForeign = errors.New("message is about something else")
)

// Missing is ErrMissing of a field.
func Missing(field string) error { return fmt.Errorf("%s: %w", field, ErrMissing) }

// UnknownWord is ErrUnknownWord of a field.
func UnknownWord(field, value string) error {
	return fmt.Errorf("%s %s: %w", field, strconv.Quote(Bounded(value)), ErrUnknownWord)
}

// NoInstrument is ErrNoInstrument of a symbol, as the client is told of it.
func NoInstrument(symbol string) error {
	symbol = Bounded(symbol)
	return venues.Errorf(venues.CodeSymbolNotTradable, "%s is not in the catalogue", symbol).
		With("symbol", symbol).With("reason", venues.ReasonUnknownSymbol).Because(ErrNoInstrument)
}

// Bounded keeps text of a venue printable and short.
func Bounded(text string) string {
	var clean strings.Builder
	for _, r := range strings.TrimSpace(text) {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			r = '?'
		}
		if clean.Len()+len(string(r)) > TextBytesMax {
			break
		}
		clean.WriteRune(r)
	}
	return clean.String()
}

// Millis is a time of a venue; 0 and what is no time at all are unknown.
func Millis(ms int64) time.Time {
	if ms <= 0 || ms >= millisMax {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
