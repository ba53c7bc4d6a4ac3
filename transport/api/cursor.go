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

// Cursor is where a page ended, and the window that the first page settled:
// pages that follow each other must not be cut by a moving "now".
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
	// CursorSecretBytesMin is the least length of the secret.
	CursorSecretBytesMin = 32
	// cursorCharsMax bounds the text of a cursor.
	cursorCharsMax = 512
)

// ErrCursorSecret refuses a secret that is too short.
var ErrCursorSecret = errors.New("api: the secret for cursors must be at least 32 bytes")

var cursorEncoding = base64.RawURLEncoding.Strict()

// Cursors seals and opens cursors. It is safe for concurrent use.
type Cursors struct {
	macs sync.Pool
}

// NewCursors makes a codec. The secret belongs to the installation: a cursor
// survives restarts and is good on every node that has the same secret.
func NewCursors(secret []byte) (*Cursors, error) {
	if len(secret) < CursorSecretBytesMin {
		return nil, ErrCursorSecret
	}
	secret = append([]byte("venuegate cursor "), secret...)
	return &Cursors{macs: sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}, nil
}

// Seal makes the text of a cursor. It is bound to filters: Open gives it back
// only under the same ones.
func (c *Cursors) Seal(cursor Cursor, filters ...string) string {
	payload := make([]byte, 0, cursorHeadBytes+len(cursor.ID)+cursorMACBytes)
	payload = append(payload, cursorVersion)
	for _, at := range []time.Time{cursor.At, cursor.From, cursor.To} {
		payload = binary.BigEndian.AppendUint64(payload, uint64(unixNano(at)))
	}
	payload = append(payload, cursor.ID...)
	return cursorEncoding.EncodeToString(append(payload, c.sum(payload, filters)...))
}

// Open reads a cursor that Seal made under the same filters. Anything else is a
// *venues.Error invalid_request that names the parameter cursor.
func (c *Cursors) Open(text string, filters ...string) (Cursor, error) {
	var f Faults
	f.Add("cursor", RuleMalformed, "", "nextCursor of the page before, with the same filters")
	sealed, err := decodeCursor(text)
	if err != nil || len(sealed) < cursorHeadBytes+cursorMACBytes || sealed[0] != cursorVersion {
		return Cursor{}, f.Err()
	}
	payload, mac := sealed[:len(sealed)-cursorMACBytes], sealed[len(sealed)-cursorMACBytes:]
	if subtle.ConstantTimeCompare(mac, c.sum(payload, filters)) != 1 {
		return Cursor{}, f.Err()
	}
	moment := func(i int) time.Time {
		return fromUnixNano(int64(binary.BigEndian.Uint64(payload[1+8*i:])))
	}
	return Cursor{At: moment(0), From: moment(1), To: moment(2), ID: string(payload[cursorHeadBytes:])}, nil
}

func decodeCursor(text string) ([]byte, error) {
	if len(text) > cursorCharsMax {
		return nil, base64.CorruptInputError(cursorCharsMax)
	}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' { // the decoder would skip them
			return nil, base64.CorruptInputError(i)
		}
	}
	return cursorEncoding.DecodeString(text)
}

// sum is over the payload and each filter with its length before it, so that no
// two lists of filters are the same bytes.
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

// unixNano is 0 for the zero time; 1970 itself is not told apart from it.
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
