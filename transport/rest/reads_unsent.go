package rest

import (
	"bytes"
	"net"
	"time"

	"venuegate/venues"
)

// Limits of lists that are being made or sent, in bytes. A response is in memory until the
// client has read it or the write timeout closes the connection.
const (
	unsentBytesMax       = 64 << 20
	unsentBytesPerKeyMax = 16 << 20
	// unsentSlow is the time after which the connection of a response that is not sent is
	// closed if another list needs its memory.
	unsentSlow = time.Second
)

// unsentBytes counts the bytes of lists that are being made or sent.
type unsentBytes struct {
	total int
	// answers are the reads whose response is being sent.
	answers map[*read]struct{}
}

// errUnsentFull is returned while the responses to others take all the memory for lists.
var errUnsentFull = &venues.Error{
	Code: venues.CodeMaintenance, Message: "too many responses are not read by their clients yet", RetryAfter: readRetry,
}

// reserveBytes reserves bytes for a list that is to be made. The caller holds the lock.
func (r *read) reserveBytes(bytes int, now time.Time) error {
	if r.key.unsentBytes+bytes > unsentBytesPerKeyMax {
		return limitedKey(readRetry, unsentBytesPerKeyMax, "responses to this key of more than %d bytes are not read yet")
	}
	for r.of.unsent.total+bytes > unsentBytesMax {
		if !r.of.closeSlowest(now) {
			return errUnsentFull
		}
	}
	r.resize(bytes)
	return nil
}

// resize changes the bytes of a read. The caller holds the lock.
func (r *read) resize(bytes int) {
	r.of.unsent.total += bytes - r.bytes
	r.key.unsentBytes += bytes - r.bytes
	r.bytes = bytes
}

// closeSlowest ends the response that is sent for longest, of the key with the most bytes
// among those with slow ones. It reports whether there was one. The caller holds the lock.
func (r *reads) closeSlowest(now time.Time) bool {
	var slowest *read
	for a := range r.unsent.answers {
		if now.Sub(a.sentSince) < unsentSlow {
			continue
		}
		if slowest == nil || a.key.unsentBytes > slowest.key.unsentBytes ||
			a.key == slowest.key && a.sentSince.Before(slowest.sentSince) {
			slowest = a
		}
	}
	if slowest == nil {
		return false
	}
	// The write fails, and the server closes the connection. It has not set the deadline of
	// another response: the body of this one is not closed.
	_ = slowest.conn.SetWriteDeadline(time.Unix(1, 0))
	slowest.endLocked()
	return true
}

// body returns the body of the response for the server, which closes it when the response
// is sent or the connection has failed.
func (r *read) body(content []byte, conn net.Conn) *unsentBody {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.conn, r.sentSince = conn, time.Now()
	r.of.unsent.answers[r] = struct{}{}
	return &unsentBody{Reader: bytes.NewReader(content), read: r}
}

type unsentBody struct {
	*bytes.Reader
	read *read
}

// Close implements io.Closer.
func (b *unsentBody) Close() error {
	b.read.end()
	return nil
}
