package bybitsim

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// The venue identifies orders and executions by UUIDs, the exchange by numbers. A
// UUID here is the scrambled number with a checksum, so both directions work without
// a table and ids survive a restart.

const (
	scrambleFactor  = 0x9E3779B97F4A7C15
	scrambleInverse = 0xF1DE83E19937733D
)

// uuidOf encodes a number as a version 4 UUID.
func uuidOf(id int64) string {
	scrambled := uint64(id) * scrambleFactor
	number, check := hex16(scrambled), hex16(checksum(scrambled))
	return number[:8] + "-" + number[8:12] + "-4" + number[12:15] + "-a" + number[15:] + check[:2] + "-" + check[2:14]
}

// numberOf decodes a UUID of uuidOf; ok is false for any other.
func numberOf(uuid string) (int64, bool) {
	const length = 36
	if len(uuid) != length {
		return 0, false
	}
	scrambled, err := strconv.ParseUint(uuid[:8]+uuid[9:13]+uuid[15:18]+uuid[20:21], 16, 64)
	if err != nil {
		return 0, false
	}
	id := int64(scrambled * scrambleInverse)
	return id, strings.EqualFold(uuidOf(id), uuid)
}

func checksum(n uint64) uint64 {
	h := fnv.New64a()
	// A hash never fails to write.
	_, _ = h.Write([]byte(strconv.FormatUint(n, 16)))
	return h.Sum64()
}

func hex16(n uint64) string {
	text := strconv.FormatUint(n, 16)
	return strings.Repeat("0", 16-len(text)) + text
}

// userID returns the venue's number of an account.
func userID(account string) string {
	const span = 900_000_000
	h := fnv.New64a()
	_, _ = h.Write([]byte(account))
	return strconv.FormatUint(100_000_000+h.Sum64()%span, 10)
}

// executionID returns the id of one side of a trade.
func executionID(tradeID int64, maker bool) string {
	if maker {
		return uuidOf(2*tradeID + 1)
	}
	return uuidOf(2 * tradeID)
}
