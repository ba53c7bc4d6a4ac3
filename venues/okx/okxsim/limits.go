package okxsim

import (
	"cmp"
	"encoding/json"
	"time"

	"venuegate/venues/simcore/simnet"
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
	// ConnectsPerSecond of one address; default none. The venue allows 3, too few
	// for a program that opens the sockets of many accounts at the same time.
	ConnectsPerSecond int
	// ConnsPerChannel is how many connections of one account may listen to one of
	// its channels; default 30.
	ConnsPerChannel int
	// ChannelsPerConn is how many channels one connection may listen to; default
	// 1000. The venue does not document its own.
	ChannelsPerConn int
	// Window is the span of the limits of calls; default the venue's two seconds. With
	// a longer one even a slow client reaches the limit.
	Window time.Duration
}

const (
	ordersPerWindowDefault = 1000
	socketRequestsDefault  = 480
	connsPerChannelDefault = 30
	limitWindowDefault     = 2 * time.Second
	banDefault             = 2 * time.Minute
)

// limiter counts within fixed spans of the clock.
type limiter struct {
	simnet.Limiter
	limits RateLimits
}

func newLimiter(limits RateLimits) *limiter {
	limits.OrdersPerWindow = cmp.Or(limits.OrdersPerWindow, ordersPerWindowDefault)
	limits.SocketRequestsPerHour = cmp.Or(limits.SocketRequestsPerHour, socketRequestsDefault)
	limits.ConnsPerChannel = cmp.Or(limits.ConnsPerChannel, connsPerChannelDefault)
	limits.ChannelsPerConn = min(cmp.Or(limits.ChannelsPerConn, subsMax), subsMax)
	limits.Window = cmp.Or(limits.Window, limitWindowDefault)
	return &limiter{limits: limits}
}

// spend counts n against the limit of a key within a span. It reports whether the
// limit allows it.
func (l *limiter) spend(span time.Duration, key string, n, limit int, now time.Time) bool {
	if l.limits.Off {
		return true
	}
	used, _ := l.Count(key, span, n, now)
	return used <= limit
}

// spend counts a call against the limit of its endpoint and reports whether that
// allows it. Calls on a socket are counted with those of the REST interface.
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
	return s.limiter.spend(cmp.Or(at.span, s.limiter.limits.Window), key, units, limit, in.now)
}

// items returns how many orders a call contains.
func (in *call) items() int {
	var many []json.RawMessage
	if json.Unmarshal(in.body, &many) == nil {
		return max(1, len(many))
	}
	return 1
}

// limitedInstrument returns the instrument of a call, the first of a batch.
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
	if l.spend(l.limits.Window, "orders "+account, n, l.limits.OrdersPerWindow, now) {
		return nil
	}
	return rejectWith("50061", "You've reached the maximum order rate limit for this account.")
}

// connect counts the opening of a socket and reports whether the limit allows it.
func (l *limiter) connect(ip string, now time.Time) bool {
	limit := l.limits.ConnectsPerSecond
	return limit == 0 || l.spend(time.Second, "connect "+ip, 1, limit, now)
}

// onSocket counts a login, a subscription or an unsubscription on one connection.
func (l *limiter) onSocket(connID string, now time.Time) bool {
	return l.spend(time.Hour, "socket "+connID, 1, l.limits.SocketRequestsPerHour, now)
}

// admitsConn reports whether so many connections may listen to a channel of an account.
func (l *limiter) admitsConn(conns int) bool {
	return l.limits.Off || conns <= l.limits.ConnsPerChannel
}

func (l *limiter) banned(ip string, now time.Time) bool {
	_, banned := l.Banned(ip, now)
	return banned
}
