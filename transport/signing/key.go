package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"sync"
)

// scheme begins the value of a signature header.
const scheme = "sha256="

// signatureChars is the length of a whole signature header.
const signatureChars = len(scheme) + 2*sha256.Size

// Key signs and verifies under one secret. It is safe for concurrent use, and
// prints as what it is, never as its secret.
type Key struct {
	// works keeps hashes whose state after the key is known, so that a request
	// does not hash the key again.
	works sync.Pool
}

// work is one hash with the room for what it gives.
type work struct {
	mac hash.Hash
	sum [sha256.Size]byte
	// head is the timestamp and the dot that are hashed before the body.
	head [timestampCharsMax + 1]byte
}

// NewKey prepares a secret. Its whole text is the key of the HMAC.
func NewKey(secret string) *Key {
	key := []byte(secret)
	k := &Key{}
	k.works.New = func() any { return &work{mac: hmac.New(sha256.New, key)} }
	return k
}

// String keeps the secret out of logs.
func (*Key) String() string { return "signing key" }

// Sign gives the values of the signature and timestamp headers of a body that is
// sent at a moment in Unix seconds.
func (k *Key) Sign(unixSeconds int64, body []byte) (signature, timestamp string) {
	timestamp = strconv.FormatInt(unixSeconds, 10)
	sum := k.sum(timestamp, body)
	text := make([]byte, 0, signatureChars)
	text = append(text, scheme...)
	return string(hex.AppendEncode(text, sum[:])), timestamp
}

func (k *Key) sum(timestamp string, body []byte) [sha256.Size]byte {
	w := k.works.Get().(*work)
	w.mac.Reset()
	// A hash never fails to take bytes.
	_, _ = w.mac.Write(append(append(w.head[:0], timestamp...), '.'))
	_, _ = w.mac.Write(body)
	w.mac.Sum(w.sum[:0])
	sum := w.sum
	k.works.Put(w)
	return sum
}
