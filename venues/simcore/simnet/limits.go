package simnet

import (
	"sync"
	"time"
)

// limitKeysMax bounds the keys that a [Limiter] counts at a time; past it the counts
// of that sort start again.
const limitKeysMax = 10_000

// Limiter counts requests against rate limits and holds the addresses that a venue
// has banned. The zero value is ready; it is safe for concurrent use.
type Limiter struct {
	mu      sync.Mutex
	fixed   map[string]*fixedWindow
	rolling map[string][]time.Time
	banned  map[string]time.Time
}

type fixedWindow struct {
	start time.Time
	used  int
}

// Count adds n to the count of a key within the fixed span of the clock that
// contains now. It returns what is used of that span and when the next one begins.
func (l *Limiter) Count(key string, span time.Duration, n int, now time.Time) (used int, reset time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := entry(&l.fixed, key)
	if w == nil {
		w = &fixedWindow{}
		l.fixed[key] = w
	}
	if start := now.Truncate(span); !start.Equal(w.start) {
		w.start, w.used = start, 0
	}
	w.used += n
	return w.used, w.start.Add(span)
}

// Take takes one of the requests that a key may make within any span before now.
// It returns how many are left; where none was, ok is false and reset is when the
// oldest request leaves the span.
func (l *Limiter) Take(key string, span time.Duration, limit int, now time.Time) (left int, reset time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := entry(&l.rolling, key)
	for len(times) > 0 && !times[0].Add(span).After(now) {
		times = times[1:]
	}
	if ok = len(times) < limit; !ok {
		l.rolling[key] = times
		return 0, times[0].Add(span), false
	}
	l.rolling[key] = append(times, now)
	return limit - len(times) - 1, now, true
}

// Ban bans an address until a time.
func (l *Limiter) Ban(ip string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry(&l.banned, ip)
	l.banned[ip] = until
}

// Banned reports whether an address is banned, and until when.
func (l *Limiter) Banned(ip string, now time.Time) (until time.Time, banned bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until, banned = l.banned[ip]; banned && !now.Before(until) {
		delete(l.banned, ip)
		return time.Time{}, false
	}
	return until, banned
}

// entry returns the value of a key, and makes room for a new key.
func entry[V any](of *map[string]V, key string) V {
	value, known := (*of)[key]
	if *of == nil {
		*of = map[string]V{}
	}
	if !known && len(*of) >= limitKeysMax {
		clear(*of)
	}
	return value
}
