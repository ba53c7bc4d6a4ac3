package binance

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
	"venuegate/venues/internal/wsclient"
)

const (
	tradePath = "/ws-fapi/v1"
	// handshakeWeight is what an attempt to connect costs.
	handshakeWeight = 5
)

// socketMethods are the methods of the WebSocket API that do what the methods of
// the order endpoint do (document "WebSocket API", trade).
var socketMethods = map[string]string{
	http.MethodPost: "order.place", http.MethodPut: "order.modify", http.MethodDelete: "order.cancel",
}

// orderSocket carries the orders of an account over the venue's WebSocket API.
// Requests are signed one by one: a session of its own takes an Ed25519 key.
type orderSocket struct {
	c      *Connector
	calls  *wscall.Client
	lastID atomic.Uint64
}

// openSocket starts an order socket for the account if orders are to go that way,
// else it is nil.
func (a *Account) openSocket() *orderSocket {
	o := a.c.options
	if o.OrderEntry != venues.OrderEntryWebSocket {
		return nil
	}
	s := &orderSocket{c: a.c}
	s.calls = wscall.New(wscall.Options{
		Link: wsclient.Options{
			URL: s.address, Lifetime: o.ConnLifetime,
			BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
			Log: o.Log.With(zap.String("category", tradePath)),
		},
		AnswerID: answerID, Other: s.notice, Timeout: o.Timeout,
	})
	a.socket.Store(s)
	return s
}

// closeSocket ends an order socket; orders go by REST from now on.
func (a *Account) closeSocket(s *orderSocket) {
	if s != nil {
		a.socket.CompareAndSwap(s, nil)
		s.calls.Close()
	}
}

// up says whether an order would be sent now.
func (s *orderSocket) up() bool { return s != nil && s.calls.Up() }

// address waits at the gate: an attempt to connect is weighed, and none is made
// while the venue wants silence.
func (s *orderSocket) address(ctx context.Context) (string, error) {
	cost := restclient.Cost{Budget: s.c.weight, Units: handshakeWeight}
	if err := s.c.gate.Wait(ctx, restclient.LaneReconcile, cost); err != nil {
		return "", err
	}
	return s.c.options.TradeURL + tradePath, nil
}

// notice hears what answers no call. A server that is about to shut down says so:
// the connection is replaced before that.
func (s *orderSocket) notice(calls *wscall.Client, message []byte) {
	// encoding/json would take "e" and "E" for one.
	if fastjson.GetString(message, "event", "e") == "serverShutdown" {
		calls.Renew()
		return
	}
	s.c.options.Log.Warn("order socket: message that answers nothing", zap.String("message", payload.Bounded(string(message))))
}

// send sends a request once and reads its answer as one of REST.
func (s *orderSocket) send(ctx context.Context, r request) (*restclient.Answer, error) {
	id := strconv.FormatUint(s.lastID.Add(1), 10)
	message, err := s.c.socketMessage(r, id, time.Now())
	if err != nil {
		return nil, err
	}
	raw, err := s.calls.Call(ctx, id, message)
	if err != nil {
		return nil, err
	}
	answer, err := parseSocketAnswer(raw)
	if err != nil {
		return nil, malformed(r, err)
	}
	return answer, nil
}

// socketMessage signs a request for the moment now.
func (c *Connector) socketMessage(r request, id string, now time.Time) ([]byte, error) {
	p, err := c.stamped(r, now)
	if err != nil {
		return nil, err
	}
	credentials := r.account.credentials
	p = p.with("apiKey", credentials.APIKey.Reveal())
	p = p.with("signature", sign(credentials.APISecret, p.sortedText(), ""))
	values := make(map[string]any, len(p))
	for _, one := range p {
		values[one.name] = one.value
		if socketIntegers[one.name] {
			values[one.name] = json.Number(one.value)
		}
	}
	return json.Marshal(struct {
		ID     string         `json:"id"`
		Method string         `json:"method"`
		Params map[string]any `json:"params"`
	}{id, socketMethods[r.method], values})
}

// socketIntegers are the parameters that this API wants as numbers; all others
// are text.
var socketIntegers = map[string]bool{"timestamp": true, "recvWindow": true, "orderId": true}

// answerID is the id of the request that a message answers.
func answerID(message []byte) (string, bool) {
	var answer struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(message, &answer) != nil {
		return "", false
	}
	id, ok := answer.ID.(string)
	return id, ok
}

// socketAnswer is the envelope of an answer.
type socketAnswer struct {
	Status     int             `json:"status"`
	Result     json.RawMessage `json:"result"`
	Error      json.RawMessage `json:"error"`
	RateLimits []usedLimit     `json:"rateLimits"`
}

// usedLimit is a limit with what is used of it.
type usedLimit struct {
	RateLimitType string `json:"rateLimitType"`
	Interval      string `json:"interval"`
	IntervalNum   int    `json:"intervalNum"`
	Limit         int    `json:"limit"`
	Count         int    `json:"count"`
}

var errNoStatus = errors.New("answer without a status")

// parseSocketAnswer reads an answer as REST would bring it: what is used of the
// limits stands in the headers, result or error in the body.
func parseSocketAnswer(raw []byte) (*restclient.Answer, error) {
	var in socketAnswer
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	if in.Status <= 0 {
		return nil, errNoStatus
	}
	answer := &restclient.Answer{Status: in.Status, Header: http.Header{}, Body: in.Result}
	if len(in.Error) > 0 {
		answer.Body = in.Error
	}
	wait := time.Duration(0)
	for _, limit := range in.RateLimits {
		answer.Header.Set(limit.header(), strconv.Itoa(limit.Count))
		if limit.Limit > 0 && limit.Count >= limit.Limit {
			wait = max(wait, limit.span())
		}
	}
	if in.Status == http.StatusTooManyRequests && wait > 0 {
		answer.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	return answer, nil
}

// header is what REST calls the counter: X-MBX-ORDER-COUNT-10S.
func (l usedLimit) header() string {
	name := "X-Mbx-Used-Weight-"
	if l.RateLimitType == "ORDERS" {
		name = "X-Mbx-Order-Count-"
	}
	return name + strconv.Itoa(l.IntervalNum) + strings.ToLower(l.Interval[:min(1, len(l.Interval))])
}

// spanMax bounds what is believed of the span of a limit.
const spanMax = 24 * time.Hour

// span is within which time the counter begins anew.
func (l usedLimit) span() time.Duration {
	unit := map[string]time.Duration{"SECOND": time.Second, "MINUTE": time.Minute, "HOUR": time.Hour}[l.Interval]
	if unit == 0 || l.IntervalNum <= 0 || time.Duration(l.IntervalNum) > spanMax/unit {
		return spanMax
	}
	return time.Duration(l.IntervalNum) * unit
}
