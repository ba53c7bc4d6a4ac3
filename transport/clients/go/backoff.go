package venuegate

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"
)

// Delays before a request or a connection is repeated.
const (
	backoffMin = time.Second
	backoffMax = 30 * time.Second
)

// backoff returns the delay after the n-th failure in a row: 1 s, 2 s, 4 s and so on, of which
// up to a half is left out at random, so that clients do not return at the same time.
func backoff(n int) time.Duration {
	delay := backoffMax
	if n < 6 {
		delay = min(delay, backoffMin<<max(n-1, 0))
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	half := uint64(delay / 2)
	return delay - time.Duration(binary.LittleEndian.Uint64(random[:])%(half+1))
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
