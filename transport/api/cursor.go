package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"sync"
	"time"
)

// Cursor is the position where a page ended, and the period [From, To) that the
// first page fixed, so that a moving "now" does not change the pages after it.
type Cursor struct {
	At   time.Time
	ID   string
	From time.Time
	To   time.Time
}

const (
	cursorVersion = 1
	// cursorHeadBytes: version, then At, From and To in nanoseconds.
	cursorHeadBytes = 1 + 3*8
	// cursorMACBytes: 128 bits, out of reach of guessing over a network.
	cursorMACBytes = 16
	// CursorSecretBytesMin is the minimum length of the secret.
	CursorSecretBytesMin = 32
	// cursorCharsMax bounds the length of a cursor text.
	cursorCharsMax = 512
)

// ErrCursorSecret is returned for a secret that is too short.
var ErrCursorSecret = errors.New("api: the secret for cursors must be at least 32 bytes")

var cursorEncoding = base64.RawURLEncoding.Strict()

// Cursors seals cursors into opaque texts and opens them again. It is safe for
// concurrent use.
type Cursors struct {
	macs sync.Pool
}

// NewCursors returns a codec with the secret of the installation: cursors stay valid
// across restarts and on every node with the same secret.
func NewCursors(secret []byte) (*Cursors, error) {
	if len(secret) < CursorSecretBytesMin {
		return nil, ErrCursorSecret
	}
	secret = append([]byte("venuegate cursor "), secret...)
	return &Cursors{macs: sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}, nil
}

// Seal returns the text of a cursor, bound to filters: Open accepts it only with the
// same ones.
func (c *Cursors) Seal(cursor Cursor, filters ...string) string {
	payload := make([]byte, 0, cursorHeadBytes+len(cursor.ID)+cursorMACBytes)
	payload = append(payload, cursorVersion)
	for _, at := range []time.Time{cursor.At, cursor.From, cursor.To} {
		payload = binary.BigEndian.AppendUint64(payload, uint64(unixNano(at)))
	}
	payload = append(payload, cursor.ID...)
	return cursorEncoding.EncodeToString(append(payload, c.sum(payload, filters)...))
}

// Open returns the cursor of a text that Seal made with the same filters. For any
// other text it returns a *venues.Error invalid_request that names the parameter
// cursor.
func (c *Cursors) Open(text string, filters ...string) (Cursor, error) {
	sealed, err := decodeCursor(text)
	if err != nil || len(sealed) < cursorHeadBytes+cursorMACBytes || sealed[0] != cursorVersion {
		return Cursor{}, invalidCursor()
	}
	payload, mac := sealed[:len(sealed)-cursorMACBytes], sealed[len(sealed)-cursorMACBytes:]
	if subtle.ConstantTimeCompare(mac, c.sum(payload, filters)) != 1 {
		return Cursor{}, invalidCursor()
	}
	timeAt := func(i int) time.Time {
		return fromUnixNano(int64(binary.BigEndian.Uint64(payload[1+8*i:])))
	}
	return Cursor{At: timeAt(0), From: timeAt(1), To: timeAt(2), ID: string(payload[cursorHeadBytes:])}, nil
}

func invalidCursor() error {
	return FieldError("cursor", RuleMalformed, "", "nextCursor of the page before, with the same filters")
}

func decodeCursor(text string) ([]byte, error) {
	if len(text) > cursorCharsMax {
		return nil, base64.CorruptInputError(cursorCharsMax)
	}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' { // which the decoder would skip
			return nil, base64.CorruptInputError(i)
		}
	}
	return cursorEncoding.DecodeString(text)
}

// sum returns the MAC of the payload and of each filter with its length before it,
// so that different lists of filters are never the same bytes.
func (c *Cursors) sum(payload []byte, filters []string) []byte {
	mac, _ := c.macs.Get().(hash.Hash)
	defer c.macs.Put(mac)
	mac.Reset()
	var length [8]byte
	for _, filter := range filters {
		binary.BigEndian.PutUint64(length[:], uint64(len(filter)))
		mac.Write(length[:])
		mac.Write([]byte(filter))
	}
	mac.Write(payload)
	return mac.Sum(nil)[:cursorMACBytes]
}

// unixNano returns at in nanoseconds since 1970, and 0 for the zero time. A cursor
// thus cannot hold 1970-01-01T00:00:00Z itself.
func unixNano(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
