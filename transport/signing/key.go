package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"sync"
)

// scheme is the prefix of a signature.
const scheme = "sha256="

// signatureChars is the length of a signature with its scheme.
const signatureChars = len(scheme) + 2*sha256.Size

// Key signs and verifies with one secret, which it does not print. It is safe for
// concurrent use.
type Key struct {
	// hashes is a pool of hashes with the key already hashed, so that a request does
	// not hash it again.
	hashes sync.Pool
}

// pooledHash is a hash with the buffers for its input and its result.
type pooledHash struct {
	mac hash.Hash
	sum [sha256.Size]byte
	// head is the timestamp and the dot, which are hashed before the body.
	head [timestampCharsMax + 1]byte
}

// NewKey prepares a secret. Its whole text is the key of the HMAC.
func NewKey(secret string) *Key {
	key := []byte(secret)
	k := &Key{}
	k.hashes.New = func() any { return &pooledHash{mac: hmac.New(sha256.New, key)} }
	return k
}

// String keeps the secret out of logs.
func (*Key) String() string { return "signing key" }

// Sign returns the values of the signature and timestamp headers of a body that is
// sent at a time in Unix seconds.
func (k *Key) Sign(unixSeconds int64, body []byte) (signature, timestamp string) {
	timestamp = strconv.FormatInt(unixSeconds, 10)
	sum := k.sum(timestamp, body)
	text := make([]byte, 0, signatureChars)
	text = append(text, scheme...)
	return string(hex.AppendEncode(text, sum[:])), timestamp
}

func (k *Key) sum(timestamp string, body []byte) [sha256.Size]byte {
	h := k.hashes.Get().(*pooledHash)
	h.mac.Reset()
	// Write of a hash never returns an error.
	_, _ = h.mac.Write(append(append(h.head[:0], timestamp...), '.'))
	_, _ = h.mac.Write(body)
	h.mac.Sum(h.sum[:0])
	sum := h.sum
	k.hashes.Put(h)
	return sum
}

// PrefixDefault is the default prefix of the header names.
const PrefixDefault = "X-Service"

// Headers are the names of the headers of a signature, and of the other headers of
// an outbound event.
type Headers struct {
	Signature string
	Timestamp string
	EventID   string
	Attempt   string
}

// NewHeaders returns the names with a prefix; an empty one is PrefixDefault.
func NewHeaders(prefix string) Headers {
	if prefix == "" {
		prefix = PrefixDefault
	}
	return Headers{
		Signature: prefix + "-Signature",
		Timestamp: prefix + "-Timestamp",
		EventID:   prefix + "-Event-Id",
		Attempt:   prefix + "-Attempt",
	}
}
