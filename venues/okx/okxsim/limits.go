package okxsim

import (
	"cmp"
	"encoding/json"
	"sync"
	"time"
)

// RateLimits of the venue.
type RateLimits struct {
	// Off switches all limits off.
	Off bool
	// OrdersPerWindow of one account: new and amended orders of all instruments;
	// default 1000.
	OrdersPerWindow int
	// SocketRequestsPerHour of one connection: logins, subscriptions and their
	// ends; default 480.
	SocketRequestsPerHour int
	// ConnectsPerSecond of one address; default none. The venue's are 3, which a
	// program that opens the sockets of many accounts at once uses up.
	ConnectsPerSecond int
	// ConnsPerChannel is how many connections of one account may listen to one of
	// its channels; default 30.
	ConnsPerChannel int
	// ChannelsPerConn is how many channels one connection may listen to; default
	// 1000. The venue does not tell its own.
	ChannelsPerConn int
	// Window is what the limits of calls count in; default the venue's two seconds. A
	// longer one is used up by however slow a client.
	Window time.Duration
}

const (
	ordersPerWindowDefault = 1000
	socketRequestsDefault  = 480
	connsPerChannelDefault = 30
	limitWindowDefault     = 2 * time.Second
	// countersMax bounds the keys that are counted at once.
	countersMax = 10_000
	banDefault  = 2 * time.Minute
)

// window counts within fixed spans of the clock.
type window struct {
	start time.Time
	used  int
}

type limiter struct {
	limits RateLimits

	mu      sync.Mutex
	windows map[string]*window
	banned  map[string]time.Time
}

func newLimiter(limits RateLimits) *limiter {
	limits.OrdersPerWindow = cmp.Or(limits.OrdersPerWindow, ordersPerWindowDefault)
	limits.SocketRequestsPerHour = cmp.Or(limits.SocketRequestsPerHour, socketRequestsDefault)
	limits.ConnsPerChannel = cmp.Or(limits.ConnsPerChannel, connsPerChannelDefault)
	limits.ChannelsPerConn = min(cmp.Or(limits.ChannelsPerConn, subsMax), subsMax)
	limits.Window = cmp.Or(limits.Window, limitWindowDefault)
	return &limiter{limits: limits, windows: map[string]*window{}, banned: map[string]time.Time{}}
}

// spend counts n against a key's limit per window; false where it is exceeded.
func (l *limiter) spend(key string, n, limit int, now time.Time) bool {
	return l.spendIn(l.limits.Window, key, n, limit, now)
}

// spendIn counts within spans of any length.
func (l *limiter) spendIn(span time.Duration, key string, n, limit int, now time.Time) bool {
	if l.limits.Off {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.windows[key]
	if !ok {
		if len(l.windows) >= countersMax {
			clear(l.windows)
		}
		w = &window{}
		l.windows[key] = w
	}
	if start := now.Truncate(span); !start.Equal(w.start) {
		w.start, w.used = start, 0
	}
	w.used += n
	return w.used <= limit
}

// spend counts a call against the limit of its endpoint; false where that is
// exceeded. Calls on a socket are counted with those of the REST interface.
func (s *Sim) spend(in *call, at endpoint) bool {
	path, limit, units := in.path, at.limit, 1
	if at.single != "" {
		if units = in.items(); units == 1 {
			path, limit = at.single, routes[route{in.method, at.single}].limit
		}
	}
	key := in.method + path + " " + in.account.ID
	if at.security == public {
		key = path + " " + in.ip
	}
	if at.perInstrument {
		key += " " + s.limitedInstrument(in)
	}
	return s.limiter.spendIn(cmp.Or(at.span, s.limiter.limits.Window), key, units, limit, in.now)
}

// items is how many orders a call is about.
func (in *call) items() int {
	var many []json.RawMessage
	if json.Unmarshal(in.body, &many) == nil {
		return max(1, len(many))
	}
	return 1
}

// limitedInstrument is the instrument that a call is about, the first of a
// batch.
func (s *Sim) limitedInstrument(in *call) string {
	if name := in.query("instId"); name != "" || len(in.body) == 0 {
		return name
	}
	var ref refArg
	if json.Unmarshal(in.body, &ref) != nil {
		var many []refArg
		if json.Unmarshal(in.body, &many) != nil || len(many) == 0 {
			return ""
		}
		ref = many[0]
	}
	if l, failed := s.instrumentOf(in, ref.InstID, ref.InstIDCode); failed == nil {
		return l.Symbol
	}
	return ref.InstID
}

// orders counts new and amended orders of an account.
func (l *limiter) orders(account string, n int, now time.Time) *apiError {
	if l.spend("orders "+account, n, l.limits.OrdersPerWindow, now) {
		return nil
	}
	return refuse("50061", "You've reached the maximum order rate limit for this account.")
}

// connect counts the opening of a socket; false where an address opens too many.
func (l *limiter) connect(ip string, now time.Time) bool {
	limit := l.limits.ConnectsPerSecond
	return limit == 0 || l.spendIn(time.Second, "connect "+ip, 1, limit, now)
}

// onSocket counts a login, a subscription or its end on one connection.
func (l *limiter) onSocket(connID string, now time.Time) bool {
	return l.spendIn(time.Hour, "socket "+connID, 1, l.limits.SocketRequestsPerHour, now)
}

// admitsConn says whether so many connections may listen to a channel of an account.
func (l *limiter) admitsConn(conns int) bool {
	return l.limits.Off || conns <= l.limits.ConnsPerChannel
}

// ban refuses an address for a while.
func (l *limiter) ban(ip string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.banned) >= countersMax {
		clear(l.banned)
	}
	l.banned[ip] = until
}

func (l *limiter) isBanned(ip string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, ok := l.banned[ip]
	if ok && !now.Before(until) {
		delete(l.banned, ip)
		return false
	}
	return ok
}
