package bybitsim

import (
	"cmp"
	"sync"
	"time"
)

// RateLimits of the venue. A negative number means none; zero the default.
type RateLimits struct {
	// RequestsPer5s of one address; default 600. Beyond it the address is
	// refused with 403 for ten minutes.
	RequestsPer5s int
	// TradePerSecond of one account and endpoint that trades or changes a
	// setting; default 10.
	TradePerSecond int
	// QueryPerSecond of one account and endpoint that reads; default 50.
	QueryPerSecond int
	// EndpointSpan is what the limits of endpoints count in; default the venue's
	// second. A longer one is used up by however slow a client.
	EndpointSpan time.Duration
}

const (
	requestsPer5sDefault  = 600
	tradePerSecondDefault = 10
	queryPerSecondDefault = 50
	feeRatePerSecond      = 5
	addressSpan           = 5 * time.Second
	endpointSpanDefault   = time.Second
	// tradeSocketPerSecond is what one address may ask of order entry sockets.
	tradeSocketPerSecond = 3000
	banDefault           = 10 * time.Minute
	// windowsMax bounds the addresses and endpoints that are counted at once.
	windowsMax = 10_000
)

func (l RateLimits) withDefaults() RateLimits {
	return RateLimits{
		EndpointSpan:   cmp.Or(l.EndpointSpan, endpointSpanDefault),
		RequestsPer5s:  cmp.Or(l.RequestsPer5s, requestsPer5sDefault),
		TradePerSecond: cmp.Or(l.TradePerSecond, tradePerSecondDefault),
		QueryPerSecond: cmp.Or(l.QueryPerSecond, queryPerSecondDefault),
	}
}

// allowance is what the three limit headers say.
type allowance struct {
	limit, left int
	reset       time.Time
}

// limiter counts in rolling windows.
type limiter struct {
	limits RateLimits

	mu      sync.Mutex
	windows map[string]*window
	banned  map[string]time.Time
}

// window is the times of the requests within its span, oldest first.
type window struct{ times []time.Time }

func newLimiter(limits RateLimits) *limiter {
	return &limiter{limits: limits, windows: map[string]*window{}, banned: map[string]time.Time{}}
}

// spend takes one of limit in the span; false where there is none left.
func (l *limiter) spend(name string, limit int, span time.Duration, now time.Time) (allowance, bool) {
	w := l.windows[name]
	if w == nil {
		if len(l.windows) >= windowsMax {
			clear(l.windows)
		}
		w = &window{}
		l.windows[name] = w
	}
	old := 0
	for old < len(w.times) && !w.times[old].Add(span).After(now) {
		old++
	}
	w.times = w.times[old:]
	if len(w.times) >= limit {
		return allowance{limit: limit, reset: w.times[0].Add(span)}, false
	}
	w.times = append(w.times, now)
	return allowance{limit: limit, left: limit - len(w.times), reset: now}, true
}

// address counts a request of an address.
func (l *limiter) address(ip string, now time.Time) *apiError {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until, ok := l.banned[ip]; ok {
		if now.Before(until) {
			return errTooFrequent
		}
		delete(l.banned, ip)
	}
	if l.limits.RequestsPer5s < 0 {
		return nil
	}
	if _, ok := l.spend("ip "+ip, l.limits.RequestsPer5s, addressSpan, now); !ok {
		l.banned[ip] = now.Add(banDefault)
		return errTooFrequent
	}
	return nil
}

// connect refuses a connection of a banned address.
func (l *limiter) connect(ip string, now time.Time) *apiError {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.banned[ip]) {
		return errTooFrequent
	}
	return nil
}

// tradeSocket counts a request of an address to an order entry socket.
func (l *limiter) tradeSocket(ip string, now time.Time) *apiError {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.banned[ip]) {
		return errAddressLimit
	}
	if _, ok := l.spend("socket "+ip, tradeSocketPerSecond, time.Second, now); !ok {
		return errAddressLimit
	}
	return nil
}

// ban refuses an address for a while.
func (l *limiter) ban(ip string, now time.Time, d time.Duration) *apiError {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.banned[ip] = now.Add(d)
	return errTooFrequent
}

// endpoint counts a request of an account to one endpoint.
func (l *limiter) endpoint(account, path string, e *endpoint, now time.Time) (allowance, *apiError) {
	limit := l.limits.QueryPerSecond
	if e.security == trading {
		limit = l.limits.TradePerSecond
	}
	if e.perSecond > 0 {
		limit = min(limit, e.perSecond)
	}
	if limit < 0 {
		return allowance{limit: unlimited, left: unlimited, reset: now}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left, ok := l.spend("uid "+account+" "+path, limit, l.limits.EndpointSpan, now)
	if !ok {
		return left, errTooMany
	}
	return left, nil
}

// unlimited is what the headers show where there is no limit.
const unlimited = 1_000_000
