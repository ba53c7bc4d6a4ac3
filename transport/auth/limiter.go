package auth

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

// Class is a kind of request that has its own limit per key. Limit is at least
// one.
type Class struct {
	Name  string
	Limit int
	// Window is the time in which at most Limit requests are allowed; zero is
	// api.RateWindow.
	Window time.Duration
}

// Classes of requests.
var (
	Reading     = Class{Name: "reading", Limit: api.ReadsPerWindow}
	Trading     = Class{Name: "trading", Limit: api.TradesPerWindow}
	Signals     = Class{Name: "signals", Limit: api.SignalsPerWindow}
	authFailure = Class{Name: "failed authentication", Limit: api.AuthFailuresPerWindow}
)

// Decision is the result of Take.
type Decision struct {
	Allowed bool
	Limit   int
	// Remaining is the number of further requests that are allowed now.
	Remaining int
	// Reset is the time until Remaining next rises, when the oldest counted request
	// leaves the window. A request that is not allowed would be allowed after it.
	Reset time.Duration
}

// Limiter counts requests per key and class. Implementations are safe for
// concurrent use.
type Limiter interface {
	// Take counts a request at the time now if it is allowed. After an error there
	// is no decision and nothing is counted.
	Take(ctx context.Context, key string, class Class, now time.Time) (Decision, error)
}

// ErrLimiterFull is returned when too many keys are active to count another one.
// Clients get rate_limited with fullRetry, since idle keys are evicted.
var ErrLimiterFull error = &venues.Error{
	Code: venues.CodeRateLimited, Message: "too many clients are active; try again", RetryAfter: fullRetry,
}

// fullRetry is the RetryAfter of ErrLimiterFull.
const fullRetry = 5 * time.Second

// window is the times of the requests that were allowed in the last length of time, oldest
// first: at most the limit of the class.
type window struct {
	length time.Duration
	hits   []time.Time
}

// take counts a request if it is allowed. If the clock has stepped back, the time of
// the newest request is used.
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
	d.Reset = w.hits[0].Add(w.length).Sub(now)
	return d
}

// expire removes requests that have left the window: each counts for exactly its length.
func (w *window) expire(now time.Time) {
	gone := 0
	for gone < len(w.hits) && now.Sub(w.hits[gone]) >= w.length {
		gone++
	}
	w.hits = slices.Delete(w.hits, 0, gone)
}

// idle reports whether no request is in the window.
func (w *window) idle(now time.Time) bool {
	n := len(w.hits)
	return n == 0 || now.Sub(w.hits[n-1]) >= w.length
}

// MemoryLimiter is the Limiter of one process. It holds at most its capacity of
// windows and evicts idle ones.
type MemoryLimiter struct {
	mu       sync.Mutex
	capacity int
	windows  map[windowKey]*list.Element
	// recent has the most recently used window in front.
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

// LimiterCapacity is the default capacity. A full window of 600 requests takes
// about 20 KiB, most windows far less.
const LimiterCapacity = 16384

// NewMemoryLimiter returns a limiter of at most capacity windows.
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
		if !l.evictIdle(now) {
			return Decision{}, ErrLimiterFull
		}
		e = l.recent.PushFront(&countedKey{k, window{length: cmp.Or(class.Window, api.RateWindow)}})
		l.windows[k] = e
	}
	l.recent.MoveToFront(e)
	counted, _ := e.Value.(*countedKey)
	return counted.take(class.Limit, now), nil
}

// Return takes back the newest request that Take has counted.
func (l *MemoryLimiter) Return(key string, class Class) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, known := l.windows[windowKey{key, class.Name}]; known {
		counted, _ := e.Value.(*countedKey)
		counted.hits = counted.hits[:max(len(counted.hits)-1, 0)]
	}
}

// evictIdle removes up to two idle windows and reports whether there is room for a
// new one. Two for each new one shrink the limiter to the windows in use.
func (l *MemoryLimiter) evictIdle(now time.Time) bool {
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
