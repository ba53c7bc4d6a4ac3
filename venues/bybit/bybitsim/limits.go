package bybitsim

import (
	"cmp"
	"time"

	"venuegate/venues/simcore/simnet"
)

// RateLimits of the venue. A negative number means no limit, zero the default.
type RateLimits struct {
	// RequestsPer5s of one address; default 600. Beyond it the requests of the
	// address are rejected with 403 for ten minutes.
	RequestsPer5s int
	// TradePerSecond of one account and endpoint that trades or changes a
	// setting; default 10.
	TradePerSecond int
	// QueryPerSecond of one account and endpoint that reads; default 50.
	QueryPerSecond int
	// EndpointSpan is the span of the limits of endpoints; default the venue's
	// second. With a longer one even a slow client reaches the limit.
	EndpointSpan time.Duration
}

const (
	requestsPer5sDefault  = 600
	tradePerSecondDefault = 10
	queryPerSecondDefault = 50
	feeRatePerSecond      = 5
	logPerSecond          = 25
	addressSpan           = 5 * time.Second
	endpointSpanDefault   = time.Second
	// tradeSocketPerSecond limits the requests of one address to order entry sockets.
	tradeSocketPerSecond = 3000
	banDefault           = 10 * time.Minute
)

func (l RateLimits) withDefaults() RateLimits {
	return RateLimits{
		EndpointSpan:   cmp.Or(l.EndpointSpan, endpointSpanDefault),
		RequestsPer5s:  cmp.Or(l.RequestsPer5s, requestsPer5sDefault),
		TradePerSecond: cmp.Or(l.TradePerSecond, tradePerSecondDefault),
		QueryPerSecond: cmp.Or(l.QueryPerSecond, queryPerSecondDefault),
	}
}

// rateLimit is the content of the three rate limit headers.
type rateLimit struct {
	limit, left int
	reset       time.Time
}

// limiter counts in rolling windows, as the venue does.
type limiter struct {
	simnet.Limiter
	limits RateLimits
}

func newLimiter(limits RateLimits) *limiter { return &limiter{limits: limits} }

// address counts a request of an address, and bans one that sends too many.
func (l *limiter) address(ip string, now time.Time) *apiError {
	if _, banned := l.Banned(ip, now); banned {
		return errTooFrequent
	}
	if l.limits.RequestsPer5s < 0 {
		return nil
	}
	if _, _, ok := l.Take("ip "+ip, addressSpan, l.limits.RequestsPer5s, now); !ok {
		return l.ban(ip, now, banDefault)
	}
	return nil
}

// connect rejects a connection of a banned address.
func (l *limiter) connect(ip string, now time.Time) *apiError {
	if _, banned := l.Banned(ip, now); banned {
		return errTooFrequent
	}
	return nil
}

// tradeSocket counts a request of an address to an order entry socket.
func (l *limiter) tradeSocket(ip string, now time.Time) *apiError {
	if _, banned := l.Banned(ip, now); banned {
		return errAddressLimit
	}
	if _, _, ok := l.Take("socket "+ip, time.Second, tradeSocketPerSecond, now); !ok {
		return errAddressLimit
	}
	return nil
}

// ban bans an address and returns the error of its requests.
func (l *limiter) ban(ip string, now time.Time, d time.Duration) *apiError {
	l.Ban(ip, now.Add(d))
	return errTooFrequent
}

// endpoint counts a request of an account to one endpoint.
func (l *limiter) endpoint(account, path string, e *endpoint, now time.Time) (rateLimit, *apiError) {
	limit := l.limits.QueryPerSecond
	if e.security == trading {
		limit = l.limits.TradePerSecond
	}
	if e.perSecond > 0 {
		limit = min(limit, e.perSecond)
	}
	if limit < 0 {
		return rateLimit{limit: unlimited, left: unlimited, reset: now}, nil
	}
	left, reset, ok := l.Take("uid "+account+" "+path, l.limits.EndpointSpan, limit, now)
	used := rateLimit{limit: limit, left: left, reset: reset}
	if !ok {
		return used, errTooMany
	}
	return used, nil
}

// unlimited is what the headers show where there is no limit.
const unlimited = 1_000_000
