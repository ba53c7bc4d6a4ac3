package binancesim

import (
	"cmp"
	"net/http"
	"strconv"
	"sync"
	"time"

	"venuegate/venues/simcore/simnet"
)

// RateLimits of the venue. A negative number means no limit, zero the default.
type RateLimits struct {
	// WeightPerMinute of one address; default 2400.
	WeightPerMinute int
	// OrdersPer10s and OrdersPerMinute of one account; default 300 and 1200.
	OrdersPer10s    int
	OrdersPerMinute int
	// MinuteSpan is the span of OrdersPerMinute; default the venue's minute. With a
	// longer one even a slow client reaches the limit.
	MinuteSpan time.Duration
}

const (
	weightPerMinuteDefault = 2400
	ordersPer10sDefault    = 300
	ordersPerMinuteDefault = 1200
	// offencesMax is how many requests beyond the limit lead to a ban.
	offencesMax = 20
	banDefault  = 2 * time.Minute
)

func (l RateLimits) withDefaults() RateLimits {
	return RateLimits{
		WeightPerMinute: cmp.Or(l.WeightPerMinute, weightPerMinuteDefault),
		OrdersPer10s:    cmp.Or(l.OrdersPer10s, ordersPer10sDefault),
		OrdersPerMinute: cmp.Or(l.OrdersPerMinute, ordersPerMinuteDefault),
		MinuteSpan:      cmp.Or(l.MinuteSpan, time.Minute),
	}
}

// limiter counts weights by address and orders by account, both within fixed spans
// of the clock, as the venue does.
type limiter struct {
	simnet.Limiter
	limits RateLimits

	mu sync.Mutex
	// offences are the requests beyond the limit since the last ban, by address.
	offences map[string]int
}

func newLimiter(limits RateLimits) *limiter {
	return &limiter{limits: limits, offences: map[string]int{}}
}

// wholeSeconds returns the time from now until a window ends, rounded up.
func wholeSeconds(now, end time.Time) int {
	return int((end.Sub(now) + time.Second - 1) / time.Second)
}

// spend counts the weight of a request and returns what the address has used of the
// minute.
func (l *limiter) spend(ip string, weight int, now time.Time) (used int, err *apiError) {
	used, reset := l.Count("weight "+ip, time.Minute, weight, now)
	if banned := l.connect(ip, now); banned != nil {
		return used, banned
	}
	if l.limits.WeightPerMinute < 0 || used <= l.limits.WeightPerMinute {
		return used, nil
	}
	if l.offend(ip) > offencesMax {
		return used, l.ban(ip, now, banDefault)
	}
	return used, &apiError{
		status: http.StatusTooManyRequests, code: -1003, retryAfter: wholeSeconds(now, reset),
		message: "Too many requests; current limit of IP(" + ip + ") is " + strconv.Itoa(l.limits.WeightPerMinute) +
			" requests per minute. Please use the websocket for live updates to avoid polling the API.",
	}
}

// offend counts a request beyond the limit.
func (l *limiter) offend(ip string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offences[ip]++
	return l.offences[ip]
}

// connect rejects a banned address. Connections to streams have no weight.
func (l *limiter) connect(ip string, now time.Time) *apiError {
	if until, banned := l.Banned(ip, now); banned {
		return bannedUntil(ip, until, now)
	}
	return nil
}

func bannedUntil(ip string, until, now time.Time) *apiError {
	return &apiError{
		status: http.StatusTeapot, code: -1003, retryAfter: int(until.Sub(now)/time.Second) + 1,
		message: "Way too many requests; IP(" + ip + ") banned until " + strconv.FormatInt(until.UnixMilli(), 10) +
			". Please use the websocket for live updates to avoid bans.",
	}
}

// ban bans an address and returns the error of its requests.
func (l *limiter) ban(ip string, now time.Time, d time.Duration) *apiError {
	l.mu.Lock()
	delete(l.offences, ip)
	l.mu.Unlock()
	until := now.Add(d)
	l.Ban(ip, until)
	return bannedUntil(ip, until, now)
}

// orderCount is what an account has used of its order limits.
type orderCount struct{ tens, minute int }

// order counts new orders of an account.
func (l *limiter) order(account string, tens, minute int, now time.Time) (orderCount, *apiError) {
	var used orderCount
	var tensEnd, minuteEnd time.Time
	used.tens, tensEnd = l.Count("tens "+account, 10*time.Second, tens, now)
	used.minute, minuteEnd = l.Count("minute "+account, l.limits.MinuteSpan, minute, now)
	if l.limits.OrdersPer10s >= 0 && used.tens > l.limits.OrdersPer10s {
		return used, tooManyOrders(l.limits.OrdersPer10s, "TEN_SECONDS", wholeSeconds(now, tensEnd))
	}
	if l.limits.OrdersPerMinute >= 0 && used.minute > l.limits.OrdersPerMinute {
		return used, tooManyOrders(l.limits.OrdersPerMinute, "MINUTE", wholeSeconds(now, minuteEnd))
	}
	return used, nil
}

// orders returns what an account has used of its order limits.
func (l *limiter) orders(account string, now time.Time) orderCount {
	tens, _ := l.Count("tens "+account, 10*time.Second, 0, now)
	minute, _ := l.Count("minute "+account, l.limits.MinuteSpan, 0, now)
	return orderCount{tens, minute}
}

func tooManyOrders(limit int, span string, wait int) *apiError {
	return &apiError{
		status: http.StatusTooManyRequests, code: -1015, retryAfter: wait,
		message: "Too many new orders; current limit is " + strconv.Itoa(limit) + " orders per " + span + ".",
	}
}
