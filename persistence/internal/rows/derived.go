package rows

import (
	"strings"
	"time"

	"venuegate/persistence"
)

// An index row is not written where a query finds the record without it, by what the ids
// contain. The functions below decide that from the parts of the key that the row would
// have, so that a migration can decide it too (see compact). Ids of another form, such
// as foreign client order ids, have their rows.

// millisOfID returns the time in an id, in milliseconds, and reports whether it has one.
func millisOfID(id string) (ms int64, ok bool) {
	_, found, ok := cutULID(id)
	return int64(found.Time()), ok
}

// idMillisMin is the first time by which ids are found: those of orders that an earlier
// version adopted have the time zero.
const idMillisMin = 1

// hasTime reports whether an id is the prefix, an underscore and a ULID with that time.
// The primary rows of such ids have the order of a time index: by time, then by id.
func hasTime(id, prefix string, ms int64) bool {
	before, found, ok := cutULID(id)
	return ok && before == idPrefix(prefix) && int64(found.Time()) == ms && ms >= idMillisMin
}

func idPrefix(prefix string) string { return prefix + "_" }

// nearMillis is the distance from the time in an id within which rows that refer to the
// id are found by their own time. An order that ends at once, its executions and its
// journal are within it; a query scans what a customer did in twice that time.
const nearMillis = 1000

// isNear reports whether a time is near that in an id.
func isNear(ms int64, id string) bool {
	of, ok := millisOfID(id)
	return ok && of-nearMillis <= ms && ms <= of+nearMillis
}

// nearTime returns the times that are near that in an id, end exclusive.
func nearTime(id string) (from, end time.Time, ok bool) {
	ms, ok := millisOfID(id)
	return time.UnixMilli(ms - nearMillis), time.UnixMilli(ms + nearMillis + 1), ok
}

// hasFillOrder reports whether a fill is found among the fills near its order.
func hasFillOrder(order string, ms int64, fillID string) bool {
	return isNear(ms, order) && hasTime(fillID, persistence.PrefixFill, ms)
}

// orderOfClientID returns the order id that a client order id of this service contains:
// that of the ULID in lower case at its end.
func orderOfClientID(clientID string) (orderID string, ok bool) {
	at := len(clientID) - ulidChars
	if at < 0 || strings.ToLower(clientID[at:]) != clientID[at:] {
		return "", false
	}
	_, found, ok := cutULID(strings.ToUpper(clientID[at:]))
	return idPrefix(persistence.PrefixOrder) + found.String(), ok
}

// hasClientID reports whether an order is found by its client order id without a row.
func hasClientID(orderID, clientID string) bool {
	prefix, found, ok := cutULID(orderID)
	at := len(clientID) - ulidChars
	if !ok || prefix != idPrefix(persistence.PrefixOrder) || at < 0 {
		return false
	}
	var r reference
	r.set(found)
	return clientID[at:] == string(r.lower[:])
}

// hasIdentity reports whether an adopted order is found by a row for the identity in its id.
// An id with the time zero follows from the identity.
func hasIdentity(orderID string) bool {
	ms, ok := millisOfID(orderID)
	return ok && ms >= idMillisMin
}

// hasSequence reports whether an event id contains the sequence of the event.
func hasSequence(eventID string, seq uint64) bool {
	in, ok := persistence.EventSequence(eventID)
	return ok && in == seq
}
