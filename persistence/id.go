package persistence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"venuegate/venues"
)

// Prefixes of the ids that the service generates.
const (
	PrefixCustomer = "cus"
	PrefixOrder    = "ord"
	PrefixFill     = "fil"
	PrefixEvent    = "evt"
	PrefixJournal  = "jrn"
	PrefixChannel  = "hook"
	PrefixSignal   = "sig"
	PrefixEndpoint = "end"
	PrefixAlert    = "alr"
	PrefixSession  = "ses"
)

// entropyBytes is the size of the random part of a ULID: 80 bits.
const entropyBytes = 10

// NewID returns "prefix_ULID", whose ULID has 48 bits of time in milliseconds and
// 80 bits of entropy. Ids of one prefix sort by time; within one millisecond their
// order is random. A time before 1970 is treated as 1970.
//
// entropy is crypto/rand.Reader outside tests. NewID panics if it fails, because
// an id without entropy would not be unique.
func NewID(prefix string, at time.Time, entropy io.Reader) string {
	var random [entropyBytes]byte
	if _, err := io.ReadFull(entropy, random[:]); err != nil {
		panic(fmt.Sprintf("persistence: read entropy for a %s id: %v", prefix, err))
	}
	return formatID(prefix, at, random)
}

// FillID returns the id of an execution. It is a pure function of the identifiers
// and the time of the execution at its venue, so that an execution reported both
// by stream and by REST gets one id. executedAt must be the venue's own time in
// milliseconds, which is the same in all reports.
func FillID(exchange venues.Venue, symbol, venueOrderID, venueTradeID string, executedAt time.Time) string {
	identity := hashOf(string(exchange), symbol, venueOrderID, venueTradeID)
	return formatID(PrefixFill, executedAt, identity)
}

// AdoptedIdentity returns the identity of an adopted order, which was placed outside the
// service. It is a pure function of the order's identifiers at its venue, so that it is
// the same in all reports. conditional means that venueOrderID is an id of the venue's
// conditional orders.
func AdoptedIdentity(exchange venues.Venue, customer, symbol, venueOrderID string, conditional bool) string {
	hash := hashOf(string(exchange), customer, symbol, venueOrderID, strconv.FormatBool(conditional))
	return IdentityOfID(formatID(PrefixOrder, time.Time{}, hash))
}

// AdoptedOrderID returns the order id of an adopted order with that identity. Not all
// reports have the time when the order was placed: at is what the first one has, and the
// order is found by its identity alone.
func AdoptedOrderID(identity string, at time.Time) string {
	id := formatID(PrefixOrder, at, [entropyBytes]byte{})
	return id[:len(id)-len(identity)] + identity
}

// identityChars is the length of the part of a ULID that follows its time.
const identityChars = 16

// IdentityOfID returns the identity in the order id of an adopted order.
func IdentityOfID(orderID string) string { return orderID[max(0, len(orderID)-identityChars):] }

// eventSequenceMax is the highest sequence that an event id contains, in five of the ten
// bytes of its entropy.
const eventSequenceMax = 1<<40 - 1

// EventID returns the id of an event with its sequence in place of a part of its entropy,
// so that the store finds the event by its id. It returns ids of another form, and all ids
// for a higher sequence than fits, as they are.
func EventID(id string, seq uint64) string {
	parsed, ok := parseEventID(id)
	if !ok || seq > eventSequenceMax {
		return id
	}
	binary.BigEndian.PutUint32(parsed[len(parsed)-4:], uint32(seq))
	parsed[len(parsed)-5] = byte(seq >> 32)
	return PrefixEvent + "_" + parsed.String()
}

// EventSequence returns the sequence that an event id contains, if EventID has returned
// it; any number otherwise. ok is false for ids of another form.
func EventSequence(id string) (seq uint64, ok bool) {
	parsed, ok := parseEventID(id)
	return uint64(parsed[len(parsed)-5])<<32 | uint64(binary.BigEndian.Uint32(parsed[len(parsed)-4:])), ok
}

func parseEventID(id string) (parsed ulid.ULID, ok bool) {
	text, ok := strings.CutPrefix(id, PrefixEvent+"_")
	if !ok {
		return parsed, false
	}
	parsed, err := ulid.ParseStrict(text)
	return parsed, err == nil && parsed.String() == text
}

func hashOf(parts ...string) [entropyBytes]byte {
	var identity []byte
	for _, part := range parts {
		// The length before each part makes ("ab", "c") and ("a", "bc") different.
		identity = binary.AppendUvarint(identity, uint64(len(part)))
		identity = append(identity, part...)
	}
	sum := sha256.Sum256(identity)
	return [entropyBytes]byte(sum[:entropyBytes])
}

func formatID(prefix string, at time.Time, entropy [entropyBytes]byte) string {
	ms := min(max(at.UnixMilli(), 0), int64(ulid.MaxTime()))
	var id ulid.ULID
	// Neither call can fail: the time is clamped and the entropy complete.
	_ = id.SetTime(uint64(ms))
	_ = id.SetEntropy(entropy[:])
	return prefix + "_" + id.String()
}
