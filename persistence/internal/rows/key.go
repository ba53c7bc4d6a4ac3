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

	"venuegate/persistence"
)

// TextBytesMax bounds each text that becomes part of a key.
const TextBytesMax = 256

// ErrInvalid reports a batch that breaks the contract: a record without its id,
// a text too long, a value that could not be read again. Nothing of the batch
// is applied.
var ErrInvalid = errors.New("invalid batch")

// errMalformedKey reports a key that no function here made.
var errMalformedKey = errors.New("malformed key")

// table is the byte after the customer.
type table byte

const (
	tableRecord       table = 'r'
	tableEvent        table = 'e'
	tableJournal      table = 'j'
	tableOrderTime    table = 't'
	tableOrderOpen    table = 'o'
	tableOrderRequest table = 'q'
	tableOrderClient  table = 'c'
	tableFillTime     table = 'f'
	tableFillOrder    table = 'g'
	tableAPIKey       table = 'k'
	tableEventID      table = 'i'
	tableSubject      table = 'u'
	tableJournalOf    table = 'h'
	tableSignalTime   table = 'a'
	tableSignalOf     table = 'b'
	tableSignalOpen   table = 'p'
	tableDeliveryTime table = 'd'
	tableDeliveryTo   table = 'l'
	tableDeliveryOf   table = 'v'
	tableDeliveryDue  table = 'w'
	tableDeliveryLost table = 'x'
	tableSequence     table = 's'
	tableEpoch        table = '@'
)

// key is built part by part; each method returns the longer key.
type key []byte

const keyBytesUsual = 96

func newKey(customer string, t table) key {
	return append(make(key, 0, keyBytesUsual).text(customer), byte(t))
}

// text appends s so that the order of keys is the order of texts and no text is
// a prefix of another: a zero byte becomes 00 FF, the end is 00 01.
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

// moment appends t in milliseconds. The flipped sign bit sorts moments before
// 1970, the zero time among them, first.
func (k key) moment(t time.Time) key { return k.ms(t.UnixMilli()) }

func (k key) ms(ms int64) key { return k.number(uint64(ms) ^ 1<<63) }

// clone keeps a common prefix from being shared between keys built upon it.
func (k key) clone() key { return append(make(key, 0, keyBytesUsual), k...) }

// end is the first key after every key that begins with k.
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

// keyReader takes a key apart again. The first error stays.
type keyReader struct {
	rest []byte
	err  error
}

func (r *keyReader) text() string {
	var text []byte
	for {
		i := indexZero(r.rest)
		if i < 0 || i+1 == len(r.rest) {
			return r.fail()
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
			return r.fail()
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

func (r *keyReader) moment() time.Time {
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

func (r *keyReader) fail() string {
	r.err, r.rest = errMalformedKey, nil
	return ""
}

func indexZero(b []byte) int {
	for i, c := range b {
		if c == 0 {
			return i
		}
	}
	return -1
}

// recordKey is the primary key of a record. The attempt of an idempotency key is
// a number in it, so that the newest attempt is the last.
func recordKey(k persistence.Key) (key, error) {
	if err := checkKey(k); err != nil {
		return nil, err
	}
	base := newKey(k.Customer, tableRecord).text(string(k.Kind))
	if k.Kind != persistence.KindIdempotency {
		return base.text(k.ID), nil
	}
	request, attempt, err := splitAttempt(k.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: key %q: %w", ErrInvalid, k, err)
	}
	return base.text(request).number(attempt), nil
}

// attemptBytes are those of the number of an attempt.
const attemptBytes = 8

// Request is what the keys of all attempts of a request id begin with; nil for other
// keys.
func Request(key []byte) []byte {
	_, parts, _ := bytes.Cut(key, textEnd)
	if !bytes.HasPrefix(parts, idempotencyParts) {
		return nil
	}
	return key[:len(key)-attemptBytes]
}

var (
	textEnd          = key(nil).text("")
	idempotencyParts = key{byte(tableRecord)}.text(string(persistence.KindIdempotency))
)

// splitAttempt takes "scope/requestId/attempt" apart before the attempt.
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

// ownedKinds say whether records of a kind belong to a customer or to the
// installation.
var ownedKinds = map[persistence.Kind]bool{
	persistence.KindCustomer:     false,
	persistence.KindAPIKey:       false,
	persistence.KindSetting:      false,
	persistence.KindVenueAccount: true,
	persistence.KindOrder:        true,
	persistence.KindIdempotency:  true,
	persistence.KindFill:         true,
	persistence.KindAccountState: true,
	persistence.KindRisk:         true,
	persistence.KindPosition:     true,

	persistence.KindChannel:        true,
	persistence.KindSignal:         true,
	persistence.KindEndpoint:       true,
	persistence.KindEndpointCursor: true,
	persistence.KindDelivery:       true,
	persistence.KindAlert:          true,
}

func checkKey(k persistence.Key) error {
	owned, known := ownedKinds[k.Kind]
	switch {
	case !known:
		return fmt.Errorf("%w: unknown kind %q", ErrInvalid, k.Kind)
	case owned != (k.Customer != ""):
		return fmt.Errorf("%w: a %s under customer %q", ErrInvalid, k.Kind, k.Customer)
	case k.ID == "":
		return fmt.Errorf("%w: a %s without id", ErrInvalid, k.Kind)
	}
	return checkTexts(k.Customer, k.ID)
}

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
