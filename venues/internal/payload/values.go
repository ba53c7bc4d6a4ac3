package payload

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"venuegate/venues"
)

// TextBytesMax bounds texts of a venue that are repeated in errors and logs.
const TextBytesMax = 256

// millisMax bounds a time in milliseconds, far in the future.
const millisMax = 1 << 53

var (
	// ErrMissing is returned for an object without a required field.
	ErrMissing = errors.New("field is missing")
	// ErrUnknownValue is returned for an unknown value of an enum that matters. Such
	// values are never guessed.
	ErrUnknownValue = errors.New("unknown value")
	// ErrNoInstrument is returned for an instrument that the venue does not list.
	ErrNoInstrument = errors.New("instrument is not listed")
	// ErrUnrelated is returned for a message about something that was not requested.
	ErrUnrelated = errors.New("message is about something else")
)

// Missing returns ErrMissing for a field.
func Missing(field string) error { return fmt.Errorf("%s: %w", field, ErrMissing) }

// UnknownValue returns ErrUnknownValue for a field.
func UnknownValue(field, value string) error {
	return fmt.Errorf("%s %s: %w", field, strconv.Quote(Bounded(value)), ErrUnknownValue)
}

// Enum returns the meaning of a venue's value by a table; ErrUnknownValue for a value that
// the table lacks.
func Enum[T any](field string, meanings map[string]T, value string) (T, error) {
	meaning, known := meanings[value]
	if !known {
		return meaning, UnknownValue(field, value)
	}
	return meaning, nil
}

// NoInstrument returns ErrNoInstrument for a symbol, within the error for the client.
func NoInstrument(symbol string) error {
	symbol = Bounded(symbol)
	return venues.Errorf(venues.CodeSymbolNotTradable, "the venue does not list %s", symbol).
		With("symbol", symbol).With("reason", venues.ReasonUnknownSymbol).Because(ErrNoInstrument)
}

// Bounded returns text of a venue, made printable and short.
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

// Millis returns a time of a venue; the zero time for 0 and for numbers that are not a
// time.
func Millis(ms int64) time.Time {
	if ms <= 0 || ms >= millisMax {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// decoding behaves like encoding/json in a third of the time.
var decoding = jsonv1.DefaultOptionsV1()

// Decode decodes a whole answer or event into a struct or a slice, as encoding/json
// would, except that json.Number is not supported.
func Decode(data []byte, into any) error { return jsonv2.Unmarshal(data, into, decoding) }
