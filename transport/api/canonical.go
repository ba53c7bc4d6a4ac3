package api

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// BodyHash is SHA-256 of the body in canonical form: the order of members,
// white space and the spelling of strings do not matter, numbers count by their
// text. It is what sameBody of duplicate_request compares.
func BodyHash(body []byte) ([]byte, error) {
	canonical := jsontext.Value(bytes.Clone(body))
	err := canonical.Canonicalize(
		jsontext.CanonicalizeRawInts(false),   // numbers must not pass through floats
		jsontext.CanonicalizeRawFloats(false), // likewise
	)
	if err != nil {
		return nil, fmt.Errorf("canonical body: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return sum[:], nil
}
