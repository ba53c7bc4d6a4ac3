package binancesim

import (
	"cmp"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RateLimits of the venue. A negative number means none; zero the default.
type RateLimits struct {
	// WeightPerMinute of one address; default 2400.
	WeightPerMinute int
	// OrdersPer10s and OrdersPerMinute of one account; default 300 and 1200.
	OrdersPer10s    int
	OrdersPerMinute int
	// MinuteSpan is what OrdersPerMinute counts in; default the venue's minute. A
	// longer one is used up by however slow a client.
	MinuteSpan time.Duration
}

const (
	weightPerMinuteDefault = 2400
	ordersPer10sDefault    = 300
	ordersPerMinuteDefault = 1200
	// offencesMax is how many requests beyond the limit lead to a ban.
	offencesMax = 20
	banDefault  = 2 * time.Minute
	// countersMax bounds the addresses and accounts that are counted at once.
	countersMax = 10_000
)

func (l RateLimits) withDefaults() RateLimits {
	return RateLimits{
		WeightPerMinute: cmp.Or(l.WeightPerMinute, weightPerMinuteDefault),
		OrdersPer10s:    cmp.Or(l.OrdersPer10s, ordersPer10sDefault),
		OrdersPerMinute: cmp.Or(l.OrdersPerMinute, ordersPerMinuteDefault),
		MinuteSpan:      cmp.Or(l.MinuteSpan, time.Minute),
	}
}

// window counts within fixed spans of the clock, as the venue does.
type window struct {
	span  time.Duration
	start time.Time
	used  int
}

func (w *window) add(now time.Time, n int) int {
	if start := now.Truncate(w.span); !start.Equal(w.start) {
		w.start, w.used = start, 0
	}
	w.used += n
	return w.used
}

// wait is the whole seconds until the window begins anew.
func (w *window) wait(now time.Time) int {
	left := w.start.Add(w.span).Sub(now)
	return int((left + time.Second - 1) / time.Second)
}

// limiter counts weights by address and orders by account.
type limiter struct {
	limits RateLimits

	mu       sync.Mutex
	weights  map[string]*window
	tens     map[string]*window
	minutes  map[string]*window
	offences map[string]int
	banned   map[string]time.Time
}

func newLimiter(limits RateLimits) *limiter {
	return &limiter{
		limits: limits, weights: map[string]*window{}, tens: map[string]*window{}, minutes: map[string]*window{},
		offences: map[string]int{}, banned: map[string]time.Time{},
	}
}

func counter(of map[string]*window, key string, span time.Duration) *window {
	w, ok := of[key]
	if !ok {
		if len(of) >= countersMax {
			clear(of)
		}
		w = &window{span: span}
		of[key] = w
	}
	return w
}

// spend counts the weight of a request and answers what the address used.
func (l *limiter) spend(ip string, weight int, now time.Time) (used int, err *apiError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := counter(l.weights, ip, time.Minute)
	used = w.add(now, weight)
	if banned := l.isBanned(ip, now); banned != nil {
		return used, banned
	}
	if l.limits.WeightPerMinute < 0 || used <= l.limits.WeightPerMinute {
		return used, nil
	}
	l.offences[ip]++
	if l.offences[ip] > offencesMax {
		until := now.Add(banDefault)
		l.banned[ip] = until
		return used, bannedUntil(ip, until, now)
	}
	return used, &apiError{
		status: http.StatusTooManyRequests, code: -1003, retryAfter: w.wait(now),
		message: "Too many requests; current limit of IP(" + ip + ") is " + strconv.Itoa(l.limits.WeightPerMinute) +
			" requests per minute. Please use the websocket for live updates to avoid polling the API.",
	}
}

// connect refuses a connection of a banned address; streams have no weight.
func (l *limiter) connect(ip string, now time.Time) *apiError {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isBanned(ip, now)
}

// isBanned answers a banned address; mu is held.
func (l *limiter) isBanned(ip string, now time.Time) *apiError {
	until, banned := l.banned[ip]
	switch {
	case !banned:
		return nil
	case now.Before(until):
		return bannedUntil(ip, until, now)
	}
	delete(l.banned, ip)
	delete(l.offences, ip)
	return nil
}

func bannedUntil(ip string, until, now time.Time) *apiError {
	return &apiError{
		status: http.StatusTeapot, code: -1003, retryAfter: int(until.Sub(now)/time.Second) + 1,
		message: "Way too many requests; IP(" + ip + ") banned until " + strconv.FormatInt(until.UnixMilli(), 10) +
			". Please use the websocket for live updates to avoid bans.",
	}
}

// ban refuses an address for a while.
func (l *limiter) ban(ip string, now time.Time, d time.Duration) *apiError {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := now.Add(d)
	l.banned[ip] = until
	return bannedUntil(ip, until, now)
}

// orderCount is what an account's order counters show.
type orderCount struct{ tens, minute int }

// order counts new orders of an account.
func (l *limiter) order(account string, tens, minute int, now time.Time) (orderCount, *apiError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	per10s := counter(l.tens, account, 10*time.Second)
	perMinute := counter(l.minutes, account, l.limits.MinuteSpan)
	used := orderCount{tens: per10s.add(now, tens), minute: perMinute.add(now, minute)}
	if l.limits.OrdersPer10s >= 0 && used.tens > l.limits.OrdersPer10s {
		return used, tooManyOrders(l.limits.OrdersPer10s, "TEN_SECONDS", per10s.wait(now))
	}
	if l.limits.OrdersPerMinute >= 0 && used.minute > l.limits.OrdersPerMinute {
		return used, tooManyOrders(l.limits.OrdersPerMinute, "MINUTE", perMinute.wait(now))
	}
	return used, nil
}

// orders are an account's counters as they stand.
func (l *limiter) orders(account string, now time.Time) orderCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	return orderCount{
		tens:   counter(l.tens, account, 10*time.Second).add(now, 0),
		minute: counter(l.minutes, account, l.limits.MinuteSpan).add(now, 0),
	}
}

func tooManyOrders(limit int, span string, wait int) *apiError {
	return &apiError{
		status: http.StatusTooManyRequests, code: -1015, retryAfter: wait,
		message: "Too many new orders; current limit is " + strconv.Itoa(limit) + " orders per " + span + ".",
	}
}
