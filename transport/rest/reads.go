package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"time"

	"venuegate/venues"
)

// Limits of reads, besides the number of requests of a key. They leave processors and
// memory to orders, which pass none of them: the number of orders of a key is small.
const (
	// readsPerKeyMax bounds the reads of a key that are under way: until the response of a
	// list is sent, of another read until it is made.
	readsPerKeyMax = 64
	// readRetry is the Retry-After of a read for which there is no room.
	readRetry = time.Second
	// keyReadsSweep is the number of keys from which those without reads are removed.
	keyReadsSweep = 1024
)

// reads limits the reads of all keys and of each one. It is safe for concurrent use.
type reads struct {
	// slots has an element for each list that is being made.
	slots chan struct{}

	mu   sync.Mutex
	keys map[string]*keyReads
	// sweepAt is the number of keys at which idle ones are removed.
	sweepAt int
	rows    pacer
	// sharing are the keys that share the rate of all keys, see shares.
	sharing []*keyReads
	unsent  unsentBytes
}

// keyReads are the reads of one key.
type keyReads struct {
	underWay int
	rows     pacer
	// share paces the rows of the key at the rate of all keys. A row counts once for each
	// of the keys that share that rate.
	share pacer
	// unsentBytes is the key's part of reads.unsent.
	unsentBytes int
}

func newReads() *reads {
	processors := runtime.GOMAXPROCS(0)
	return &reads{
		slots:   make(chan struct{}, listsAtOnce(processors)),
		keys:    make(map[string]*keyReads),
		sweepAt: keyReadsSweep,
		rows:    pacer{perSecond: processors * rowsPerSecondProcessor, burst: rowsBurst},
		unsent:  unsentBytes{answers: make(map[*read]struct{})},
	}
}

// read is a read that is under way.
type read struct {
	of  *reads
	key *keyReads

	// The fields below are guarded by reads.mu.
	ended bool
	// shares is the number of keys that shared the rate when the rows were reserved.
	shares int
	// bytes is the part of the read in the unsent bytes, an estimate until it is made.
	bytes int
	// conn is the connection to which the response is being sent, since sentSince.
	conn      net.Conn
	sentSince time.Time
}

// begin begins a read of a key. The caller must call end. The error is a *venues.Error
// rate_limited.
func (r *reads) begin(key string) (*read, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.keys[key]
	if of == nil {
		r.sweep()
		of = &keyReads{
			rows:  pacer{perSecond: rowsPerSecondKey, burst: rowsBurstKey},
			share: pacer{perSecond: r.rows.perSecond, burst: r.rows.burst},
		}
		r.keys[key] = of
	}
	if of.underWay >= readsPerKeyMax {
		return nil, limitedKey(readRetry, readsPerKeyMax, "more than %d reads of this key are under way")
	}
	of.underWay++
	return &read{of: r, key: of}, nil
}

// sweep removes keys without reads if there are many.
func (r *reads) sweep() {
	if len(r.keys) < r.sweepAt {
		return
	}
	now := time.Now()
	for key, of := range r.keys {
		if of.underWay == 0 && of.rows.idle(now) && of.share.idle(now) {
			delete(r.keys, key)
		}
	}
	r.sweepAt = max(keyReadsSweep, 2*len(r.keys))
}

// end ends a read. Later calls do nothing.
func (r *read) end() {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.endLocked()
}

func (r *read) endLocked() {
	if r.ended {
		return
	}
	r.ended = true
	r.key.underWay--
	r.resize(0)
	delete(r.of.unsent.answers, r)
}

// list calls makeList when the limits permit a list that costs up to most rows (see rowsOf).
// makeList returns the body, and the rows that count instead of most from then on, with an
// error too. The error is a *venues.Error rate_limited or maintenance, or that of makeList.
func (r *read) list(ctx context.Context, most int, makeList func() (body []byte, rows int, err error)) (response, error) {
	if err := r.admit(ctx, most); err != nil {
		return response{}, err
	}
	defer func() { <-r.of.slots }()
	body, rows, err := makeList()
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.correctRows(min(max(rows, 1), most) - most)
	if err != nil {
		return response{}, err
	}
	r.resize(cap(body))
	out := ok(body)
	out.unsent = r
	return out, nil
}

// admit waits until a list may be made, and occupies a slot. After an error, nothing is
// reserved.
func (r *read) admit(ctx context.Context, rows int) error {
	wait, err := r.reserve(rows, time.Now())
	if err != nil {
		return err
	}
	if err := r.occupySlot(ctx, wait); err != nil {
		r.of.mu.Lock()
		defer r.of.mu.Unlock()
		r.resize(0)
		r.correctRows(-rows)
		return err
	}
	return nil
}

// occupySlot occupies a slot after a wait.
func (r *read) occupySlot(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	timer.Reset(listWaitMax)
	select {
	case r.of.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return limited(readRetry, "too many lists are being read")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reserve reserves bytes and rows, and returns how long to wait for the latter.
func (r *read) reserve(rows int, now time.Time) (wait time.Duration, err error) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if err := r.reserveBytes(rows*recordBytes, now); err != nil {
		return 0, err
	}
	wait, err = r.reserveRows(rows, now)
	if err != nil {
		r.resize(0)
	}
	return wait, err
}

// readError returns maintenance for the error of a read that was not made in time, and other
// errors as they are.
func readError(err error) error {
	if _, ours := errors.AsType[*venues.Error](err); ours || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := venues.Errorf(venues.CodeMaintenance, "the records could not be read in time").Because(err)
	e.RetryAfter = readRetry
	return e
}

// limited returns the error of a limit of all keys together.
func limited(after time.Duration, message string) *venues.Error {
	return &venues.Error{Code: venues.CodeRateLimited, Message: message, RetryAfter: after}
}

// limitedKey returns the error of a limit of each key. The format has a verb for the limit.
func limitedKey(after time.Duration, limit int, format string) *venues.Error {
	return limited(after, fmt.Sprintf(format, limit)).With("limit", limit).With("scope", venues.LimitOfKey)
}
