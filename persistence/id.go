package persistence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"

	"venuegate/venues"
)

// Prefixes of the ids that the service makes.
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
)

// entropyBytes is the random part of a ULID: 80 bits.
const entropyBytes = 10

// NewID makes "prefix_ULID": 48 bits of the moment in milliseconds, then 80 bits
// of entropy. Ids of one prefix sort by their moments; those of one millisecond
// sort at random. Moments before 1970 count as 1970.
//
// entropy is crypto/rand.Reader outside tests. It must not fail: NewID panics
// if it does, because an id without entropy would not be unique.
func NewID(prefix string, at time.Time, entropy io.Reader) string {
	var random [entropyBytes]byte
	if _, err := io.ReadFull(entropy, random[:]); err != nil {
		panic(fmt.Sprintf("persistence: read entropy for a %s id: %v", prefix, err))
	}
	return formatID(prefix, at, random)
}

// FillID is the id of an execution, a pure function of what names it at its
// venue and of its moment there: an execution told twice, by stream and by
// REST, gets the same id twice. executedAt must be the venue's own time, to the
// millisecond, which every venue repeats in each telling.
func FillID(exchange venues.Venue, symbol, venueOrderID, venueTradeID string, executedAt time.Time) string {
	identity := hashOf(string(exchange), symbol, venueOrderID, venueTradeID)
	return formatID(PrefixFill, executedAt, identity)
}

// ForeignOrderID is the id of an order that was made outside the service, a pure
// function of what names it at its venue: it is the same order whenever it is met.
// conditional says that venueOrderID counts in the venue's list of conditional
// orders. The id sorts before those that the service gives.
func ForeignOrderID(exchange venues.Venue, customer, symbol, venueOrderID string, conditional bool) string {
	identity := hashOf(string(exchange), customer, symbol, venueOrderID, strconv.FormatBool(conditional))
	return formatID(PrefixOrder, time.UnixMilli(0), identity)
}

func hashOf(parts ...string) [entropyBytes]byte {
	var identity []byte
	for _, part := range parts {
		// The length before each part keeps ("ab", "c") and ("a", "bc") apart.
		identity = binary.AppendUvarint(identity, uint64(len(part)))
		identity = append(identity, part...)
	}
	sum := sha256.Sum256(identity)
	return [entropyBytes]byte(sum[:entropyBytes])
}

func formatID(prefix string, at time.Time, entropy [entropyBytes]byte) string {
	ms := min(max(at.UnixMilli(), 0), int64(ulid.MaxTime()))
	var id ulid.ULID
	// Neither call can fail: the moment is clamped, the entropy complete.
	_ = id.SetTime(uint64(ms))
	_ = id.SetEntropy(entropy[:])
	return prefix + "_" + id.String()
}
