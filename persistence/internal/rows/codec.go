package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"venuegate/persistence"
	"venuegate/venues"
)

// codecVersion is the first byte of every value. It must change, with a migration that
// rewrites all values, when this package can no longer decode those written earlier.
const codecVersion = 2

// ValueBytesMax bounds one value: far above any that the service writes, far
// below the size at which the engines would store it apart from its key.
const ValueBytesMax = 64 << 10

// identity is what the key of a primary row contains. It is not part of the value.
type identity struct {
	// Key is that of a record. An event and a journal row have no kind, and an event no id.
	persistence.Key
	seq uint64      // of an event
	at  venues.Time // of a journal row
}

// codec encodes one value or, if decoding is set, decodes it. The function that describes a
// type (records_*.go) makes the same calls for both.
type codec struct {
	decoding bool
	identity identity
	// reference is the ULID that texts and times of the value refer to: that of the id
	// in the key, otherwise the first one in the value.
	reference reference

	// out is the encoded value so far, and last the number of its last member.
	out  []byte
	last byte

	// in is the rest of the value to decode. next is the number of the member that comes
	// next; zero at the end of an object. depth counts the objects around that one.
	in      []byte
	next    byte
	depth   int
	strings *stringCache

	// err is the first error. Nothing more is decoded after it.
	err error
}

// fail sets the first error and ends the reading of the current object.
func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.next = 0
}

// valueBytes is the initial size of an output buffer, enough for most values.
const valueBytes = 1 << 10

var codecs = sync.Pool{New: func() any {
	return &codec{out: make([]byte, 0, valueBytes), strings: new(stringCache)}
}}

// start prepares a codec for the value of a row.
func (c *codec) start(id identity) {
	c.identity, c.reference = id, reference{}
	if _, ulid, found := cutULID(id.ID); found {
		c.reference.set(ulid)
	}
	c.last, c.next, c.depth, c.err = 0, 0, 0, nil
}

// release returns the codec to the pool, without references to the value.
func (c *codec) release() {
	c.identity, c.in, c.err = identity{}, nil, nil
	codecs.Put(c)
}

// encode returns the value of a record, an event or a journal row. It returns
// ErrInvalid for one that could not be decoded.
func encode(id identity, v any) ([]byte, error) {
	c := codecs.Get().(*codec)
	defer c.release()
	c.start(id)
	c.decoding, c.out = false, append(c.out[:0], codecVersion)
	c.putMembers(v)
	if c.err != nil {
		return nil, fmt.Errorf("%w: encode %T: %w", ErrInvalid, v, c.err)
	}
	if len(c.out) > ValueBytesMax {
		return nil, fmt.Errorf("%w: a %T of %d bytes, more than %d", ErrInvalid, v, len(c.out), ValueBytesMax)
	}
	return bytes.Clone(c.out), nil
}

// putMembers appends the members of a record, an event or a journal row. It is a
// switch, not a function in kinds, so that the compiler keeps the copy of the record on
// the stack: encoding an order takes half the time.
func (c *codec) putMembers(v any) {
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
	case persistence.User:
		userMembers(c, &v)
	case persistence.Session:
		sessionMembers(c, &v)
	case persistence.Setting:
		settingMembers(c, &v)
	default:
		c.fail(errors.New("not a record"))
	}
}

// decodeRecord decodes the value of a record. Its errors wrap ErrIntegrity, like those of
// the two functions below: every value that encode returned can be decoded, so the row
// was damaged.
func decodeRecord(k persistence.Key, value []byte) (persistence.Record, error) {
	kind, known := kinds[k.Kind]
	if !known {
		return nil, fmt.Errorf("%w: unknown kind %q", persistence.ErrIntegrity, k.Kind)
	}
	return kind.decode(identity{Key: k}, value)
}

func decodeEvent(seq uint64, value []byte) (persistence.Event, error) {
	return decode(identity{seq: seq}, value, eventMembers)
}

func decodeJournal(at venues.Time, id string, value []byte) (persistence.JournalEntry, error) {
	return decode(journalIdentity(at, id), value, journalMembers)
}

func journalIdentity(at venues.Time, id string) identity {
	return identity{Key: persistence.Key{ID: id}, at: at}
}

func decode[T any](id identity, value []byte, members func(*codec, *T)) (T, error) {
	return decodeMembers(id, value, func(c *codec, v *T) { readMembers(c, v, members) })
}

// decodeFirst decodes the first members of a value, which the function describes. The
// others are not read: they may be invalid.
func decodeFirst[T any](id identity, value []byte, members func(*codec, *T)) (T, error) {
	return decodeMembers(id, value, func(c *codec, v *T) {
		c.advance()
		members(c, v)
	})
}

func decodeMembers[T any](id identity, value []byte, read func(*codec, *T)) (T, error) {
	if len(value) > 0 && value[0] == codecVersionJSON {
		return decodeJSON[T](value[1:])
	}
	c := codecs.Get().(*codec)
	defer c.release()
	c.start(id)
	var v T
	c.decoding = true
	if c.err = checkHeader(value); c.err == nil {
		c.in = value[1:]
		read(c, &v)
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
