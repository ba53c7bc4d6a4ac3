package signing

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far a timestamp may lie from the receiver's clock, on either
// side: "the allowed deviation is ±300 s".
const Tolerance = 300 * time.Second

// timestampCharsMax bounds the digits of a timestamp.
const timestampCharsMax = 12

// Reason says why a signature is refused. It is an error, and its text is fit
// for the one who sent the request.
type Reason string

// Reasons, in the order in which they are found.
const (
	// Missing: one of the two headers is absent or empty.
	Missing Reason = "missing_signature"
	// Malformed: a header has not the form that the interface gives it.
	Malformed Reason = "malformed_signature"
	// Mismatch: no key signs this body at this timestamp so.
	Mismatch Reason = "signature_mismatch"
	// Stale: the signature is right, and too old or from the future.
	Stale Reason = "stale_timestamp"
)

func (r Reason) Error() string { return string(r) }

// Verify says whether one of the keys signed the body, within Tolerance of now.
// It answers nil or a Reason.
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

// parseSignature reads "sha256=" and exactly 64 hexadecimal digits of any case.
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

// parseTimestamp reads decimal digits alone: no sign, no space, no fraction.
func parseTimestamp(text string) (int64, error) {
	if len(text) > timestampCharsMax {
		return 0, Malformed
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err
}
