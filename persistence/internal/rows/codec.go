package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"venuegate/persistence"
)

// codecVersion is the first byte of every value. It must change, with a migration that
// rewrites all values, when this package can no longer decode those written earlier.
const codecVersion = 1

// ValueBytesMax bounds one value: far above any that the service writes, far
// below the size at which the engines would store it apart from its key.
const ValueBytesMax = 64 << 10

// codec encodes or decodes one value. The function that describes a type (members.go)
// makes the same calls in both directions; decoding is the direction.
type codec struct {
	decoding bool

	// out is the encoded value so far.
	out []byte

	// in is the rest of the value to decode. If more is true, the value of the member
	// name comes next; otherwise the current object has ended.
	in      []byte
	name    []byte
	more    bool
	strings *stringCache

	// err is the first error. Nothing more is decoded after it.
	err error
}

// fail sets the first error and ends the reading of the current object.
func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.more = false
}

// valueBytes is the initial size of an output buffer, enough for most values.
const valueBytes = 1 << 10

var codecs = sync.Pool{New: func() any {
	return &codec{out: make([]byte, 0, valueBytes), strings: new(stringCache)}
}}

// release returns the codec to the pool, without references to the value.
func (c *codec) release() {
	c.in, c.name, c.more, c.err = nil, nil, false, nil
	codecs.Put(c)
}

// Encode returns the value of a record, an event or a journal row. It returns
// ErrInvalid for one that could not be decoded.
func Encode(v any) ([]byte, error) {
	c := codecs.Get().(*codec)
	defer c.release()
	c.decoding, c.out = false, append(c.out[:0], codecVersion, '{')
	c.writeMembers(v)
	c.writeEnd('}')
	if c.err != nil {
		return nil, fmt.Errorf("%w: encode %T: %w", ErrInvalid, v, c.err)
	}
	if len(c.out) > ValueBytesMax {
		return nil, fmt.Errorf("%w: a %T of %d bytes, more than %d", ErrInvalid, v, len(c.out), ValueBytesMax)
	}
	return bytes.Clone(c.out), nil
}

// writeMembers appends the members of a record, an event or a journal row. It is a
// switch, not a function in kinds, so that the compiler keeps the copy of the record on
// the stack: encoding an order takes half the time.
func (c *codec) writeMembers(v any) {
	switch v := v.(type) {
	case persistence.OrderRecord:
		orderMembers(c, &v)
	case persistence.IdempotencyRecord:
		idempotencyMembers(c, &v)
	case persistence.FillRecord:
		fillMembers(c, &v)
	case persistence.JournalEntry:
		journalMembers(c, &v)
	case persistence.Event:
		eventMembers(c, &v)
	case persistence.AccountState:
		accountStateMembers(c, &v)
	case persistence.RiskRecord:
		riskMembers(c, &v)
	case persistence.PositionRecord:
		positionMembers(c, &v)
	case persistence.SignalRecord:
		signalMembers(c, &v)
	case persistence.Delivery:
		deliveryMembers(c, &v)
	case persistence.EndpointCursor:
		endpointCursorMembers(c, &v)
	case persistence.Customer:
		customerMembers(c, &v)
	case persistence.APIKey:
		apiKeyMembers(c, &v)
	case persistence.VenueAccount:
		venueAccountMembers(c, &v)
	case persistence.Channel:
		channelMembers(c, &v)
	case persistence.Endpoint:
		endpointMembers(c, &v)
	case persistence.Alert:
		alertMembers(c, &v)
	case persistence.Setting:
		settingMembers(c, &v)
	default:
		c.fail(errors.New("not a record"))
	}
}

// DecodeRecord decodes a record of a kind. Its errors wrap ErrIntegrity: every value
// that Encode returned can be decoded, so the row was damaged.
func DecodeRecord(kind persistence.Kind, value []byte) (persistence.Record, error) {
	k, known := kinds[kind]
	if !known {
		return nil, fmt.Errorf("%w: unknown kind %q", persistence.ErrIntegrity, kind)
	}
	return k.decode(value)
}

// DecodeEvent decodes an event. Its errors wrap ErrIntegrity.
func DecodeEvent(value []byte) (persistence.Event, error) { return decode(value, eventMembers) }

// DecodeJournal decodes a journal row. Its errors wrap ErrIntegrity.
func DecodeJournal(value []byte) (persistence.JournalEntry, error) {
	return decode(value, journalMembers)
}

func decode[T any](value []byte, members func(*codec, *T)) (T, error) {
	c := codecs.Get().(*codec)
	defer c.release()
	var v T
	c.decoding = true
	if c.err = checkHeader(value); c.err == nil {
		c.in = value[1:]
		readObject(c, &v, members)
	}
	if c.err == nil && len(c.in) > 0 {
		c.err = fmt.Errorf("%d bytes after the object", len(c.in))
	}
	if c.err != nil {
		var zero T
		return zero, fmt.Errorf("%w: decode %T: %w", persistence.ErrIntegrity, zero, c.err)
	}
	return v, nil
}

func checkHeader(value []byte) error {
	switch {
	case len(value) == 0:
		return io.ErrUnexpectedEOF
	case value[0] != codecVersion:
		return fmt.Errorf("unknown codec version %d", value[0])
	case len(value) > ValueBytesMax:
		return fmt.Errorf("%d bytes, more than %d", len(value), ValueBytesMax)
	}
	return nil
}
