package api

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MediaJSON is the media type of request and response bodies.
const MediaJSON = "application/json"

// CheckMedia returns an invalid_request error unless a body is uncompressed and
// of one of the allowed media types. A compressed body could expand to any size,
// and one in another format would be misread. The first two arguments are the
// values of the headers Content-Type and Content-Encoding.
func CheckMedia(contentType, contentEncoding string, allowed ...string) error {
	if contentEncoding != "" && !strings.EqualFold(contentEncoding, "identity") {
		return FieldError("Content-Encoding", RuleNotApplicable, contentEncoding, "none")
	}
	if slices.Contains(allowed, contentType) {
		return nil
	}
	if media, _, err := mime.ParseMediaType(contentType); err != nil || !slices.Contains(allowed, media) {
		return FieldError("Content-Type", RuleNotApplicable, contentType, strings.Join(allowed, " or "))
	}
	return nil
}

// BodyHash returns the SHA-256 of a JSON body in canonical form: the order of
// fields, white space and the escaping of strings do not matter, and numbers are
// compared by their text. The detail sameBody of duplicate_request compares these
// hashes. It returns an error if the body is not JSON.
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
