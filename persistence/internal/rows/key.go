package rows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"venuegate/persistence"
)

// TextBytesMax bounds each text in a key, before it is escaped.
const TextBytesMax = 256

// ErrInvalid reports an invalid batch: for example a record without id, a text that is
// too long for a key, or a value that could not be decoded. Nothing of the batch is
// applied.
var ErrInvalid = errors.New("invalid batch")

// errMalformedKey reports a key that this package did not build.
var errMalformedKey = errors.New("malformed key")

// table is the byte after the customer in a key. The package comment lists the parts
// that follow.
type table byte

const (
	tableRecord              table = 'r'
	tableEvent               table = 'e'
	tableJournal             table = 'j'
	tableOrderTime           table = 't'
	tableOrderUnfinished     table = 'o'
	tableOrderRequest        table = 'q'
	tableOrderClient         table = 'c'
	tableOrderAdopted        table = 'n'
	tableFillTime            table = 'f'
	tableFillOrder           table = 'g'
	tableAPIKey              table = 'k'
	tableEventID             table = 'i'
	tableJournalSubject      table = 'u'
	tableJournalChannel      table = 'h'
	tableSignalTime          table = 'a'
	tableSignalChannel       table = 'b'
	tableSignalUnfinished    table = 'p'
	tableDeliveryTime        table = 'd'
	tableDeliveryEndpoint    table = 'l'
	tableDeliveryEvent       table = 'v'
	tableDeliveryPending     table = 'w'
	tableDeliveryUndelivered table = 'x'
	tableSequence            table = 's'
	tableEpoch               table = '@'
)

// key is built by appending parts; each method returns the longer key.
type key []byte

// keyBytes is the initial capacity of a key, enough for most.
const keyBytes = 96

// newKey returns the key prefix of a table of a customer.
func newKey(customer string, t table) key {
	return append(make(key, 0, keyBytes).text(customer), byte(t))
}

// keyBlock is memory for several keys of one entity.
type keyBlock []byte

func newKeyBlock(keys int) keyBlock { return make(keyBlock, keys*keyBytes) }

// newKey is the function newKey with the memory of the block.
func (b *keyBlock) newKey(customer string, t table) key {
	k := key((*b)[:0:keyBytes])
	*b = (*b)[keyBytes:]
	return append(k.text(customer), byte(t))
}

// firstKey is the lowest key that newKey returns. The engine's own rows sort before
// it.
var firstKey = []byte{0x00, 0x01}

// text appends s, with each zero byte escaped as 00 FF and 00 01 at the end, so that
// keys sort like texts and no text is a prefix of another.
func (k key) text(s string) key {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			break
		}
		k = append(append(k, s[:i]...), 0x00, 0xFF)
		s = s[i+1:]
	}
	return append(append(k, s...), 0x00, 0x01)
}

func (k key) number(n uint64) key { return binary.BigEndian.AppendUint64(k, n) }

// time appends t in milliseconds. The flipped sign bit sorts times before 1970,
// including the zero time, first.
func (k key) time(t time.Time) key { return k.millis(t.UnixMilli()) }

// millis appends a time given in milliseconds since 1970.
func (k key) millis(ms int64) key { return k.number(uint64(ms) ^ 1<<63) }

// clone returns a copy. Two keys must not be built on one prefix without it, because
// they would share memory.
func (k key) clone() key { return append(make(key, 0, keyBytes), k...) }

// end returns the first key after all keys with the prefix k; nil if there is no such
// key.
func (k key) end() []byte {
	end := append([]byte(nil), k...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xFF {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

// ulidTimeChars is the length of the time in the text of a ULID.
const ulidTimeChars = 10

// idTime appends the begin of the ids of a prefix with a time or a later one.
func (k key) idTime(prefix string, ms int64) key {
	var id ulid.ULID
	_ = id.SetTime(uint64(ms)) // The caller bounds it.
	return append(append(k, prefix...), id.String()[:ulidTimeChars]...)
}

// keyReader reads the parts of a key in order. Its methods have the names of those of
// key that append the parts. After the first error, the parts that it returns mean
// nothing.
type keyReader struct {
	rest []byte
	err  error
}

func (r *keyReader) text() string {
	var text []byte
	for {
		i := bytes.IndexByte(r.rest, 0)
		if i < 0 || i+1 == len(r.rest) {
			r.fail()
			return ""
		}
		text = append(text, r.rest[:i]...)
		mark := r.rest[i+1]
		r.rest = r.rest[i+2:]
		switch mark {
		case 0x01:
			return string(text)
		case 0xFF:
			text = append(text, 0)
		default:
			r.fail()
			return ""
		}
	}
}

func (r *keyReader) number() uint64 {
	if len(r.rest) < 8 {
		r.fail()
		return 0
	}
	n := binary.BigEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return n
}

func (r *keyReader) time() time.Time {
	return time.UnixMilli(int64(r.number() ^ 1<<63)).UTC()
}

func (r *keyReader) table() table {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	t := table(r.rest[0])
	r.rest = r.rest[1:]
	return t
}

func (r *keyReader) fail() { r.err, r.rest = errMalformedKey, nil }

// recordPrefix begins the keys of a customer's records of a kind.
func recordPrefix(customer string, kind persistence.Kind) key {
	return newKey(customer, tableRecord).text(string(kind))
}

// recordKey returns the primary key of a record. The attempt of an idempotency record is
// a number in the key, so that the newest attempt sorts last.
func recordKey(k persistence.Key) (key, error) {
	if err := checkKey(k); err != nil {
		return nil, err
	}
	base := recordPrefix(k.Customer, k.Kind)
	if k.Kind != persistence.KindIdempotency {
		return base.text(k.ID), nil
	}
	request, attempt, err := splitAttempt(k.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: key %q: %w", ErrInvalid, k, err)
	}
	return base.text(request).number(attempt), nil
}

// attemptBytes is the size of the attempt in a key.
const attemptBytes = 8

// RequestPrefix returns the prefix that the keys of all attempts of a request id share;
// nil if key is not that of an idempotency record. Engines keep these prefixes for
// Snapshot.LacksRequest.
func RequestPrefix(key []byte) []byte {
	_, parts, _ := bytes.Cut(key, textEnd)
	if !bytes.HasPrefix(parts, idempotencyParts) {
		return nil
	}
	return key[:len(key)-attemptBytes]
}

var (
	// textEnd is the terminator of a text in a key.
	textEnd = key(nil).text("")
	// idempotencyParts begins the keys of idempotency records, after the customer.
	idempotencyParts = key{byte(tableRecord)}.text(string(persistence.KindIdempotency))
)

// splitAttempt splits "scope/requestId/attempt" before the attempt. It rejects other
// spellings of the number, so that two ids never have the same key.
func splitAttempt(id string) (request string, attempt uint64, err error) {
	i := strings.LastIndexByte(id, '/')
	if i < 0 {
		return "", 0, errMalformedKey
	}
	attempt, err = strconv.ParseUint(id[i+1:], 10, 63)
	if err != nil {
		return "", 0, errMalformedKey
	}
	if strconv.FormatUint(attempt, 10) != id[i+1:] {
		return "", 0, errMalformedKey
	}
	return id[:i], attempt, nil
}

// checkKey returns ErrInvalid for a key that no record of its kind can have.
func checkKey(k persistence.Key) error {
	kind, known := kinds[k.Kind]
	switch {
	case !known:
		return fmt.Errorf("%w: unknown kind %q", ErrInvalid, k.Kind)
	case kind.installation == (k.Customer != ""):
		return fmt.Errorf("%w: a %s under customer %q", ErrInvalid, k.Kind, k.Customer)
	case k.ID == "":
		return fmt.Errorf("%w: a %s without id", ErrInvalid, k.Kind)
	}
	return checkTexts(k.Customer, k.ID)
}

// checkTexts returns ErrInvalid for texts that cannot be part of a key.
func checkTexts(texts ...string) error {
	for _, s := range texts {
		if len(s) > TextBytesMax {
			return fmt.Errorf("%w: a text of %d bytes in a key, more than %d", ErrInvalid, len(s), TextBytesMax)
		}
		if !utf8.ValidString(s) {
			return fmt.Errorf("%w: a text in a key is not UTF-8", ErrInvalid)
		}
	}
	return nil
}
