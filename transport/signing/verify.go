package signing

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Tolerance is the largest difference between a timestamp and the receiver's clock,
// on either side: "the allowed deviation is ±300 s".
const Tolerance = 300 * time.Second

// timestampCharsMax bounds the digits of a timestamp.
const timestampCharsMax = 12

// Reason is the error of a rejected signature. Its text may be sent to the client.
type Reason string

// Reasons, in the order in which they are checked.
const (
	// Missing means that one of the two headers is absent or empty.
	Missing Reason = "missing_signature"
	// Malformed means that a header does not have the specified form.
	Malformed Reason = "malformed_signature"
	// Mismatch means that no key has this signature of body and timestamp.
	Mismatch Reason = "signature_mismatch"
	// Stale means that the signature matches and is too old or from the future.
	Stale Reason = "stale_timestamp"
)

func (r Reason) Error() string { return string(r) }

// Verify returns nil if one of the keys signed the body within Tolerance of now, else
// a Reason.
func Verify(signature, timestamp string, body []byte, now time.Time, keys ...*Key) error {
	if signature == "" || timestamp == "" {
		return Missing
	}
	given, ok := parseSignature(signature)
	seconds, err := parseTimestamp(timestamp)
	if !ok || err != nil {
		return Malformed
	}
	matches := 0
	for _, key := range keys {
		want := key.sum(timestamp, body)
		matches |= subtle.ConstantTimeCompare(given[:], want[:])
	}
	switch {
	case matches == 0:
		return Mismatch
	case now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance:
		return Stale
	default:
		return nil
	}
}

// parseSignature parses "sha256=" and exactly 64 hexadecimal digits of any case.
func parseSignature(text string) (sum [sha256.Size]byte, ok bool) {
	digits, ok := strings.CutPrefix(text, scheme)
	if !ok || len(text) != signatureChars {
		return sum, false
	}
	var buffer [2 * sha256.Size]byte
	copy(buffer[:], digits)
	_, err := hex.Decode(sum[:], buffer[:])
	return sum, err == nil
}

// parseTimestamp parses decimal digits only: no sign, space or fraction.
func parseTimestamp(text string) (int64, error) {
	if len(text) > timestampCharsMax {
		return 0, Malformed
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err
}
