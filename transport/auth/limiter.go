package auth

import (
	"container/list"
	"context"
	"sync"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

// Class is a kind of request with a limit of its own per key; Limit is at least
// one.
type Class struct {
	Name  string
	Limit int
}

// The classes of the interface, per api.RateWindow.
var (
	Reading     = Class{"reading", api.ReadsPerWindow}
	Trading     = Class{"trading", api.TradesPerWindow}
	Signals     = Class{"signals", api.SignalsPerWindow}
	authFailure = Class{"failed authentication", api.AuthFailuresPerWindow}
)

// Decision is the answer to one request.
type Decision struct {
	Allowed bool
	Limit   int
	// Remaining is how many more requests would be let through now.
	Remaining int
	// Reset is when Remaining next rises: when the oldest counted request
	// leaves the window. For a request that is not allowed it is the wait after
	// which the same one is.
	Reset time.Duration
}

// Limiter counts requests per key and class. Implementations are safe for
// concurrent use.
type Limiter interface {
	// Take counts one request at the moment now, if it is allowed; one that is
	// not allowed is not counted. An error means that nothing was decided.
	Take(ctx context.Context, key string, class Class, now time.Time) (Decision, error)
}

// ErrLimiterFull: so many keys are active that one more cannot be counted. A
// client sees it as rate_limited, with fullRetry: keys that rest make room.
var ErrLimiterFull error = &venues.Error{
	Code: venues.CodeRateLimited, Message: "too many clients are active; try again", RetryAfter: fullRetry,
}

// fullRetry is the wait that is asked of whom the limiter has no room for.
const fullRetry = 5 * time.Second

// window is the moments of the requests that were let through in the last
// api.RateWindow, oldest first. It holds at most the limit of its class.
type window struct {
	hits []time.Time
}

// take is pure. A clock that steps back counts as standing still.
func (w *window) take(limit int, now time.Time) Decision {
	if n := len(w.hits); n > 0 && now.Before(w.hits[n-1]) {
		now = w.hits[n-1]
	}
	w.expire(now)
	d := Decision{Limit: limit}
	if len(w.hits) < limit {
		w.hits = append(w.hits, now)
		d.Allowed = true
	}
	d.Remaining = limit - len(w.hits)
	d.Reset = w.hits[0].Add(api.RateWindow).Sub(now)
	return d
}

// expire forgets what has left the window: a request counts for exactly
// api.RateWindow.
func (w *window) expire(now time.Time) {
	gone := 0
	for gone < len(w.hits) && now.Sub(w.hits[gone]) >= api.RateWindow {
		gone++
	}
	if gone > 0 {
		w.hits = w.hits[:copy(w.hits, w.hits[gone:])]
	}
}

// idle says whether nothing is counted any more.
func (w *window) idle(now time.Time) bool {
	n := len(w.hits)
	return n == 0 || now.Sub(w.hits[n-1]) >= api.RateWindow
}

// MemoryLimiter is the Limiter of one process. It holds at most its capacity of
// windows; idle ones make room.
type MemoryLimiter struct {
	mu       sync.Mutex
	capacity int
	windows  map[windowKey]*list.Element
	// recent has the window used last in front, so that idle ones are behind.
	recent *list.List
}

type windowKey struct {
	key   string
	class string
}

type countedKey struct {
	windowKey
	window
}

// LimiterCapacity is the usual capacity: a full window of 600 requests takes
// some 20 KiB, most take far less.
const LimiterCapacity = 16384

// NewMemoryLimiter makes a limiter of at most capacity windows.
func NewMemoryLimiter(capacity int) *MemoryLimiter {
	return &MemoryLimiter{capacity: capacity, windows: make(map[windowKey]*list.Element), recent: list.New()}
}

// Take implements Limiter; the error is ErrLimiterFull.
func (l *MemoryLimiter) Take(_ context.Context, key string, class Class, now time.Time) (Decision, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := windowKey{key, class.Name}
	e, known := l.windows[k]
	if !known {
		if !l.makeRoom(now) {
			return Decision{}, ErrLimiterFull
		}
		e = l.recent.PushFront(&countedKey{windowKey: k})
		l.windows[k] = e
	}
	l.recent.MoveToFront(e)
	counted, _ := e.Value.(*countedKey)
	return counted.take(class.Limit, now), nil
}

// makeRoom drops idle windows, two at most: each new window removes up to two
// old ones, so the limiter shrinks to what is in use.
func (l *MemoryLimiter) makeRoom(now time.Time) bool {
	for range 2 {
		last := l.recent.Back()
		if last == nil {
			break
		}
		counted, _ := last.Value.(*countedKey)
		if !counted.idle(now) {
			break
		}
		delete(l.windows, counted.windowKey)
		l.recent.Remove(last)
	}
	return len(l.windows) < l.capacity
}
